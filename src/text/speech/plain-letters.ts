import { indicatorLetters } from './spoken-emoji.ts';
import { withoutEmoji } from '../plain-spans.ts';

/**
 * Letters and digits in another shape, which Unicode's compatibility form makes plain: mathematical
 * and full-width ones, ligatures, circled ones, superscript letters, half-width kana, presentation
 * forms of Arabic, units in one sign. Not powers, fractions, Korean letters and East Asian marks,
 * which that form would spoil.
 */
const SHAPED =
  /[\u{1D400}-\u{1D7FF}\uFF10-\uFF19\uFF21-\uFF3A\uFF41-\uFF5A\uFF65-\uFF9F\u2460-\u24FF\u{1F110}-\u{1F14F}\u2102\u2107\u210A-\u2115\u2119-\u211D\u2124-\u2138\u2145-\u2149\u2160-\u217F\uFB00-\uFB06\uFB50-\uFDFB\uFE70-\uFEFC\u3250\u32C0-\u33FF\u02B0-\u02B8\u02E0-\u02E4\u1D2C-\u1D6A\u1D78\u1D9B-\u1DBF\u2071\u207F\u2090-\u209C\u2C7C\u2C7D]+/gu;
/** Signs that begin no compatibility form, in rows from A to Z. */
const ROWS_OF_LETTERS = [0x1f150, 0x1f170] as const;
const BLOCK_LETTERS = /(?:[\u{1F150}-\u{1F169}\u{1F170}-\u{1F189}]\uFE0F?)/gu;
/** Letters of one word set apart, as in `Ｗ Ｏ Ｗ`. */
const SET_APART =
  /(?<![\p{L}\p{N}])[\uFF21-\uFF3A\uFF41-\uFF5A](?:[ \u3000][\uFF21-\uFF3A\uFF41-\uFF5A]){2,}(?![\p{L}\p{N}])/gu;

/** The plain letter of each Latin small capital, which NFKC keeps. */
export const SMALL_CAPITALS: Readonly<Record<string, string>> = Object.fromEntries(
  Array.from('ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡʏᴢ', (sign, index) => [
    sign,
    'abcdefghijklmnopqrstuvwyz'[index] ?? '',
  ]),
);
const SMALL = Object.keys(SMALL_CAPITALS).join('');
/** Words of small capitals; `s`, `x` and some others have none of their own. Not phonetic script. */
const smallWord = new RegExp(
  `(?<![\\p{L}\\p{M}])(?=[sxqǫ]*[${SMALL}])[${SMALL}sxqǫ]{2,}(?![\\p{L}\\p{M}])`,
  'gu',
);

/** Words of regional indicators, adjacent or set apart by spaces; rows of flags are none. */
const indicatorWord = /(?<!\p{RI})(?:\p{RI}{3,}|\p{RI}(?:[ \u200B]\p{RI})+)(?!\p{RI})/gu;
const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
const isFlags = (row: string): boolean =>
  /^(?:\p{RI}{2})+$/u.test(row) &&
  (row.match(/\p{RI}{2}/gu) ?? []).every(
    (pair) => regions.of(indicatorLetters(pair)) !== undefined,
  );

/** A digit on a key; several are one number. */
const keycap = /(\d)\uFE0F?\u20E3(?=(\p{L})?)/gu;

const blockLetter = (sign: string): string => {
  const code = sign.codePointAt(0) ?? 0;
  const first = code >= ROWS_OF_LETTERS[1] ? ROWS_OF_LETTERS[1] : ROWS_OF_LETTERS[0];
  return String.fromCharCode(65 + code - first);
};

const anyFancy = /[^\0-\u024F\u0370-\u1CFF\u2000-\u201F\u3000-\u3247\u3400-\uD7FF]/u;

/** Replaces letters and digits of fancy shapes, which voices spell by their names, by plain ones. */
export const plainLetters = (text: string): string => {
  if (!anyFancy.test(text)) return text;
  return text
    .replaceAll(SET_APART, (word) => word.replaceAll(/[ \u3000]/g, ''))
    .replaceAll(keycap, (_, digit: string, letter?: string) => (letter ? `${digit} ` : digit))
    .replaceAll(SHAPED, (signs) => signs.normalize('NFKC'))
    .replaceAll(BLOCK_LETTERS, blockLetter)
    .replaceAll(smallWord, (word) =>
      word.replaceAll(/\P{ASCII}/gu, (sign) => SMALL_CAPITALS[sign] ?? 'q'),
    )
    .replaceAll(indicatorWord, (row) =>
      isFlags(row) ? row : indicatorLetters(row.replaceAll(/[ \u200B]/g, '')),
    );
};

const LONGEST_CODE_POINTS = 40;
const letters = /\p{L}/u;

/** Replacements that make a name readable, in this order. */
const CLEANED: readonly (readonly [RegExp, string])[] = [
  // Combining strokes, and more marks than any script needs, are ornament.
  [/[\u0334-\u0338]/g, ''],
  [/(\p{M}{2})\p{M}+/gu, '$1'],
  [/[^\p{L}\p{M}\p{N}'’. -]+/gu, ' '],
  // As in `xX name Xx`.
  [/^\s*x+ (.*) x+\s*$/giu, '$1'],
  [/(\p{Ll})(?=\p{Lu})/gu, '$1 '],
  [/(\p{L})\1{3,}/giu, '$1$1'],
  [/[.'’-]{2,}|(?<![\p{L}\p{N}])[.'’-]+|[.'’-]+(?![\p{L}\p{N}])/gu, ' '],
  [/\s+/gu, ' '],
];
const digitRuns = /\p{N}{3,}/gu;

/**
 * A person's name for a voice to read: plain letters instead of fancy ones, no emoji, symbols or
 * runs of digits, at most 40 code points; '' where nothing is left.
 */
export const spokenName = (name: string): string => {
  const start = Array.from(name.toWellFormed())
    .slice(0, LONGEST_CODE_POINTS * 4)
    .join('');
  let spoken = withoutEmoji(plainLetters(start).normalize('NFKC'));
  if (letters.test(spoken)) spoken = spoken.replaceAll(digitRuns, ' ');
  else if (spoken.replaceAll(/\P{N}/gu, '').length > 4) return '';
  for (const [pattern, replacement] of CLEANED) spoken = spoken.replaceAll(pattern, replacement);
  return Array.from(spoken).slice(0, LONGEST_CODE_POINTS).join('').trim();
};
