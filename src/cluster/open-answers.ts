import { randomUUID } from 'node:crypto';
import { MINUTE_MS, type Clock } from '../async/clock.ts';
import type { OpenAnswerStore } from '../store/open-answers.ts';
import type { Processes } from '../ports/processes.ts';
import type { KeepOpenAnswers } from '../ports/store.ts';
import { logFailure, type Log } from '../telemetry/log.ts';
import { holdLease } from './held-lease.ts';

export interface OpenAnswersDeps extends Pick<Processes, 'isAlone' | 'leases'> {
  readonly stored: OpenAnswerStore;
  readonly log: Log;
  readonly clock: Clock;
}

/** Time between two looks for processes that have ended: an address is good for some minutes. */
const LOOK_EVERY_MS = MINUTE_MS;

/** The set of the lease that a process holds while its answers may come. */
const setOf = (process: string): string => `answers ${process}`;

/** Creates what keeps the answers that are awaited, and tells askers of those whose process has ended. */
export const createOpenAnswers = ({
  stored,
  leases,
  isAlone,
  log,
  clock,
}: OpenAnswersDeps): KeepOpenAnswers => {
  const here = randomUUID();
  return (platform, tell) => {
    const over = new AbortController();
    let cancel: (() => void) | undefined;
    let lease: AsyncDisposable | undefined;

    const tellOf = async (process: string): Promise<void> => {
      if (!isAlone && (await leases.isAnyHeld(setOf(process)))) return;
      // Nobody waits for them: the platform may not answer.
      for (const answer of await stored.take(platform, process))
        void logFailure(log, 'somebody could not be told that an answer was interrupted', () =>
          tell(answer),
        );
    };
    const look = async (): Promise<void> => {
      for (const process of await stored.processes(platform))
        if (process !== here && !over.signal.aborted) await tellOf(process);
    };
    const lookAgain = async (): Promise<void> => {
      await logFailure(log, 'interrupted answers could not be looked for', look);
      if (!isAlone && !over.signal.aborted)
        cancel = clock.after(LOOK_EVERY_MS, () => void lookAgain());
    };

    return {
      begin: (awaited) => {
        const id = randomUUID();
        const kept = logFailure(log, 'an awaited answer could not be kept', () =>
          stored.put({ id, platform, process: here, ...awaited }),
        );
        const end = async (): Promise<void> => {
          await kept;
          await logFailure(log, 'an answer could not be noted', () => stored.end(id));
        };
        return () => void end();
      },
      resume: async () => {
        if (!isAlone) lease ??= await holdLease(leases, `${setOf(here)}:${platform}`, clock);
        cancel?.();
        await lookAgain();
      },
      [Symbol.asyncDispose]: async () => {
        over.abort();
        cancel?.();
        await lease?.[Symbol.asyncDispose]();
      },
    };
  };
};
