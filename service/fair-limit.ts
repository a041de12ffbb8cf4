import { addTo } from './count.ts';

/**
 * The most that a key may hold, as a multiple of what nobody holds: three quarters if it is alone. The rest
 * is there at once for a key that comes.
 */
const TIMES_FREE = 3;

/** An amount that keys share, such as bytes or places: none can hold so much that others find nothing. */
export const createFairLimit = (total: number) => {
  const held = new Map<string, number>();
  let free = total;
  return {
    /** The amount that nobody holds. */
    get free(): number {
      return free;
    },
    /** True when a key may hold this much more. */
    hasRoom: (key: string, amount: number): boolean =>
      amount <= free && (held.get(key) ?? 0) < TIMES_FREE * free,
    /** Adds to what a key holds; what it gives back is negative. */
    add: (key: string, amount: number): void => {
      free -= amount;
      addTo(held, key, amount);
    },
  };
};
