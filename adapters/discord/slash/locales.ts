import { Locale } from 'discord.js';
import type { Texts } from '../../../src/i18n.ts';

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
export const localisedIn = (
  texts: Pick<Texts, 'pick' | 'locales'>,
): readonly [Locale, string][] => {
  const [standard] = texts.locales;
  return Object.values(Locale).flatMap((locale): [Locale, string][] => {
    const picked = texts.pick([localeOf(locale), locale]);
    return picked === standard ? [] : [[locale, picked]];
  });
};
