import { createRequire } from 'node:module';

/** The languages with names of emoji: Unicode CLDR's, as emojibase has them. */
export const EMOJI_LANGUAGES =
  'bn da de en en-gb es es-mx et fi fr hi hu it ja ko lt ms nb nl pl pt ru sv th uk vi zh zh-hant'.split(
    ' ',
  );

/** Tags whose names are in the file of another. */
const SAME_NAMES: Readonly<Record<string, string>> = {
  no: 'nb',
  nn: 'nb',
  'zh-tw': 'zh-hant',
  'zh-hk': 'zh-hant',
  'zh-mo': 'zh-hant',
  'es-419': 'es-mx',
};

const load = createRequire(import.meta.url);

/** The file that has the names in a language; undefined where there is none. */
const fileFor = (locale: string): string | undefined => {
  const [language = '', ...rest] = locale.toLowerCase().split(/[-_]/);
  return [`${language}-${rest[0] ?? ''}`, language]
    .map((tag) => SAME_NAMES[tag] ?? tag)
    .find((tag) => EMOJI_LANGUAGES.includes(tag));
};

// Variation selectors and skin tones do not change the name.
const variation = /\uFE0F|\p{EMod}/gu;

/**
 * The name of an emoji in a language; '' where there is none. A sequence without a name has that of
 * its first emoji. Names are loaded with the first emoji in a language: 45 kB, about 1 ms.
 */
export const emojiName = (emoji: string, locale: string | undefined): string => {
  const file = locale === undefined ? undefined : fileFor(locale);
  if (file === undefined) return '';
  // Node keeps what it has loaded.
  const names = load(`./emoji/${file}.json`) as Readonly<Record<string, string>>;
  const sign = emoji.replaceAll(variation, '');
  return names[sign] ?? names[sign.split('\u200D')[0] ?? ''] ?? '';
};
