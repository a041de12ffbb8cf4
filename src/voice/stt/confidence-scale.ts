/** The confidence of a recogniser's long clear lines on the common scale. */
const USUAL = 0.8;
/** The same as a recogniser says it, until that is known: between those that say 0.7 and 0.85. */
const ASSUMED = 0.75;
const FEWEST_LINES = 5;
const MOST_LINES = 41;

/**
 * Creates the scale of a recogniser's confidence, from 0 to 1: one gives to long clear lines 0.7 what
 * another calls 0.9.
 */
export const createConfidenceScale = () => {
  let lines: readonly number[] = [];
  let usual = ASSUMED;
  return {
    /** Takes the confidence of a long line that was shown. */
    learn: (confidence: number): void => {
      lines = [...lines, confidence].slice(-MOST_LINES);
      if (lines.length < FEWEST_LINES) return;
      usual = lines.toSorted((a, b) => a - b)[Math.trunc(lines.length / 2)] ?? ASSUMED;
    },
    /** A confidence on the common scale. */
    of: (confidence: number): number =>
      usual === 0 ? 1 : Math.min(1, confidence * (USUAL / usual)),
  };
};
