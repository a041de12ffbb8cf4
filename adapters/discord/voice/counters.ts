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
  /** By how many more are missing since this one came: −1 where it was; undefined: it came before. */
  note(sequence: number): number | undefined;
}

/** Two seconds; what is later than that is of no use. */
const REMEMBERED = 128;

const slotOf = (sequence: number): number => ((sequence % REMEMBERED) + REMEMBERED) % REMEMBERED;

export const createArrivals = (): Arrivals => {
  const last: number[] = [];
  let first: number | undefined;
  let newest = 0;
  return {
    note: (sequence) => {
      if (first === undefined) {
        first = sequence;
        newest = sequence - 1;
      }
      const slot = slotOf(sequence);
      if (last[slot] === sequence || sequence <= newest - REMEMBERED) return undefined;
      last[slot] = sequence;
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
