/** Follows a counter of `bits` bits that wraps: each value becomes the number nearest to the last one. */
export const createUnwrap = (bits: number): ((value: number) => number) => {
  const period = 2 ** bits;
  let last: number | undefined;
  return (value) => {
    if (last === undefined) last = value;
    else {
      const ahead = (((value - last) % period) + period) % period;
      last += ahead < period / 2 ? ahead : ahead - period;
    }
    return last;
  };
};

/** Which of numbered packets have come. */
export interface Arrivals {
  /**
   * By how many more are missing since this one came: −1 where it was; undefined: it came before. `counter`
   * grows with each packet of the connection, whatever its sender does.
   */
  note(sequence: number, counter: number): number | undefined;
}

/** Two seconds; what is later than that is of no use. */
const REMEMBERED = 128;
/** RFC 3550 appendix A.1: before one that is further ahead not all others were lost. */
const MOST_MISSING = 3_000;

const slotOf = (sequence: number): number => ((sequence % REMEMBERED) + REMEMBERED) % REMEMBERED;

export const createArrivals = (): Arrivals => {
  const last: number[] = [];
  let first: number | undefined;
  let newest = 0;
  let lastCounter = 0;
  return {
    note: (sequence, counter) => {
      const isFar = sequence <= newest - REMEMBERED || sequence > newest + MOST_MISSING;
      // Far away, and sent after the others: its sender began anew. Otherwise it is sent again.
      if (first === undefined || (isFar && counter > lastCounter)) {
        first = sequence;
        newest = sequence - 1;
      } else if (isFar) return undefined;
      const slot = slotOf(sequence);
      if (last[slot] === sequence) return undefined;
      last[slot] = sequence;
      lastCounter = counter;
      if (sequence > newest) {
        const missing = sequence - newest - 1;
        newest = sequence;
        return missing;
      }
      // What came before the first one was not missed.
      return sequence < first ? 0 : -1;
    },
  };
};

export interface Budget {
  /** Counts one, or says that there were too many lately. */
  take(): boolean;
}

/** So many in any such time. */
export const createBudget = (most: number, windowMs: number, nowMs: () => number): Budget => {
  let taken: number[] = [];
  return {
    take: () => {
      const now = nowMs();
      taken = taken.filter((at) => now - at < windowMs);
      if (taken.length >= most) return false;
      taken.push(now);
      return true;
    },
  };
};
