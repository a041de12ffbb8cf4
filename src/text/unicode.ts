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

/**
 * Table of the letters among the first characters, the most frequent ones, none of which is of a
 * script without spaces; a pattern with Unicode classes takes ten times as long.
 */
const firstLetters = Array.from({ length: 0x250 }, (_, code) =>
  letter.test(String.fromCharCode(code)),
);

/** A text without the spaces at its end, as far as they are on its last line. */
export const withoutSpacesAfter = (written: string): string => {
  const kept = written.trimEnd();
  const lost = written.slice(kept.length);
  return kept + lost.slice(0, lost.lastIndexOf('\n') + 1);
};

/** A letter, digit or mark. */
export const isLetter = (char: string): boolean =>
  firstLetters[char.charCodeAt(0)] ?? letter.test(char);

/** A letter, digit or mark of a script that puts spaces between words. */
export const isSpacedLetter = (char: string): boolean =>
  firstLetters[char.charCodeAt(0)] ?? (letter.test(char) && !unspaced.test(char));

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
