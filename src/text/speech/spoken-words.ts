import { inWholeWords } from '../chat-words/chat-words.ts';
import { isLocale } from '../language/language-names.ts';
import { isBlank } from '../unicode.ts';
import { spokenAbbreviations } from './spoken-abbreviations.ts';
import { spokenAmounts } from './spoken-amounts.ts';
import { spokenDates } from './spoken-dates.ts';
import { spokenLaughter } from './spoken-laughter.ts';
import { spokenOrdinals } from './spoken-ordinals.ts';
import { spokenRanges, spokenDecades, spokenFractions, spokenSigns } from './spoken-signs.ts';

/** Runs of digits longer than any number in use, which are identifiers. */
const longRun = /\d{9,}/g;
/** Longest run that is read: listeners cannot follow more. */
const MOST_DIGITS = 24;

/**
 * Telephone numbers: with a country code, in the groups of North America, or with the zero of long
 * distance and nine digits. Groups of one digit are the output of this function.
 */
const phone =
  /(?<![\d.,+])(?:0\d{2,4}(?:[ /-]\d{6,8}|[ /-]\d{3,4}[ /-]\d{3,4})|\+\d{1,3}(?:[ ./-]?\(?\d{2,6}\)?){2,5}|\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4})(?![\d.,]*\d)/g;

const spelled = (digits: string): string => Array.from(digits.slice(0, MOST_DIGITS)).join(' ');

const spelledGroups = (number: string): string => {
  const groups = number.match(/\d+/g) ?? [];
  return `${number.startsWith('+') ? '+' : ''}${groups.map(spelled).join(', ')}`;
};

/**
 * Spaces out telephone numbers and runs of over eight digits, to be read digit by digit; other
 * numbers are kept.
 */
export const spokenNumbers = (text: string): string =>
  text.replaceAll(phone, spelledGroups).replaceAll(longRun, spelled);

const audible = /[\p{L}\p{N}]/u;

/** The one mark that replaces a run of exclamation and question marks. */
const oneMark = (row: string): string => (/[?？]/.test(row) ? '?' : '!');

/** Replacements that shorten text, in this order; none of them touches numbers. */
const SHORTENED: readonly (readonly [RegExp, string | ((found: string) => string)])[] = [
  // Emoticons, which a voice would spell.
  [
    /(?<!\S)(?:[:;]['’]?-?[DPpOo3SsXx)(\][|/\\*]{1,4}|[TQtq]_[TQtq]|[oO0]_[oO0]|\^_*\^|>_<|-_-)(?!\S)/g,
    '',
  ],
  [/(\p{L}{2,3})\1{3,}/giu, '$1$1$1'],
  [/(?<![\p{L}\p{N}])(\p{L}{1,30})(?:[ ,]{1,3}\1){3,}(?![\p{L}\p{N}])/giu, '$1 $1 $1'],
  // Combining strokes, and more marks than any script needs, are ornament.
  [/[\u0334-\u0338]/g, ''],
  [/(\p{M}{2})\p{M}+/gu, '$1'],
  [/[!?！？]{2,}/gu, oneMark],
  [/\.{4,}|…{2,}/g, '…'],
  [/([-_=*#~〜・/\\|^])\1{2,}/g, ' '],
  // Markers without a partner mean nothing.
  [/\*{2,}|_{2,}|~{2,}|\|{2,}|`+/g, ' '],
  [/(?<=[\p{L}\p{N}])_(?=[\p{L}\p{N}])/gu, ' '],
  [/[^\S\n]+/g, ' '],
  [/ ?\n[\s]*/g, '\n'],
  [/ ([,.;:!?、。，،！？…])/g, '$1'],
];

/** Words in capitals that are too long for abbreviations; engines spell short ones. */
const longCapitals = /(?<![\p{L}\p{N}])\p{Lu}{6,}(?![\p{L}\p{N}])/gu;
const capitals = /(?<![\p{L}\p{N}])\p{Lu}{2,}(?![\p{L}\p{N}])/gu;
const SHOUTED_WORDS = 3;

/** Puts words in capitals into lower case; short ones too where the whole text is in capitals. */
const withoutShouting = (text: string): string => {
  const isShouted =
    !/[\p{Ll}\p{Lo}]/u.test(text) && (text.match(capitals)?.length ?? 0) >= SHOUTED_WORDS;
  return text.replaceAll(isShouted ? capitals : longCapitals, (word) => word.toLowerCase());
};

const NAME = String.raw`[a-z][\w:-]{0,30}`;
const ATTRIBUTE = String.raw`\s+${NAME}=(?:"[^"<>]{0,300}"|'[^'<>]{0,300}')`;
/** Elements of SSML and HTML, which are for programs; a `<name>` that is none of them is read. */
const element = new RegExp(
  String.raw`<(?:/${NAME}\s*|${NAME}(?:${ATTRIBUTE}){0,10}\s*/|${NAME}(?:${ATTRIBUTE}){1,10}\s*|speak|break|emphasis|prosody|[bipsu]|br|em|strong)>`,
  'gi',
);

/** Keys, hashes and the like: letters and digits mixed, too long for a word. */
const unreadable = /(?<![\w-])(?=[A-Za-z_-]*\d)(?=[\d_-]*[A-Za-z])[\w-]{24,}(?![\w-])/g;

/** Readers of what is written in figures and signs, in this order, with what they look for. */
const READERS: readonly (readonly [RegExp, (text: string, locale: string) => string])[] = [
  [/\p{L}/u, spokenAbbreviations],
  [/[-−–+*×÷<>=≤≥≠&|~#]|\d ?[ap]\.?m/, spokenSigns],
  [/\d[–~〜～-]\d/, spokenRanges],
  [/[\d–~〜・/&、,-]| (?:and|und|et|y|e|i|и) /, spokenDates],
  [/\d/, spokenOrdinals],
  [/\d/, spokenDecades],
  [/[\d½⅓⅔¼¾]/, spokenFractions],
  [/\d/, spokenAmounts],
];

/**
 * Makes words readable for a voice: laughter in the voice's language, the spellings of chat and
 * repeated letters as words, capitals in lower case, and abbreviations, signs, dates, money and
 * measures in words; telephone numbers and runs of over eight digits digit by digit; no elements of
 * SSML. Line breaks are kept, other white space becomes one space. Empty when nothing is left to
 * read; its own output is left unchanged.
 *
 * @param locale the voice's language, for laughter, dates and amounts
 * @param code words for unreadable strings
 */
export const spokenWords = (words: string, locale: string | undefined, code = ''): string => {
  const laughing = spokenLaughter(words.replaceAll(element, ' '), locale);
  const whole = inWholeWords(laughing, locale);
  // A chat word may stand for laughter.
  let spoken = (whole === laughing ? whole : spokenLaughter(whole, locale)).replaceAll(
    unreadable,
    ` ${code} `,
  );
  if (locale !== undefined && isLocale(locale))
    for (const [sign, read] of READERS) if (sign.test(spoken)) spoken = read(spoken, locale);
  spoken = withoutShouting(spokenNumbers(spoken));
  for (const [pattern, shorter] of SHORTENED)
    spoken =
      typeof shorter === 'string'
        ? spoken.replaceAll(pattern, shorter)
        : spoken.replaceAll(pattern, shorter);
  const trimmed = spoken.trim();
  return isBlank(trimmed) || !audible.test(trimmed) ? '' : trimmed;
};
