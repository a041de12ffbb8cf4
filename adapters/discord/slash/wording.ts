import { Locale, type LocalizationMap } from 'discord.js';
import type { CommandInfo, OptionInfo } from '../../../src/model/command-info.ts';
import { AppError } from '../../../src/errors.ts';
import type { Texts } from '../../../src/i18n/texts.ts';
import { PLATFORM } from '../ids.ts';
import { COMMAND_NAME, DESCRIPTION_CHARS } from '../limits.ts';

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

  const said = (locale: string, command: string): CommandInfo | undefined =>
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
    said,
    optionIn: (locale: string, command: string, option: string): OptionInfo | undefined =>
      said(locale, command)?.options.find(({ name }) => name === option),
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
