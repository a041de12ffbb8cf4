import { splitSentences, splitText } from '../../text/split/split.ts';

/** Shorter texts are spoken in one go: they are soon made, and sound better so. */
const LONGEST_WHOLE_UNITS = 120;
/** Enough to speak while the rest is made. */
const SHORTEST_FIRST_UNITS = 40;
const LONGEST_FIRST_CODE_POINTS = 160;
/** Some twenty seconds. */
const LONGEST_CODE_POINTS = 300;

const audible = /[\p{L}\p{N}]/u;

/** Whether there is anything in a text to speak. */
export const isAudible = (text: string): boolean => audible.test(text);

/**
 * The parts that a text is made into speech in: the first sentence, or as many as it takes to be worth
 * it, so that it is heard early; then what fits. Joined they are the text, white space apart.
 */
export const segmentsOf = (text: string): string[] => {
  if (text.length <= LONGEST_WHOLE_UNITS) return isAudible(text) ? [text] : [];
  let opening = '';
  for (const sentence of splitSentences(text)) {
    if (opening.length >= SHORTEST_FIRST_UNITS) break;
    opening += sentence;
  }
  const [first = ''] = splitText(opening, LONGEST_FIRST_CODE_POINTS);
  return [first, ...splitText(text.slice(first.length), LONGEST_CODE_POINTS)]
    .map((segment) => segment.trim())
    .filter(isAudible);
};
