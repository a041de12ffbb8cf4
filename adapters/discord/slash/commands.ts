import {
  Locale,
  type LocalizationMap,
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ApplicationIntegrationType,
  ChannelType,
  InteractionContextType,
  PermissionFlagsBits,
} from 'discord.js';
import type { CommandInfo, OptionInfo } from '../../../src/model/command-info.ts';
import { AppError } from '../../../src/errors.ts';
import type { Texts } from '../../../src/i18n/texts.ts';
import { PLATFORM } from '../ids.ts';
import {
  COMMAND_NAME,
  DESCRIPTION_CHARS,
  CHOICE_CHARS,
  COMMAND_TEXTS_CHARS,
  MENU_NAME_CHARS,
  OPTION_TEXT_CHARS,
  VOICE_CHANNEL_TYPES,
} from '../limits.ts';

/** Discord's names of languages that are not those of locales. */
const ALIASES: Readonly<Record<string, string>> = {
  'zh-CN': 'zh-Hans',
  'zh-TW': 'zh-Hant',
  'es-ES': 'es',
  'es-419': 'es',
  'sv-SE': 'sv',
  no: 'nb',
};

/** A person's BCP 47 tag of the locale that Discord says. */
export const localeOf = (discordLocale: string): string => ALIASES[discordLocale] ?? discordLocale;

/** Discord's locales other than English that there are texts for, with the locale of the texts. */
const localisedIn = (texts: Pick<Texts, 'pick' | 'locales'>): readonly [Locale, string][] => {
  const [standard] = texts.locales;
  return Object.values(Locale).flatMap((locale): [Locale, string][] => {
    const picked = texts.pick([localeOf(locale), locale]);
    return picked === standard ? [] : [[locale, picked]];
  });
};

export interface CommandSource {
  readonly texts: Pick<Texts, 'pick' | 'locales' | 'in' | 'has'>;
  readonly commands: (locale: string, platform: string) => readonly CommandInfo[];
}

type SaidIn = (locale: string) => string | undefined;

export const fault = (what: string): AppError =>
  new AppError('config', `Discord would refuse ${what}`);

/** The text; throws `config` for one that is empty or too long. */
export const checked = (text: string, limit: number, what: string): string => {
  const length = Array.from(text).length;
  if (length === 0 || length > limit)
    throw fault(`${what}: it has ${length} characters, 1 to ${limit} may be`);
  return text;
};

export type Wording = ReturnType<typeof createWording>;

/** Creates the access to the names and descriptions of commands, in every locale. */
export const createWording = ({ texts, commands }: CommandSource) => {
  const locales = localisedIn(texts);
  const infos = new Map(
    ['en', ...locales.map(([, locale]) => locale)].map((locale) => [
      locale,
      new Map(commands(locale, PLATFORM).map((info) => [info.name, info])),
    ]),
  );

  const infoIn = (locale: string, command: string): CommandInfo | undefined =>
    infos.get(locale)?.get(command);

  /** The texts of the locales that differ from English; undefined if none does. */
  const localised = (of: SaidIn): LocalizationMap | undefined => {
    const english = of('en');
    const found = locales.flatMap(([discord, locale]) => {
      const text = of(locale);
      return text === undefined || text === english ? [] : [[discord, text] as const];
    });
    return found.length > 0 ? Object.fromEntries(found) : undefined;
  };

  const localisedNames = (of: SaidIn): { readonly name_localizations?: LocalizationMap } => {
    const map = localised(of);
    return map ? { name_localizations: map } : {};
  };

  return {
    /** The commands in English. */
    infos: [...(infos.get('en')?.values() ?? [])],
    infoIn,
    optionIn: (locale: string, command: string, option: string): OptionInfo | undefined =>
      infoIn(locale, command)?.options.find(({ name }) => name === option),
    localisedNames,
    /** A name that is no name to Discord is left out; the plain one serves. */
    named: (key: string) =>
      localisedNames((locale) => {
        const name = texts.has(key) ? texts.in(locale)(key) : '';
        return COMMAND_NAME.test(name) && name === name.toLowerCase() ? name : undefined;
      }),
    /** @param what is named in the fault where Discord would refuse the text */
    described: (of: SaidIn, what: string) => {
      const all = (locale: string): string | undefined => {
        const text = of(locale);
        return text && checked(text, DESCRIPTION_CHARS, `the description of ${what} in ${locale}`);
      };
      const map = localised(all);
      return {
        description: all('en') ?? '',
        ...(map ? { description_localizations: map } : {}),
      };
    },
  };
};

/** A command as Discord takes it (reference, "Application Command Object"). */
export type CommandBody = Readonly<Record<string, unknown>> & {
  readonly name: string;
  readonly type: ApplicationCommandType;
};

const KINDS: Readonly<Record<OptionInfo['kind'], ApplicationCommandOptionType>> = {
  text: ApplicationCommandOptionType.String,
  integer: ApplicationCommandOptionType.Integer,
  number: ApplicationCommandOptionType.Number,
  boolean: ApplicationCommandOptionType.Boolean,
  attachment: ApplicationCommandOptionType.Attachment,
  channel: ApplicationCommandOptionType.Channel,
};

/** Channels in which people write. */
const CHANNEL_TYPES = [
  ChannelType.GuildText,
  ChannelType.GuildVoice,
  ChannelType.GuildStageVoice,
  ChannelType.GuildAnnouncement,
  ChannelType.AnnouncementThread,
  ChannelType.PublicThread,
  ChannelType.PrivateThread,
  ChannelType.GuildForum,
  ChannelType.GuildMedia,
];

