import { type WordUnit, wordUnits } from './word-units.ts';

/** Number of units with which both texts begin. */
const countSame = (a: readonly WordUnit[], b: readonly WordUnit[]): number => {
  const parted = a.findIndex(({ bare }, index) => bare !== b[index]?.bare);
  return parted < 0 ? a.length : parted;
};

/**
 * Creates a local agreement: text on which two successive recognitions agree is certain, whatever
 * their capitals and commas; recognisers put a full stop wherever the audio breaks off.
 */
export const createLocalAgreement = () => {
  let certain = '';
  let shown: readonly WordUnit[] = [];
  let before: readonly WordUnit[] = [];
  return {
    /** Takes the text of the next recognition; returns all certain text, which never shrinks. */
    add: (text: string): string => {
      const units = wordUnits(text);
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
    .map((text, at, all) => (at === 0 || UNSPACED.test(all[at - 1]!) ? text : ` ${text}`))
    .join('');
