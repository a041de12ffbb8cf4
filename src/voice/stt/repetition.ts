import { isLetter, isSpacedLetter } from '../../text/letters.ts';

/** Text beyond this length is ignored: nobody says as much in one utterance. */
const LONGEST_CHARS = 2_000;
const LONGEST_UNIT_WORDS = 20;
/** A loop is all of a transcript but some words before or after it. */
const LOOP_SHARE = 0.6;

/** Counts letters of scripts with spaces, and signs of scripts without, which each say more. */
export const countLetters = (
  text: string,
): { readonly letters: number; readonly signs: number } => {
  let letters = 0;
  let signs = 0;
  for (const char of text)
    if (isSpacedLetter(char)) letters += 1;
    else if (isLetter(char)) signs += 1;
  return { letters, signs };
};

/** Splits a text into words; in scripts without spaces, into signs. */
const unitsOf = (bare: string): string[] => {
  const units: string[] = [];
  let word = '';
  const endWord = (): void => {
    if (word !== '') units.push(word);
    word = '';
  };
  for (const char of bare.slice(0, LONGEST_CHARS)) {
    if (isSpacedLetter(char)) {
      word += char;
      continue;
    }
    endWord();
    if (isLetter(char)) units.push(char);
  }
  endWord();
  return units;
};

/**
 * Counts how often a transcript repeats the same words in a row, where that is most of it; 1 where it does
 * not. `bare`: without punctuation and case.
 */
export const longestLoop = (bare: string): number => {
  const units = unitsOf(bare);
  let most = 1;
  const longestUnit = Math.min(LONGEST_UNIT_WORDS, Math.floor(units.length / 2));
  for (let period = 1; period <= longestUnit; period += 1) {
    let run = 0;
    for (let at = period; at < units.length; at += 1) {
      run = units[at] === units[at - period] ? run + 1 : 0;
      if (run + period < units.length * LOOP_SHARE) continue;
      most = Math.max(most, Math.floor(run / period) + 1);
    }
  }
  return most;
};

/** Counts the words (signs) of a transcript if all of them are among those of `others`; otherwise 0. */
export const countOnlyFrom = (bare: string, others: readonly string[]): number => {
  const units = unitsOf(bare);
  const known = new Set(others.flatMap(unitsOf));
  return units.every((unit) => known.has(unit)) ? units.length : 0;
};