const reach = (group: readonly CommandInfo[]) => ({
  integration_types: group.some(({ needs }) => needs)
    ? [ApplicationIntegrationType.GuildInstall]
    : [ApplicationIntegrationType.GuildInstall, ApplicationIntegrationType.UserInstall],
  contexts: group.some(({ needs }) => needs)
    ? [InteractionContextType.Guild]
    : [
        InteractionContextType.Guild,
        InteractionContextType.BotDM,
        InteractionContextType.PrivateChannel,
      ],
  ...(group.every(({ moderators }) => moderators)
    ? { default_member_permissions: String(PermissionFlagsBits.ManageGuild) }
    : {}),
});

const choicesOf = ({ localisedNames, optionIn }: Wording, command: string, option: OptionInfo) =>
  option.choices?.map(({ value, label }) => {
    const labelIn = (locale: string): string | undefined =>
      optionIn(locale, command, option.name)?.choices?.find((each) => each.value === value)?.label;
    return {
      name: checked(label, CHOICE_CHARS, `a choice of /${command} ${option.name}`),
      value,
      ...localisedNames(labelIn),
    };
  });

const optionOf = (wording: Wording, command: string, option: OptionInfo) => {
  const { name, kind, minimum, maximum, maxLength } = option;
  const { named, described, optionIn } = wording;
  const choices = choicesOf(wording, command, option);
  return {
    type: KINDS[kind],
    name,
    ...named(`options.names.${name}`),
    ...described((locale) => optionIn(locale, command, name)?.description, `/${command} ${name}`),
    required: option.required,
    ...(choices ? { choices } : {}),
    ...(option.autocompletes ? { autocomplete: true } : {}),
    ...(minimum === undefined ? {} : { min_value: minimum }),
    ...(maximum === undefined ? {} : { max_value: maximum }),
    ...(maxLength === undefined || kind !== 'text'
      ? {}
      : { max_length: Math.min(maxLength, OPTION_TEXT_CHARS) }),
    ...(kind === 'channel'
      ? { channel_types: option.only === 'voice' ? VOICE_CHANNEL_TYPES : CHANNEL_TYPES }
      : {}),
  };
};

const actionOf = (wording: Wording, { name, options }: CommandInfo) => ({
  ...wording.described((locale) => wording.infoIn(locale, name)?.summary, `/${name}`),
  options: options
    .toSorted((a, b) => Number(b.required) - Number(a.required))
    .map((option) => optionOf(wording, name, option)),
});

const slash = (wording: Wording, name: string, group: readonly CommandInfo[]): CommandBody => {
  const { infoIn, named, described } = wording;
  const [only] = group;
  const common = {
    type: ApplicationCommandType.ChatInput,
    name,
    ...named(`commands.${name}.name`),
    ...reach(group),
  };
  if (only?.name === name) return { ...common, ...actionOf(wording, only) };
  return {
    ...common,
    ...described((locale) => only && infoIn(locale, only.name)?.summary, `/${name}`),
    options: group.map((info) => {
      const action = info.name.slice(name.length + 1);
      return {
        type: ApplicationCommandOptionType.Subcommand,
        name: action,
        ...named(`commands.${name}.${action}.name`),
        ...actionOf(wording, info),
      };
    }),
  };
};

const menu = ({ localisedNames, infoIn }: Wording, info: CommandInfo): CommandBody => {
  const what = `the menu's name of /${info.name}`;
  return {
    type: ApplicationCommandType.Message,
    name: checked(info.menu ?? '', MENU_NAME_CHARS, what),
    ...localisedNames((locale) => {
      const label = infoIn(locale, info.name)?.menu;
      return label && checked(label, MENU_NAME_CHARS, what);
    }),
    ...reach([info]),
  };
};

/** Characters that count towards a command's limit: of each text, its longest language. */
const sizeOf = (value: unknown): number => {
  if (Array.isArray(value)) return value.reduce((sum: number, each) => sum + sizeOf(each), 0);
  if (typeof value !== 'object' || value === null) return 0;
  const fields = value as Readonly<Record<string, unknown>>;
  const longest = (name: string): number =>
    [fields[name], ...Object.values(fields[`${name}_localizations`] ?? {})].reduce(
      (most: number, text) => Math.max(most, typeof text === 'string' ? text.length : 0),
      0,
    );
  const own = longest('name') + longest('description') + longest('value');
  return own + sizeOf(fields['options']) + sizeOf(fields['choices']);
};

/**
 * All slash commands and entries of the menu of messages, in all languages. Throws an `AppError`
 * (`config`) that names the text that Discord would not take.
 */
export const buildCommands = (source: CommandSource): readonly CommandBody[] => {
  const wording = createWording(source);
  const { infos } = wording;
  const groups = Map.groupBy(infos, ({ name }) => name.split(' ', 1)[0] as string);
  const bodies = [
    ...[...groups].map(([name, group]) => slash(wording, name, group)),
    ...infos.filter((info) => info.menu !== undefined).map((info) => menu(wording, info)),
  ];
  for (const body of bodies) {
    if (body.type === ApplicationCommandType.ChatInput && !COMMAND_NAME.test(body.name))
      throw fault(`the name of /${body.name}`);
    if (sizeOf(body) > COMMAND_TEXTS_CHARS)
      throw fault(`/${body.name}: its texts have over ${COMMAND_TEXTS_CHARS} characters together`);
  }
  return bodies;
};
