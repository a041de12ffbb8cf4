import { type Action, type Command, type Press, moderator, SOLE_ACTION } from './command.ts';
import type { CommandInfo, PlatformPart, OptionInfo, Naming } from '../model/command-info.ts';
import { userError, AppError, type SentenceParams } from '../errors.ts';
import type { Texts, Translate } from '../i18n.ts';
import type { Platforms } from '../running-platforms.ts';
import { typedCode } from '../text/quoted-words.ts';
import { z } from 'zod';
import type { MessageKey } from '../message-key.ts';

/** A command's action under the name that people type: `translate`, `glossary add`. */
export interface NamedAction {
  readonly name: string;
  readonly action: Action;
  readonly needs?: CommandInfo['needs'];
  readonly topic?: CommandInfo['topic'];
  readonly privatePresses?: CommandInfo['privatePresses'];
  /** The command's name, where the command has several actions. */
  readonly group?: string;
}

const privatePressesOf = ({ name, presses = {} }: Command): string[] =>
  Object.entries(presses).flatMap(([word, press]) => (press.private ? [`${name} ${word}`] : []));

export const actionsOf = (command: Command): NamedAction[] => {
  const privatePresses = privatePressesOf(command);
  return Object.entries(command.actions).map(([key, action]) => ({
    name: key === SOLE_ACTION ? command.name : `${command.name} ${key}`,
    action,
    ...(key === SOLE_ACTION ? {} : { group: command.name }),
    ...(command.needs ? { needs: command.needs } : {}),
    ...(command.topic ? { topic: command.topic } : {}),
    ...(privatePresses.length > 0 ? { privatePresses } : {}),
  }));
};

/** The part of JSON Schema that options use. */
interface OptionSchema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly kind?: string;
  readonly only?: 'voice';
}

const kindOf = (schema: OptionSchema): OptionInfo['kind'] => {
  if (schema.kind === 'attachment' || schema.kind === 'channel') return schema.kind;
  if (schema.type === 'integer' || schema.type === 'number' || schema.type === 'boolean')
    return schema.type;
  return 'text';
};

const keyBase = (name: string): string => `commands.${name.replace(' ', '.')}`;

const textOf = (texts: Texts, t: Translate, key: string, params?: SentenceParams): string => {
  if (!texts.has(key)) throw new AppError('config', `locales/en.json has no "${key}"`);
  return t(key, params);
};

const typedAs = (name: string, typed: string): { typed?: string } =>
  typed === name ? {} : { typed };

/** The traits of a platform that an action's description depends on. */
export interface PlatformTraits {
  readonly naming: Naming;
  /** True where people can speak with each other. */
  readonly hasRooms: boolean;
}

/** One action as adapters register and show it, in the best locale for `locale`. */
export const describeAction = (
  { name, action, needs, topic, privatePresses, group }: NamedAction,
  texts: Texts,
  locale: string,
  { naming, hasRooms }: PlatformTraits,
): CommandInfo => {
  const t = texts.in(locale, naming);
  const schema = z.toJSONSchema(action.options ?? z.object({}), {
    io: 'input',
    unrepresentable: 'any',
  });
  const required = new Set(schema.required);
  const options = Object.entries(schema.properties ?? {}).map(([option, json]): OptionInfo => {
    const shape = json as OptionSchema;
    const kind = kindOf(shape);
    const bounds =
      kind === 'integer' || kind === 'number'
        ? { minimum: shape.minimum, maximum: shape.maximum }
        : { maxLength: shape.maxLength };
    const choices = shape.enum?.map((value) => {
      const label = `options.choices.${option}.${value}`;
      return { value, label: texts.has(label) ? t(label) : value };
    });
    return {
      name: option,
      ...typedAs(option, texts.typed({ option }, locale, naming)),
      description: textOf(texts, t, `${keyBase(name)}.options.${option}`, {
        rooms: hasRooms ? 'yes' : 'no',
      }),
      kind,
      required: required.has(option),
      autocompletes: action.complete?.[option] !== undefined,
      ...(choices ? { choices } : {}),
      ...(shape.only ? { only: shape.only } : {}),
      ...Object.fromEntries(Object.entries(bounds).filter(([, value]) => value !== undefined)),
    };
  });
  return {
    name,
    ...typedAs(name, texts.typed({ command: name }, locale, naming)),
    summary: textOf(texts, t, `${keyBase(name)}.summary`),
    ...(group ? { groupSummary: textOf(texts, t, `${keyBase(group)}.summary`) } : {}),
    ...(topic ? { topic } : {}),
    options,
    slow: action.slow ?? false,
    private: action.private ?? false,
    ...(action.onMessage ? { menu: textOf(texts, t, `${keyBase(name)}.menu`) } : {}),
    ...(needs ? { needs } : {}),
    ...(privatePresses ? { privatePresses } : {}),
    ...(action.guards?.includes(moderator) ? { moderators: true } : {}),
  };
};

