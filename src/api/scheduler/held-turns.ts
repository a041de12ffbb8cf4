/** Time for which a turn may be used after its moment. */
const LATE_MS = 250;

/** Creates the turns that a process was given: at the moment of each it may send one request. */
export const createHeldTurns = () => {
  let turnsMs: number[] = [];
  return {
    count: (): number => turnsMs.length,
    firstMs: (): number | undefined => turnsMs[0],
    middleMs: (): number | undefined => turnsMs[turnsMs.length >> 1],
    add: (givenMs: readonly number[]): void => {
      turnsMs.push(...givenMs);
    },
    /** Uses the first one; returns false where there is none. */
    use: (): boolean => turnsMs.shift() !== undefined,
    /** Drops those whose time is over; returns their number. */
    dropLate: (nowMs: number): number => {
      const before = turnsMs.length;
      turnsMs = turnsMs.filter((turnMs) => turnMs >= nowMs - LATE_MS);
      return before - turnsMs.length;
    },
    clear: (): void => {
      turnsMs = [];
    },
  };
};
