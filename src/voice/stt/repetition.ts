import { isLetter, isSpacedLetter } from '../../text/letters.ts';

/** What is longer than this is not looked at: nobody says as much in one utterance. */
const LONGEST = 2_000;
const LONGEST_UNIT_WORDS = 20;
/** A loop is all of a line but some words before it or after it. */
const LOOP_SHARE = 0.6;

/** Letters of scripts with spaces, and signs of scripts without, which say more each. */
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

/** Words; of scripts without spaces, signs. */
const unitsOf = (bare: string): string[] => {
  const units: string[] = [];
  let word = '';
  const endWord = (): void => {
    if (word !== '') units.push(word);
    word = '';
  };
  for (const char of bare.slice(0, LONGEST)) {
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
 * How often a line says the same words one time after another, where that is most of the line; 1
 * where it does not. `bare`: without punctuation and case.
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

/** How many words (signs) a line has, if all of them are among those of `others`; otherwise 0. */
export const countOnlyFrom = (bare: string, others: readonly string[]): number => {
  const units = unitsOf(bare);
  const known = new Set(others.flatMap(unitsOf));
  return units.every((unit) => known.has(unit)) ? units.length : 0;
};
