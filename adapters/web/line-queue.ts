import type { LogEntry } from './channel-log.ts';
import { WEB_LIMITS } from './limits.ts';

/** One line on its way into the languages that it is not in yet. */
export interface LineJob {
  readonly entry: LogEntry;
  readonly languages: readonly string[];
  /** True for a line that was just posted, false for one that somebody who came later catches up on. */
  readonly isNew: boolean;
}

export interface LineQueueDeps {
  /** True once nobody can see the line any more: its turn is passed over. */
  readonly isGone: (entry: LogEntry) => boolean;
  /** Never rejects. */
  readonly run: (job: LineJob, signal: AbortSignal) => Promise<void>;
}

/** The lines that wait, in their order, and those that are worked on. */
interface Lines {
  readonly waiting: readonly LineJob[];
  readonly working: readonly LineJob[];
}

/** The lines after as many as may be worked on at once were begun; those that are gone are passed over. */
export const nextLines = ({ waiting, working }: Lines, isGone: LineQueueDeps['isGone']): Lines => {
  const seen = waiting.filter(({ entry }) => !isGone(entry));
  const free = WEB_LIMITS.linesAtOnce - working.length;
  if (free <= 0) return { waiting, working };
  return { waiting: seen.slice(free), working: [...working, ...seen.slice(0, free)] };
};

/** Creates the queue of lines: it works on few at once and lets few wait. */
export const createLineQueue = ({ isGone, run }: LineQueueDeps) => {
  let lines: Lines = { waiting: [], working: [] };
  const running = new Map<LineJob, { readonly abort: AbortController; done: Promise<void> }>();

  /** Works on a line until it is done, and then begins the next ones. */
  async function finish(job: LineJob, signal: AbortSignal): Promise<void> {
    await run(job, signal);
    running.delete(job);
    lines = { ...lines, working: lines.working.filter((each) => each !== job) };
    proceed();
  }

  /** Begins the lines whose turn has come. */
  function proceed(): void {
    lines = nextLines(lines, isGone);
    for (const job of lines.working)
      if (!running.has(job)) {
        const abort = new AbortController();
        const work = { abort, done: Promise.resolve() };
        running.set(job, work);
        work.done = finish(job, abort.signal);
      }
  }

  const abortWhere = (isMeant: (job: LineJob) => boolean): void => {
    lines = { ...lines, waiting: lines.waiting.filter((job) => !isMeant(job)) };
    for (const [job, { abort }] of running) if (isMeant(job)) abort.abort();
  };
  const isFull = (): boolean => lines.waiting.length >= WEB_LIMITS.linesWaiting;

  return {
    /** False when too many wait already. */
    add: (job: LineJob): boolean => {
      if (isFull())
        lines = { ...lines, waiting: lines.waiting.filter(({ entry }) => !isGone(entry)) };
      if (isFull()) return false;
      lines = { ...lines, waiting: [...lines.waiting, job] };
      proceed();
      return true;
    },
    /** Number of a member's new lines that wait or are worked on. */
    of: (memberId: string): number =>
      [...lines.waiting, ...lines.working].filter(
        ({ isNew, entry }) => isNew && entry.message.author.id === memberId,
      ).length,
    /** Ends the work on a member's lines, those that wait included. */
    drop: (memberId: string): void =>
      abortWhere(({ entry }) => entry.message.author.id === memberId),
    /** Ends the work on lines that nobody can see any more. */
    dropGone: (): void => abortWhere(({ entry }) => isGone(entry)),
    [Symbol.asyncDispose]: async () => {
      abortWhere(() => true);
      await Promise.allSettled([...running.values()].map(({ done }) => done));
    },
  };
};
