import { sleep, type Clock } from '../../async/clock.ts';
import { createLru, type Lru } from '../../async/lru.ts';
import { AppError } from '../../errors.ts';
import type { SignalTopic } from '../../ports/store.ts';

/** Longest wait for a process that is alive; one that is not counts no more once its lease ends. */
const APPLY_MS = 15_000;
const CHECK_MS = 500;
/** Most processes of which is known what they applied of a topic. */
const MOST_APPLIED = 2_000;

/** The number of changes of a topic, which grows in the order of their commits. */
export interface Revision {
  readonly topic: SignalTopic;
  readonly revision: number;
}

/** The last change that a process has applied, with all that came before. */
export interface Applied extends Revision {
  readonly by: string;
}

export interface ConfirmationsDeps {
  /** The names of the other processes that are alive. */
  readonly findOthers: () => Promise<readonly string[]>;
  /** Has the processes that have not applied a change look for it; they confirm it once more. */
  readonly ask: (change: Revision) => Promise<void>;
  readonly clock: Clock;
}

/** Creates what knows which changes other processes have applied. */
export const createConfirmations = ({ findOthers, ask, clock }: ConfirmationsDeps) => {
  const applied = new Map<SignalTopic, Lru<string, number>>();
  const waiting = new Set<() => void>();

  return {
    hear: ({ by, topic, revision }: Applied): void => {
      const known = applied.get(topic) ?? createLru<string, number>(MOST_APPLIED);
      applied.set(topic, known);
      known.set(by, Math.max(revision, known.get(by) ?? 0));
      for (const wake of waiting) wake();
    },
    /** Forgets what was confirmed of a topic whose revisions may have gone back; of all without one. */
    forget: (topic?: SignalTopic): void => {
      if (topic === undefined) applied.clear();
      else applied.delete(topic);
    },
    /** Resolves when every other process that is alive has applied a change. Rejects with `unavailable`. */
    byAll: async (change: Revision): Promise<void> => {
      const { topic, revision } = change;
      const latestMs = clock.nowMs() + APPLY_MS;
      for (;;) {
        const alive = await findOthers();
        const isMissing = (): boolean =>
          alive.some((other) => (applied.get(topic)?.get(other) ?? 0) < revision);
        if (!isMissing()) return;
        if (clock.nowMs() > latestMs)
          throw new AppError('unavailable', 'a process has not applied a change in time', {
            retryable: true,
          });
        const woken = new AbortController();
        const wake = (): void => {
          if (!isMissing()) woken.abort();
        };
        waiting.add(wake);
        await sleep(clock, CHECK_MS, woken.signal).catch(() => undefined);
        waiting.delete(wake);
        // What was said while this connection was away is lost.
        if (isMissing()) await ask(change).catch(() => undefined);
      }
    },
  };
};
