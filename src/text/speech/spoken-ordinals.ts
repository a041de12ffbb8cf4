import { perKey, wordsOf } from './language-words.ts';
import { monthsIn } from './spoken-dates.ts';

const NUMBER = String.raw`(?:[1-9]|[12]\d|3[01])`;

/**
 * A number with a stop before a noun, which has a capital: at the start of a line, after an article or
 * a preposition, and before a month.
 */
const ordinalsFor = perKey((locale) => {
  const { ordinals } = wordsOf(locale, 'words');
  const before = String.raw`(?:(am|im|vom|zum|zur|den|dem|des|bis|seit|ab)|(der|die|das)) `;
  const written = String.raw`(?:^[ \t]*|(?<![\p{L}\d])${before}|(?<![\d.,:/]|\d )(?=${NUMBER}\. +${monthsIn(locale)}))(${NUMBER})\. +(?=\p{Lu}\p{Ll})`;
  return ordinals && { stems: ordinals.split('|'), pattern: new RegExp(written, 'gmu') };
});
const numberedLine = /^[ \t]*\d+\. /gm;

/**
 * Replaces ordinals of languages that write them as a number and a stop (`5. Oktober`) by words. The
 * numbers of a list are kept.
 */
export const spokenOrdinals = (text: string, locale: string): string => {
  const ordinals = ordinalsFor(locale);
  if (!ordinals) return text;
  const isList = (text.match(numberedLine)?.length ?? 0) > 1;
  return text.replaceAll(
    ordinals.pattern,
    (written, oblique?: string, article?: string, number?: string) => {
      const before = oblique ?? article;
      const stem = `${before === undefined ? '' : `${before} `}${ordinals.stems[Number(number) - 1]}`;
      if (before === undefined) return isList ? written : `${stem}er `;
      return `${stem}${oblique === undefined ? 'e' : 'en'} `;
    },
  );
};