/** The keys of names, for platforms that translate the names of commands and options. */
const nameKeysOf = (command: Command): string[] => [
  `${keyBase(command.name)}.name`,
  ...actionsOf(command).flatMap(({ name, action }) => [
    `${keyBase(name)}.name`,
    ...Object.keys(action.options?.shape ?? {}).map((option) => `options.names.${option}`),
  ]),
];

/** The keys of `locales/` that a command's texts stand under. */
export const keysOf = (command: Command): MessageKey[] => {
  const described = actionsOf(command).flatMap(({ name, action, group }) => [
    `${keyBase(name)}.summary`,
    ...(group ? [`${keyBase(group)}.summary`] : []),
    ...(action.onMessage ? [`${keyBase(name)}.menu`] : []),
    ...Object.keys(action.options?.shape ?? {}).map(
      (option) => `${keyBase(name)}.options.${option}`,
    ),
  ]);
  return [...new Set([...described, ...nameKeysOf(command)])] as MessageKey[];
};

export interface CatalogueDeps {
  readonly commands: readonly Command[];
  readonly texts: Texts;
  readonly platforms: Pick<Platforms, 'find'>;
}

interface Found {
  readonly command: Command;
  readonly action: Action;
  readonly info: CommandInfo;
}

interface FoundPress {
  readonly command: Command;
  readonly press: Press;
  readonly arg: string;
}

/** The commands that there are, by platform. */
export interface Catalogue {
  list(locale: string, platform: string): readonly CommandInfo[];
  /** `name` as people type it, both words of a subcommand. Throws `not-found` with a sentence. */
  find(name: string, platform: string, locale: string): Found;
  /** `press` as it stands in a control. Throws `not-found` with a sentence. */
  findPress(press: string, platform: string): FoundPress;
}

const PRESS = /^(?<name>[a-z]+) (?<press>[a-z]+)(?::(?<arg>.*))?$/s;

/** Every text is looked up once, so that one that is missing is told at the start. */
export const createCatalogue = ({ commands, texts, platforms }: CatalogueDeps): Catalogue => {
  const has = (name: string, part: PlatformPart): boolean => {
    const { voice, feed, mirrors } = platforms.find(name) ?? {};
    return part === 'rooms' ? voice !== undefined : (feed && mirrors) !== undefined;
  };
  const actions = commands
    .flatMap((command) => actionsOf(command).map((named) => ({ command, ...named })))
    .toSorted((a, b) => a.name.localeCompare(b.name, 'en'));
  const byName = new Map(actions.map((named) => [named.name, named]));
  const described = new Map<string, ReadonlyMap<string, CommandInfo>>();

  const describe = (locale: string, traits: PlatformTraits): ReadonlyMap<string, CommandInfo> => {
    const picked = texts.pick([locale]);
    const key = `${picked} ${traits.naming} ${traits.hasRooms}`;
    const known =
      described.get(key) ??
      new Map(actions.map((named) => [named.name, describeAction(named, texts, picked, traits)]));
    described.set(key, known);
    return known;
  };
  describe('en', { naming: 'plain', hasRooms: true });

  const describeOn = (platform: string, locale: string): ReadonlyMap<string, CommandInfo> =>
    describe(locale, {
      naming: platforms.find(platform)?.naming ?? 'plain',
      hasRooms: has(platform, 'rooms'),
    });

  const isThere = ({ needs }: Pick<Command, 'needs'>, platform: string): boolean =>
    needs === undefined || has(platform, needs);

  /** Leaves out the options for channels where no channel can be named. */
  const fitting = (info: CommandInfo, platform: string): CommandInfo =>
    has(platform, 'watch')
      ? info
      : { ...info, options: info.options.filter(({ kind }) => kind !== 'channel') };

  return {
    list: (locale, platform) =>
      [...describeOn(platform, locale).values()]
        .filter((info) => isThere(info, platform))
        .map((info) => fitting(info, platform)),

    find(name, platform, locale) {
      const named = byName.get(name);
      const info = describeOn(platform, locale).get(name);
      if (!named || !info || !isThere(named.command, platform))
        throw userError('not-found', 'errors.unknown-command', { command: typedCode(`/${name}`) });
      return { ...named, info: fitting(info, platform) };
    },

    findPress(given, platform) {
      const { name, press: word = '', arg = '' } = PRESS.exec(given)?.groups ?? {};
      const command = commands.find((each) => each.name === name);
      const presses = new Map(Object.entries(command?.presses ?? {}));
      const press = presses.get(word);
      if (!command || !press || !isThere(command, platform))
        throw userError('not-found', 'errors.unknown-press');
      return { command, press, arg };
    },
  };
};
