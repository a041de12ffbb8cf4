import { isLetter, isSpacedLetter } from './unicode.ts';

/** A word of a text, or a character of a script without spaces, with its end in UTF-16 units. */
interface Unit {
  readonly bare: string;
  readonly end: number;
}

const mark = /^\p{M}/u;

/** The units of a text, without case; punctuation is none, for recognisers put a full stop wherever the audio breaks off. */
const unitsOf = (text: string): readonly Unit[] => {
  const units: Unit[] = [];
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

/** Number of units with which both texts begin. */
const countSame = (a: readonly Unit[], b: readonly Unit[]): number => {
  const parted = a.findIndex(({ bare }, index) => bare !== b[index]?.bare);
  return parted < 0 ? a.length : parted;
};

/**
 * Creates a local agreement: text on which two successive recognitions agree is certain, whatever
 * their capitals and commas.
 */
export const createLocalAgreement = () => {
  let certain = '';
  let shown: readonly Unit[] = [];
  let before: readonly Unit[] = [];
  return {
    /** Takes the text of the next recognition; returns all certain text, which never shrinks. */
    add: (text: string): string => {
      const units = unitsOf(text);
      const agreed = units.slice(0, countSame(units, before));
      before = units;
      if (agreed.length > shown.length && countSame(shown, agreed) === shown.length) {
        const from = agreed[shown.length - 1]?.end ?? 0;
        certain += text.slice(from, agreed.at(-1)?.end);
        shown = agreed;
      }
      return certain;
    },
  };
};

/** Scripts without spaces between words. */
const UNSPACED = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}]$/u;

/** Joins recognised texts in their order, with a space where the script before it has spaces. */
export const joinTexts = (texts: readonly string[]): string =>
  texts
    .filter((text) => text !== '')
    .reduce((all, text) => (all === '' || UNSPACED.test(all) ? all + text : `${all} ${text}`), '');
