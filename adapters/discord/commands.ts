import {
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ApplicationIntegrationType,
  ChannelType,
  InteractionContextType,
  PermissionFlagsBits,
  type LocalizationMap,
} from 'discord.js';
import type { CommandInfo, OptionInfo } from '../../src/command.ts';
import { AppError } from '../../src/errors.ts';
import type { Texts } from '../../src/i18n.ts';
import { PLATFORM } from './ids.ts';
import { localisedIn } from './locales.ts';

/** A command as Discord takes it (reference, "Application Command Object"). */
export type CommandBody = Readonly<Record<string, unknown>> & {
  readonly name: string;
  readonly type: ApplicationCommandType;
};

export interface CommandSource {
  readonly texts: Texts;
  readonly commands: (locale: string, platform: string) => readonly CommandInfo[];
}

const NAME = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;
const DESCRIPTION_LIMIT = 100;
const MENU_LIMIT = 32;
const CHOICE_LIMIT = 100;
const TREE_LIMIT = 8_000;
const TEXT_LIMIT = 6_000;

const KINDS: Readonly<Record<OptionInfo['kind'], ApplicationCommandOptionType>> = {
  text: ApplicationCommandOptionType.String,
  integer: ApplicationCommandOptionType.Integer,
  number: ApplicationCommandOptionType.Number,
  boolean: ApplicationCommandOptionType.Boolean,
  attachment: ApplicationCommandOptionType.Attachment,
  channel: ApplicationCommandOptionType.Channel,
};

/** Where people write. */
const CHANNEL_TYPES = [
  ChannelType.GuildText,
  ChannelType.GuildVoice,
  ChannelType.GuildStageVoice,
  ChannelType.GuildAnnouncement,
  ChannelType.AnnouncementThread,
  ChannelType.PublicThread,
  ChannelType.PrivateThread,
  ChannelType.GuildForum,
];

const fault = (what: string): AppError => new AppError('config', `Discord would refuse ${what}`);

const checked = (text: string, limit: number, what: string): string => {
  const length = Array.from(text).length;
  if (length === 0 || length > limit)
    throw fault(`${what}: it has ${length} characters, 1 to ${limit} may be`);
  return text;
};

/** Where a command can be used, and by whom. */
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

/** Says the texts of the commands for registration, in every locale that there is. */
const createBuilder = ({ texts, commands }: CommandSource) => {
  const locales = localisedIn(texts);
  const infos = new Map(
    ['en', ...locales.map(([, locale]) => locale)].map((locale) => [
      locale,
      new Map(commands(locale, PLATFORM).map((info) => [info.name, info])),
    ]),
  );
  const said = (locale: string, command: string): CommandInfo | undefined =>
    infos.get(locale)?.get(command);

  /** What `of` says in each locale where that differs from English. */
  const localised = (of: (locale: string) => string | undefined): LocalizationMap | undefined => {
    const english = of('en');
    const found = locales.flatMap(([discord, locale]) => {
      const text = of(locale);
      return text === undefined || text === english ? [] : [[discord, text] as const];
    });
    return found.length > 0 ? Object.fromEntries(found) : undefined;
  };

  /** A name that is no name to Discord is left out; the plain one serves. */
  const names = (key: string): { name_localizations?: LocalizationMap } => {
    const map = localised((locale) => {
      const name = texts.has(key) ? texts.in(locale)(key) : '';
      return NAME.test(name) && name === name.toLowerCase() ? name : undefined;
    });
    return map ? { name_localizations: map } : {};
  };

  const described = (of: (locale: string) => string | undefined, what: string) => {
    const all = (locale: string): string | undefined => {
      const text = of(locale);
      return text && checked(text, DESCRIPTION_LIMIT, `the description of ${what} in ${locale}`);
    };
    const map = localised(all);
    return {
      description: all('en') ?? '',
      ...(map ? { description_localizations: map } : {}),
    };
  };

  const optionIn = (locale: string, command: string, option: string): OptionInfo | undefined =>
    said(locale, command)?.options.find(({ name }) => name === option);

  const choicesOf = (command: string, option: OptionInfo) =>
    option.choices?.map(({ value, label }) => {
      const map = localised(
        (locale) =>
          optionIn(locale, command, option.name)?.choices?.find((each) => each.value === value)
            ?.label,
      );
      return {
        name: checked(label, CHOICE_LIMIT, `a choice of /${command} ${option.name}`),
        value,
        ...(map ? { name_localizations: map } : {}),
      };
    });

  const optionOf = (command: string, option: OptionInfo) => {
    const { name, kind, minimum, maximum, maxLength } = option;
    const choices = choicesOf(command, option);
    return {
      type: KINDS[kind],
      name,
      ...names(`options.names.${name}`),
      ...described((locale) => optionIn(locale, command, name)?.description, `/${command} ${name}`),
      required: option.required,
      ...(choices ? { choices } : {}),
      ...(option.autocompletes ? { autocomplete: true } : {}),
      ...(minimum === undefined ? {} : { min_value: minimum }),
      ...(maximum === undefined ? {} : { max_value: maximum }),
      ...(maxLength === undefined || kind !== 'text'
        ? {}
        : { max_length: Math.min(maxLength, TEXT_LIMIT) }),
      ...(kind === 'channel' ? { channel_types: CHANNEL_TYPES } : {}),
    };
  };

  const actionOf = ({ name, options }: CommandInfo) => ({
    ...described((locale) => said(locale, name)?.summary, `/${name}`),
    options: options
      .toSorted((a, b) => Number(b.required) - Number(a.required))
      .map((option) => optionOf(name, option)),
  });

  const slash = (name: string, group: readonly CommandInfo[]): CommandBody => {
    const [only] = group;
    const common = {
      type: ApplicationCommandType.ChatInput,
      name,
      ...names(`commands.${name}.name`),
      ...reach(group),
    };
    if (only?.name === name) return { ...common, ...actionOf(only) };
    return {
      ...common,
      ...described(
        (locale) => group.map((info) => said(locale, info.name)?.summary)[0],
        `/${name}`,
      ),
      options: group.map((info) => {
        const action = info.name.slice(name.length + 1);
        return {
          type: ApplicationCommandOptionType.Subcommand,
          name: action,
          ...names(`commands.${name}.${action}.name`),
          ...actionOf(info),
        };
      }),
    };
  };

  const menu = (info: CommandInfo): CommandBody => {
    const map = localised((locale) => {
      const label = said(locale, info.name)?.menu;
      return label && checked(label, MENU_LIMIT, `the menu's name of /${info.name}`);
    });
    return {
      type: ApplicationCommandType.Message,
      name: checked(info.menu ?? '', MENU_LIMIT, `the menu's name of /${info.name}`),
      ...(map ? { name_localizations: map } : {}),
      ...reach([info]),
    };
  };

  return { slash, menu, infos: [...(infos.get('en')?.values() ?? [])] };
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
  const { slash, menu, infos } = createBuilder(source);
  const groups = Map.groupBy(infos, ({ name }) => name.split(' ', 1)[0] as string);
  const bodies = [
    ...[...groups].map(([name, group]) => slash(name, group)),
    ...infos.filter((info) => info.menu !== undefined).map(menu),
  ];
  for (const body of bodies) {
    if (body.type === ApplicationCommandType.ChatInput && !NAME.test(body.name))
      throw fault(`the name of /${body.name}`);
    if (sizeOf(body) > TREE_LIMIT)
      throw fault(`/${body.name}: its texts have over ${TREE_LIMIT} characters together`);
  }
  return bodies;
};
