import { isLetter, isSpacedLetter } from './unicode.ts';

/** A word of a text, or a character of a script without spaces, with its end in UTF-16 units. */
export interface WordUnit {
  /** The word in lower case. */
  readonly bare: string;
  readonly end: number;
}

const mark = /^\p{M}/u;

/** The words of a text, or its characters in scripts without spaces; punctuation is none. */
export const wordUnits = (text: string): readonly WordUnit[] => {
  const units: WordUnit[] = [];
  let end = 0;
  let isOpen = false;
  for (const char of text) {
    const isSpaced = isSpacedLetter(char);
    const last = units.at(-1);
    const bare = char.toLowerCase();
    end += char.length;
    if (last && end - char.length === last.end && (mark.test(char) || (isSpaced && isOpen)))
      units[units.length - 1] = { bare: last.bare + bare, end };
    else if (isLetter(char)) {
      units.push({ bare, end });
      isOpen = isSpaced;
    }
  }
  return units;
};
