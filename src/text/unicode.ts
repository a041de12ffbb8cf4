import { withoutEmoji } from './emoji.ts';
import { charBefore } from './letters.ts';

/** Replaces lone surrogates by U+FFFD, as UTF-8 encoders do. */
export const toWellFormed = (text: string): string => text.toWellFormed();

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
