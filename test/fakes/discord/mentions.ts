import { MessageFlags } from './codes.ts';
import type { Json } from './faults.ts';
import { may } from './permissions.ts';
import type { Channel, Message, Ping, User, World } from './state.ts';

/** `allowed_mentions` of a request (reference, "Allowed mentions object"). */
export interface AllowedMentions {
  readonly parse?: readonly string[] | null | undefined;
  readonly users?: readonly string[] | null | undefined;
  readonly roles?: readonly string[] | null | undefined;
  readonly replied_user?: boolean | null | undefined;
}

export interface Mentions {
  readonly users: readonly User[];
  readonly roles: readonly string[];
  readonly everyone: boolean;
  /** The author of the message replied to, where that notifies. */
  readonly replied: User | undefined;
}

const FENCED = /```[\s\S]+?```/g;
const INLINE = /(`+)[\s\S]*?[^`]\1(?!`)/g;

/** Text without what stands in code, where nothing is a mention. */
const withoutCode = (text: string): string =>
  // An escaped backtick may open no code: what stands behind it counts as a mention.
  text.replaceAll('\\`', ' ').replace(FENCED, ' ').replace(INLINE, ' ');

const COMMAND = /<\/([-_'\p{L}\p{N} ]{1,100}):(\d{1,20})>/gu;

/** True for a command with that id whose path is so: with its subcommand, where it has such ("Slash command mentions"). */
const isCommand = ({ globalCommands }: World, path: string, id: string): boolean => {
  const known = globalCommands.get(id);
  const options = (known?.['options'] ?? []) as readonly Json[];
  const actions = options.filter(({ type }) => type === 1);
  const paths = actions.map(({ name }) => `${known?.name} ${String(name)}`);
  return known?.type === 1 && (paths.length > 0 ? paths : [known.name]).includes(path);
};

/** The paths of the commands that people can press in a text. */
export const commandsIn = (world: World, text: string): readonly string[] =>
  [...withoutCode(text).matchAll(COMMAND)].flatMap(([, path = '', id = '']) =>
    isCommand(world, path, id) ? [path] : [],
  );

/** A text with each command that people can press as its name in code. */
export const withCommandNames = (world: World, text: string): string =>
  text.replaceAll(COMMAND, (written, path: string, id: string) =>
    isCommand(world, path, id) ? `\`/${path}\`` : written,
  );

/** All text of a message that can notify: the content, and text displays of Components V2. */
const textOf = (content: string, components: readonly Json[]): string => {
  const texts = [content];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(visit);
    if (typeof value !== 'object' || value === null) return;
    const { type, content: text } = value as Json;
    if (type === 10 && typeof text === 'string') texts.push(text);
    Object.values(value).forEach(visit);
  };
  visit(components);
  return texts.map(withoutCode).join('\n');
};

/**
 * Whom a text notifies. `fallback` is what counts without `allowed`: all three kinds for messages
 * of people and bots, users only for webhooks and interactions.
 */
export const readMentions = (
  world: World,
  channel: Channel,
  by: { readonly content: string; readonly components: readonly Json[]; readonly author: User },
  allowed: AllowedMentions | null | undefined,
  fallback: readonly string[],
  repliedTo: User | undefined,
): Mentions => {
  const text = textOf(by.content, by.components);
  const parse = allowed ? (allowed.parse ?? []) : fallback;
  const ids = (pattern: RegExp): string[] => [
    ...new Set([...text.matchAll(pattern)].map((match) => match[1] ?? '')),
  ];
  const allows = (kind: string, list: readonly string[] | null | undefined, id: string): boolean =>
    parse.includes(kind) || (allowed ? (list?.includes(id) ?? false) : false);
  const { guild } = channel;
  const everyoneToo = guild !== undefined && may(world, channel, by.author.id, 'MentionEveryone');
  return {
    users: ids(/<@!?(\d+)>/g)
      .filter((id) => allows('users', allowed?.users, id))
      .flatMap((id) => world.users.get(id) ?? []),
    roles: ids(/<@&(\d+)>/g).filter((id) => {
      const role = guild?.roles.get(id);
      return (
        role !== undefined &&
        allows('roles', allowed?.roles, id) &&
        (role.mentionable || everyoneToo)
      );
    }),
    everyone: /@(?:everyone|here)/.test(text) && parse.includes('everyone') && everyoneToo,
    replied: (allowed ? allowed.replied_user === true : true) ? repliedTo : undefined,
  };
};

/** Notes whom a message of the bot, or of a webhook, has notified. */
export const notePings = (
  world: World,
  message: Message,
  mentions: Mentions,
  by: Ping['by'],
): void => {
  if (message.flags & MessageFlags.Ephemeral) return;
  const note = (kind: Ping['kind'], id?: string): void => {
    const ping = { message: message.id, channel: message.channel.id, kind, by };
    world.pings.push(id === undefined ? ping : { ...ping, id });
  };
  if (mentions.everyone) note('everyone');
  for (const id of mentions.roles) note('role', id);
  for (const user of mentions.users) if (user !== world.bot) note('user', user.id);
  if (mentions.replied !== undefined && mentions.replied !== world.bot && by === 'post')
    note('reply', mentions.replied.id);
};
