import { isBlank } from '../unicode.ts';
import { spokenLaughter } from './spoken-laughter.ts';
import { spokenNumbers } from './spoken-numbers.ts';

const audible = /[\p{L}\p{N}]/u;

/** A row of exclamation and question marks is one mark. */
const oneMark = (row: string): string => (/[?？]/.test(row) ? '?' : '!');

/** In this order; none of them touches numbers. */
const SHORTENED: readonly (readonly [RegExp, string | ((found: string) => string)])[] = [
  // Faces made of signs, which a voice would spell.
  [
    /(?<!\S)(?:[:;]['’]?-?[DPpOo3SsXx)(\][|/\\*]{1,4}|[TQtq]_[TQtq]|[oO0]_[oO0]|\^_*\^|>_<|-_-)(?!\S)/g,
    '',
  ],
  // Four, for there are Roman numbers and German compounds with three.
  [/(\p{L})\1{3,}/giu, '$1$1'],
  [/(\p{L}{2,3})\1{3,}/giu, '$1$1$1'],
  [/(?<![\p{L}\p{N}])(\p{L}{1,30})(?:[ ,]{1,3}\1){3,}(?![\p{L}\p{N}])/giu, '$1 $1 $1'],
  // Strokes through letters, and more marks than a script has, are ornament.
  [/[\u0334-\u0338]/g, ''],
  [/(\p{M}{2})\p{M}+/gu, '$1'],
  [/[!?！？]{2,}/gu, oneMark],
  [/\.{4,}|…{2,}/g, '…'],
  [/([-_=*#~〜・/\\|^])\1{2,}/g, ' '],
  // Markers that have no partner say nothing either.
  [/\*{2,}|_{2,}|~{2,}|\|{2,}|`+/g, ' '],
  [/(?<=[\p{L}\p{N}])_(?=[\p{L}\p{N}])/gu, ' '],
  [/[^\S\n]+/g, ' '],
  [/ ?\n[\s]*/g, '\n'],
  [/ ([,.;:!?、。！？…])/g, '$1'],
];

/** Engines spell short words in capitals, and there are no such abbreviations from this length on. */
const longCapitals = /(?<![\p{L}\p{N}])\p{Lu}{6,}(?![\p{L}\p{N}])/gu;
const capitals = /(?<![\p{L}\p{N}])\p{Lu}{2,}(?![\p{L}\p{N}])/gu;
const SHOUTED_WORDS = 3;

/** Words in capitals as words; in a text that is all capitals, the short ones too. */
const withoutShouting = (text: string): string => {
  const isShouted =
    !/[\p{Ll}\p{Lo}]/u.test(text) && (text.match(capitals)?.length ?? 0) >= SHOUTED_WORDS;
  return text.replaceAll(isShouted ? capitals : longCapitals, (word) => word.toLowerCase());
};

/** Keys, hashes and the like: letters and digits mixed, too long for a word. */
const unreadable = /(?<![\w-])(?=[A-Za-z_-]*\d)(?=[\d_-]*[A-Za-z])[\w-]{24,}(?![\w-])/g;

export interface SpokenWordsOptions {
  /** The voice's language, for laughter. */
  readonly locale?: string | undefined;
  /** Said for rows of signs that no one can read. */
  readonly code?: string | undefined;
}

/**
 * Words as a voice can read them: laughter as it sounds, what is drawn out shortened, shouting in small
 * letters, telephone numbers and rows of over eight digits digit by digit. Lines stay lines, other white
 * space is one space. Empty when nothing is left to say; what it gives it leaves as it is.
 */
export const spokenWords = (words: string, { locale, code = '' }: SpokenWordsOptions): string => {
  let spoken = spokenLaughter(words, locale).replaceAll(unreadable, ` ${code} `);
  spoken = withoutShouting(spokenNumbers(spoken));
  for (const [pattern, shorter] of SHORTENED)
    spoken =
      typeof shorter === 'string'
        ? spoken.replaceAll(pattern, shorter)
        : spoken.replaceAll(pattern, shorter);
  const trimmed = spoken.trim();
  return isBlank(trimmed) || !audible.test(trimmed) ? '' : trimmed;
};
