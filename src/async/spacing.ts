import { createLru } from './lru.ts';

const KEYS = 5_000;

/**
 * Creates turns for each key: `burst` at once, then one each `everyMs`. Taking a turn gives the wait until it comes, in
 * ms; turns are not given back.
 *
 * @param nowMs monotonic time
 */
export const createSpacing = (
  nowMs: () => number,
  { everyMs, burst = 1 }: { readonly everyMs: number; readonly burst?: number },
) => {
  /** The time at which all turns that were taken are over, had they come one each `everyMs`. */
  const ends = createLru<string, number>(KEYS);
  return (key: string): number => {
    const at = nowMs();
    const end = Math.max(at, ends.get(key) ?? 0);
    ends.set(key, end + everyMs);
    return Math.max(0, end - (burst - 1) * everyMs - at);
  };
};
