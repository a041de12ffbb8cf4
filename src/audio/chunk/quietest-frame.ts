/** The length of a pause between sentences, over which loudness is summed. */
const PAUSE_MS = 300;

/**
 * Finds the place to cut a run of equal frames: the middle of the quietest 300 ms that begin at
 * `from` or later; of equally quiet ones the last. `loudness` has one value per frame, in any unit.
 */
export const quietestFrame = (
  loudness: readonly number[],
  from: number,
  frameMs: number,
): number => {
  const width = Math.max(1, Math.round(PAUSE_MS / frameMs));
  let sum = 0;
  let best = Infinity;
  let cut = loudness.length;
  for (let end = from; end < loudness.length; end += 1) {
    sum += loudness[end]!;
    if (end - from >= width) sum -= loudness[end - width]!;
    if (end - from < width - 1 || sum > best) continue;
    best = sum;
    cut = end + 1 - Math.ceil(width / 2);
  }
  return cut;
};
