/** Growth after which a reply is judged again, in UTF-16 units and as a share. */
const LEAST_CHARS = 16;
const LEAST_SHARE = 0.02;

/**
 * True where a reply that comes in pieces is worth judging, and showing, again: to judge the whole of
 * it at each piece would take time that grows with the square of its length.
 *
 * @param judgedChars UTF-16 units that were judged last; 0: none
 */
export const hasGrown = (judgedChars: number, chars: number): boolean =>
  judgedChars === 0 || chars >= judgedChars + Math.max(LEAST_CHARS, LEAST_SHARE * judgedChars);
