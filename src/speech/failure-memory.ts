import type { AppError } from '../errors.ts';

/** A backend that fails is asked again after this; what a voice cannot do, it will not learn soon. */
const PASSING_MS = 300_000;
const LASTING_MS = 6 * 3_600_000;
const ENTRIES = 2_000;

export interface FailureMemory {
  has(way: string): boolean;
  add(way: string, error: AppError): void;
}

/** Remembers which ways of asking failed, so that the next request does not find out again. */
export const createFailureMemory = (now: () => number): FailureMemory => {
  const untilMs = new Map<string, number>();
  return {
    has: (way) => (untilMs.get(way) ?? Number.NEGATIVE_INFINITY) > now(),
    add(way, error) {
      const [oldest] = untilMs.keys();
      if (untilMs.size >= ENTRIES && oldest !== undefined) untilMs.delete(oldest);
      untilMs.set(way, now() + (error.retryable ? PASSING_MS : LASTING_MS));
    },
  };
};
