import {
  type Action,
  type Command,
  moderator,
  type Press,
  SOLE_ACTION,
  takesRichText,
} from './command.ts';
import type {
  CommandInfo,
  FormInfo,
  PlatformPart,
  OptionInfo,
  Naming,
} from '../model/command-info.ts';
import { userError, AppError, type SentenceParams } from '../errors.ts';
import type { Texts, Translate } from '../i18n/texts.ts';
import type { Platforms } from './platforms.ts';
import { typedCode } from '../text/quoted-words.ts';
import { z } from 'zod';

/** A command's action under the name that people type: `translate`, `glossary add`. */
export interface NamedAction {
  readonly name: string;
  readonly action: Action;
  readonly command: Command;
}

export const actionsOf = (command: Command): NamedAction[] =>
  Object.entries(command.actions).map(([key, action]) => ({
    name: key === SOLE_ACTION ? command.name : `${command.name} ${key}`,
    action,
    command,
  }));

/** The group that an action is in: the command's name, where the command has several actions. */
const groupOf = ({ name, command }: NamedAction): string | undefined =>
  name === command.name ? undefined : command.name;

/** The names of a command's presses of which something holds. */
const pressesOf = (
  { name, presses = {} }: Command,
  holds: (press: Press) => boolean | undefined,
): string[] =>
  Object.entries(presses).flatMap(([word, press]) => (holds(press) ? [`${name} ${word}`] : []));

const formsOf = ({ name, presses = {} }: Command, t: Translate): FormInfo[] =>
  Object.entries(presses).flatMap(([word, { form }]) =>
    form
      ? [
          {
            press: `${name} ${word}`,
            title: t(form.title),
            label: t(form.label),
            hint: t(form.hint),
            maxChars: form.maxChars,
          },
        ]
      : [],
  );

/** The part of JSON Schema that options use. */
interface OptionSchema extends Pick<
  OptionInfo,
  'minimum' | 'maximum' | 'maxLength' | 'only' | 'several' | 'needs'
> {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly kind?: string;
  /** The days from today by which choices may be called, too: `{ yesterday: -1 }`. */
  readonly days?: Readonly<Record<string, number>>;
  /** The parts of a platform that choices need: `{ roles: 'roles' }`. */
  readonly parts?: Readonly<Record<string, PlatformPart>>;
}

/** The names of a day, in the person's language and in English. */
const namesOfDay = (day: number, locale: string): readonly string[] => [
  ...new Set(
    [locale, 'en'].map((each) =>
      new Intl.RelativeTimeFormat(each, { numeric: 'auto' }).format(day, 'day'),
    ),
  ),
];

/** Schemas of options, kept because they are the same in every locale. */
const schemas = new WeakMap<Action, z.core.JSONSchema.BaseSchema>();

const schemaOf = (action: Action): z.core.JSONSchema.BaseSchema => {
  const schema =
    schemas.get(action) ??
    z.toJSONSchema(action.options ?? z.object({}), { io: 'input', unrepresentable: 'any' });
  schemas.set(action, schema);
  return schema;
};

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
  readonly hasRooms: boolean;
}

