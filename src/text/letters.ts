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
 * Table of ASCII letters, the most frequent characters; a pattern with Unicode classes takes ten
 * times as long.
 */
const asciiLetters = Array.from({ length: 128 }, (_, code) =>
  letter.test(String.fromCharCode(code)),
);

/** A letter, digit or mark. */
export const isLetter = (char: string): boolean =>
  asciiLetters[char.charCodeAt(0)] ?? letter.test(char);

/** A letter, digit or mark of a script that puts spaces between words. */
export const isSpacedLetter = (char: string): boolean =>
  asciiLetters[char.charCodeAt(0)] ?? (letter.test(char) && !unspaced.test(char));

/** True for Korean script, which attaches particles to the word before them. */
export const isHangul = (char: string): boolean => hangul.test(char);
