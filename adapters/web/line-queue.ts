import type { Entry } from './channel-log.ts';
import { WEB_LIMITS } from './limits.ts';

/** One line on its way into the languages that it is not in yet. */
export interface LineJob {
  readonly entry: Entry;
  readonly languages: readonly string[];
  /** True on its way to those who are there, not to somebody who came later. */
  readonly isNew: boolean;
}

/** Works on few lines at once and lets few wait. */
export interface LineQueue extends AsyncDisposable {
  /** False when too many wait already. */
  add(job: LineJob): boolean;
  /** Number of a member's new lines that wait or are worked on. */
  of(memberId: string): number;
}

export interface LineQueueDeps {
  /** True once nobody can see the line any more: its turn is passed over. */
  readonly isGone: (entry: Entry) => boolean;
  /** Never rejects. */
  readonly run: (job: LineJob) => Promise<void>;
}

export const createLineQueue = ({ isGone, run }: LineQueueDeps): LineQueue => {
  let waiting: LineJob[] = [];
  const working = new Map<LineJob, Promise<void>>();

  const start = async (job: LineJob): Promise<void> => {
    await run(job);
    working.delete(job);
    next();
  };

  const next = (): void => {
    while (working.size < WEB_LIMITS.linesAtOnce) {
      const job = waiting.shift();
      if (!job) return;
      if (!isGone(job.entry)) working.set(job, start(job));
    }
  };

  return {
    add: (job) => {
      if (waiting.length >= WEB_LIMITS.linesWaiting)
        waiting = waiting.filter(({ entry }) => !isGone(entry));
      if (waiting.length >= WEB_LIMITS.linesWaiting) return false;
      waiting.push(job);
      next();
      return true;
    },
    of: (memberId) =>
      [...waiting, ...working.keys()].filter(
        ({ isNew, entry }) => isNew && entry.message.author.id === memberId,
      ).length,
    [Symbol.asyncDispose]: async () => {
      waiting = [];
      await Promise.allSettled(working.values());
    },
  };
};