/** One action as adapters register and show it, in the best locale for `locale`. */
export const describeAction = (
  named: NamedAction,
  texts: Texts,
  locale: string,
  { naming, hasRooms }: PlatformTraits,
): CommandInfo => {
  const { name, action, command } = named;
  const group = groupOf(named);
  const privatePresses = pressesOf(command, (press) => press.private);
  const moderatorPresses = pressesOf(command, ({ guards }) => guards?.includes(moderator));
  const t = texts.in(locale, naming);
  const titleKey = `${keyBase(name)}.title`;
  const forms = formsOf(command, t);
  const schema = schemaOf(action);
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
      const day = shape.days?.[value];
      return {
        value,
        label: texts.has(label) ? t(label) : value,
        ...(shape.parts?.[value] ? { needs: shape.parts[value] } : {}),
        ...(day === undefined
          ? {}
          : { also: namesOfDay(day, locale).filter((one) => one !== value) }),
      };
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
      ...(shape.several ? { several: true } : {}),
      ...(takesRichText(action.options?.shape[option]) ? { rich: true } : {}),
      ...(shape.needs ? { needs: shape.needs } : {}),
      ...Object.fromEntries(Object.entries(bounds).filter(([, value]) => value !== undefined)),
    };
  });
  return {
    name,
    ...typedAs(name, texts.typed({ command: name }, locale, naming)),
    summary: textOf(texts, t, `${keyBase(name)}.summary`),
    ...(texts.has(titleKey) ? { title: t(titleKey) } : {}),
    ...(group ? { groupSummary: textOf(texts, t, `${keyBase(group)}.summary`) } : {}),
    ...(command.topic ? { topic: command.topic } : {}),
    ...(name === `${command.name} ${command.alone}` ? { alone: true } : {}),
    options,
    slow: action.slow ?? false,
    private: action.private ?? false,
    ...(action.onMessage ? { menu: textOf(texts, t, `${keyBase(name)}.menu`) } : {}),
    ...(command.needs ? { needs: command.needs } : {}),
    ...(privatePresses.length > 0 ? { privatePresses } : {}),
    ...(moderatorPresses.length > 0 ? { moderatorPresses } : {}),
    ...(forms.length > 0 ? { forms } : {}),
    ...(action.guards?.includes(moderator) ? { moderators: true } : {}),
  };
};

export interface CatalogueDeps {
  readonly commands: readonly Command[];
  readonly texts: Texts;
  readonly platforms: Pick<Platforms, 'find'>;
}

const PRESS = /^(?<name>[a-z]+) (?<press>[a-z]+)(?::(?<arg>.*))?$/s;

/** Every text is looked up once, so that one that is missing is told at the start. */
export const createCatalogue = ({ commands, texts, platforms }: CatalogueDeps) => {
  const has = (name: string, part: PlatformPart): boolean => {
    const { voice, feed, mirrors, capabilities } = platforms.find(name) ?? {};
    if (part === 'rooms') return voice !== undefined;
    if (part === 'roles') return capabilities?.roles ?? false;
    if (part === 'reply-threads') return capabilities?.repliesInThreads ?? false;
    if (part === 'age-restrictions') return capabilities?.restrictsByAge ?? false;
    return (feed && mirrors) !== undefined;
  };
  const actions = commands
    .flatMap(actionsOf)
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

  const isThere = (
    { needs }: { readonly needs?: PlatformPart | undefined },
    platform: string,
  ): boolean => needs === undefined || has(platform, needs);

  /** Leaves out the options and choices that the platform has no use for; without watches no channel can be named. */
  const fitting = (info: CommandInfo, platform: string): CommandInfo => ({
    ...info,
    options: info.options
      .filter(({ kind, needs }) =>
        isThere({ needs: kind === 'channel' ? 'watch' : needs }, platform),
      )
      .map(({ choices, ...option }) => ({
        ...option,
        ...(choices && { choices: choices.filter((choice) => isThere(choice, platform)) }),
      })),
  });

  return {
    list: (locale: string, platform: string): readonly CommandInfo[] =>
      [...describeOn(platform, locale).values()]
        .filter((info) => isThere(info, platform))
        .map((info) => fitting(info, platform)),

    elsewhere: (platform: string): readonly string[] =>
      commands.filter((command) => !isThere(command, platform)).map(({ name }) => name),

    /** `name` as people type it, both words of a subcommand. Throws `not-found` with a sentence. */
    find(name: string, platform: string, locale: string) {
      const named = byName.get(name);
      const info = describeOn(platform, locale).get(name);
      if (!named || !info || !isThere(named.command, platform))
        throw userError('not-found', 'errors.unknown-command', { command: typedCode(`/${name}`) });
      return { ...named, info: fitting(info, platform) };
    },

    /** `press` as it stands in a control. Throws `not-found` with a sentence. */
    findPress(given: string, platform: string) {
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
