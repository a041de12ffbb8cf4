import { ServiceError } from '../api/service-error.ts';
import type { AppError } from '../errors.ts';
import { attemptId, type SynthesisAttempt } from './attempts.ts';

/** Time after which a failed backend is tried again; what a voice cannot do lasts longer. */
const PASSING_MS = 300_000;
const LASTING_MS = 6 * 3_600_000;
const ENTRIES = 2_000;

export interface FailureMemory {
  has(id: string): boolean;
  /**
   * Remembers that `failed` failed where `succeeded` spoke the same text. A refusal (400) counts
   * only when the same voice then spoke the text: otherwise the voice may not support the text.
   */
  add(failed: SynthesisAttempt, error: AppError, succeeded: SynthesisAttempt): void;
  forget(id: string): void;
}

export const createFailureMemory = (now: () => number): FailureMemory => {
  const untilMs = new Map<string, number>();
  return {
    has: (id) => (untilMs.get(id) ?? Number.NEGATIVE_INFINITY) > now(),
    add(failed, error, succeeded) {
      const isRefusal = error instanceof ServiceError && error.status === 400;
      if (isRefusal && failed.voice.id !== succeeded.voice.id) return;
      const [oldest] = untilMs.keys();
      if (untilMs.size >= ENTRIES && oldest !== undefined) untilMs.delete(oldest);
      untilMs.set(attemptId(failed), now() + (error.retryable ? PASSING_MS : LASTING_MS));
    },
    forget: (id) => void untilMs.delete(id),
  };
};
