import type { Clock } from './clock.ts';

/**
 * Creates a look at something slow: taken once at a time, its result counts for a while, also where it
 * rejects.
 */
export const createCachedLook = <T>(
  look: () => Promise<T>,
  keptMs: number,
  { nowMs }: Pick<Clock, 'nowMs'>,
): (() => Promise<T>) => {
  let last: { readonly atMs: number; readonly result: Promise<T> } | undefined;
  let isUnderWay = false;
  const begin = async (): Promise<T> => {
    isUnderWay = true;
    try {
      return await look();
    } finally {
      isUnderWay = false;
    }
  };
  return () => {
    if (!last || (!isUnderWay && nowMs() - last.atMs >= keptMs))
      last = { atMs: nowMs(), result: begin() };
    return last.result;
  };
};
