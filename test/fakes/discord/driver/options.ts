import { OptionType as Kind } from '../codes.ts';
import type { Json } from '../faults.ts';
import {
  renderAttachment,
  renderChannel,
  renderMember,
  renderRole,
  renderUser,
} from '../render.ts';
import type { Channel, Command, World } from '../state.ts';
import { characters } from '../validation.ts';
import { FakeChannel } from './channel.ts';
import { keepFile, type GivenFile } from './saying.ts';
import { FakeUser } from './user.ts';

/** What a person fills in: text, numbers, a user, a channel, a role's id, a file. */
export type OptionValue = string | number | boolean | FakeUser | FakeChannel | GivenFile;

interface Declared {
  readonly type: number;
  readonly name: string;
  readonly required?: boolean | null;
  readonly autocomplete?: boolean | null;
  readonly options?: readonly Declared[] | null;
  readonly choices?: readonly { readonly value: unknown }[] | null;
  readonly min_value?: number | null;
  readonly max_value?: number | null;
  readonly min_length?: number | null;
  readonly max_length?: number | null;
}

type Resolved = Record<'users' | 'members' | 'roles' | 'channels' | 'attachments', Json>;

/** The client of a person refuses what does not fit the registered command; so does this. */
const refuse = (option: Declared, why: string): never => {
  throw new Error(`option ${option.name}: ${why}`);
};

const checkPlain = (option: Declared, value: unknown): void => {
  const { choices, min_value: least, max_value: most } = option;
  if (choices?.length && !choices.some((one) => one.value === value))
    refuse(option, `${String(value)} is no choice`);
  if (typeof value === 'number' && (value < (least ?? -Infinity) || value > (most ?? Infinity)))
    refuse(option, `${value} is out of range`);
  const size = characters(value);
  if (
    typeof value === 'string' &&
    (size < (option.min_length ?? 0) || size > (option.max_length ?? 6000))
  )
    refuse(option, `${size} characters do not fit`);
};

const PLAIN: Readonly<Record<number, string>> = {
  [Kind.String]: 'string',
  [Kind.Integer]: 'number',
  [Kind.Number]: 'number',
  [Kind.Boolean]: 'boolean',
};

const readValue = (
  world: World,
  channel: Channel,
  option: Declared,
  given: OptionValue,
  resolved: Resolved,
): unknown => {
  if (given instanceof FakeUser && [Kind.User, Kind.Mentionable].includes(option.type)) {
    resolved.users[given.id] = renderUser(given.user);
    const member = channel.guild?.members.get(given.id);
    if (member !== undefined) {
      const { user: _user, ...rest } = renderMember(member);
      resolved.members[given.id] = { ...rest, permissions: '0' };
    }
    return given.id;
  }
  if (given instanceof FakeChannel && option.type === Kind.Channel) {
    resolved.channels[given.id] = { ...renderChannel(given.state), permissions: '0' };
    return given.id;
  }
  if (option.type === Kind.Attachment && typeof given === 'object' && 'bytes' in given) {
    const attachment = keepFile(world, channel, given, undefined, true);
    resolved.attachments[attachment.id] = renderAttachment(world, attachment);
    return attachment.id;
  }
  if (option.type === Kind.Role && typeof given === 'string') {
    const role = channel.guild?.roles.get(given);
    if (role === undefined) return refuse(option, 'no such role');
    resolved.roles[given] = renderRole(role);
    return given;
  }
  const whole = option.type !== Kind.Integer || Number.isInteger(given);
  if (PLAIN[option.type] !== typeof given || !whole)
    return refuse(option, `${typeof given} does not fit type ${option.type}`);
  return given;
};

/** `data` of an interaction: the options nested as the subcommands are, and what they resolve to. */
export const readOptions = (
  world: World,
  channel: Channel,
  command: Command,
  path: readonly string[],
  given: Readonly<Record<string, OptionValue>>,
  focused: string | undefined,
): { options: Json[]; resolved: Json } => {
  const resolved: Resolved = { users: {}, members: {}, roles: {}, channels: {}, attachments: {} };
  const read = (declared: readonly Declared[], words: readonly string[]): Json[] => {
    const [word, ...rest] = words;
    if (word !== undefined) {
      const inner = declared.find((one) => one.name === word && one.type <= 2);
      if (inner === undefined) throw new Error(`${command.name} has no subcommand ${word}`);
      return [{ type: inner.type, name: word, options: read(inner.options ?? [], rest) }];
    }
    if (declared.some((one) => one.type <= 2))
      throw new Error(`${command.name} needs a subcommand`);
    for (const name of Object.keys(given))
      if (!declared.some((one) => one.name === name))
        throw new Error(`${command.name} has no option ${name}`);
    return declared.flatMap((one): Json[] => {
      const value = given[one.name];
      if (one.name === focused) {
        if (one.autocomplete !== true) refuse(one, 'does not complete itself');
        return [{ type: one.type, name: one.name, value: value ?? '', focused: true }];
      }
      if (value === undefined) {
        if (one.required === true && focused === undefined) refuse(one, 'is required');
        return [];
      }
      const told = readValue(world, channel, one, value, resolved);
      if (PLAIN[one.type] !== undefined) checkPlain(one, told);
      return [{ type: one.type, name: one.name, value: told }];
    });
  };
  const options = read((command['options'] ?? []) as Declared[], path);
  const filled = Object.entries(resolved).filter(([, items]) => Object.keys(items).length > 0);
  return { options, resolved: Object.fromEntries(filled) };
};
