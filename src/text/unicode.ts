import { withoutEmoji } from './plain-spans.ts';

const letter = /[\p{L}\p{N}\p{M}]/u;
const unspaced =
  /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Bopo}ー]/u;
const hangul = /\p{sc=Hang}/u;

/** The code point that ends before `at`, or ''. */
export const charBefore = (text: string, at: number): string => {
  const low = text.charCodeAt(at - 1);
  const paired = (low & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 2) & 0xfc00) === 0xd800;
  return text.slice(Math.max(0, at - (paired ? 2 : 1)), at);
};

/** The code point that begins at `at`, or ''. */
export const charAfter = (text: string, at: number): string => {
  const code = text.codePointAt(at);
  return code === undefined ? '' : String.fromCodePoint(code);
};

const LETTER = 1;
const SPACED = 2;
const UNKNOWN = 4;
/**
 * Kind of each UTF-16 unit as bits, looked up when it first occurs: a pattern with Unicode classes
 * takes ten times as long. Surrogates have none.
 */
const kinds = new Uint8Array(0x1_0000).fill(UNKNOWN);

const kindOf = (char: string): number => {
  if (!letter.test(char)) return 0;
  return unspaced.test(char) ? LETTER : LETTER | SPACED;
};

const kindOfUnit = (unit: number): number => {
  const known = kinds[unit] as number;
  return known === UNKNOWN ? (kinds[unit] = kindOf(String.fromCharCode(unit))) : known;
};

const kindOfChar = (char: string): number =>
  char.length === 1 ? kindOfUnit(char.charCodeAt(0)) : kindOf(char);

/** A text without the spaces at its end, as far as they are on its last line. */
export const withoutSpacesAfter = (written: string): string => {
  const trimmed = written.trimEnd();
  const lost = written.slice(trimmed.length);
  return trimmed + lost.slice(0, lost.lastIndexOf('\n') + 1);
};

/** A letter, digit or mark. */
export const isLetter = (char: string): boolean => (kindOfChar(char) & LETTER) !== 0;

/** A letter, digit or mark of a script that puts spaces between words. */
export const isSpacedLetter = (char: string): boolean => (kindOfChar(char) & SPACED) !== 0;

/** The same for a UTF-16 unit; false for each half of a character of two. */
export const isSpacedUnit = (unit: number): boolean => (kindOfUnit(unit) & SPACED) !== 0;

/** True for Korean script, which attaches particles to the word before them. */
export const isHangul = (char: string): boolean => hangul.test(char);

/** Counts Unicode code points; a lone surrogate counts as one. */
export const countCodePoints = (text: string): number => {
  let count = text.length;
  for (let at = 0; at < text.length - 1; at += 1) {
    if ((text.charCodeAt(at) & 0xfc00) !== 0xd800) continue;
    if ((text.charCodeAt(at + 1) & 0xfc00) !== 0xdc00) continue;
    count -= 1;
    at += 1;
  }
  return count;
};

// U+2800 is the blank Braille cell: invisible, yet no white space in Unicode.
const visible = /[^\s\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}\u2800]/u;
const meaning = /[\p{L}\p{N}]/u;

/** True when nothing is visible: empty, white space, controls, zero-width and format characters. */
export const isBlank = (text: string): boolean => !visible.test(text);

/** The end of the last visible character; everything after it is blank. */
export const visibleEnd = (text: string): number => {
  let end = text.length;
  while (end > 0) {
    const sign = charBefore(text, end);
    if (visible.test(sign)) break;
    end -= sign.length;
  }
  return end;
};

/**
 * True when a text is only emoji, custom emoji, shortcodes, punctuation and space; true of blank
 * text too.
 */
export const isEmojiOnly = (text: string): boolean => !meaning.test(withoutEmoji(text));
