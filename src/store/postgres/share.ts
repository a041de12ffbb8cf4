import { sleep, waitUntil, type Clock } from '../../async/clock.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Leases, Share, ShareOptions, Tenure, Work } from '../../ports/processes.ts';
import { END_WAIT_MS } from './lease-rows.ts';
import { type SetChanges, membersOf, type SetRows } from './sets.ts';

/** The set that a process shares, and what it does with its part; see `Leases.share`. */
export interface ShareRequest {
  readonly set: string;
  readonly size: number;
  readonly work: (tenure: Tenure) => Work;
  readonly options: ShareOptions;
}

export interface ShareDeps {
  readonly rows: SetRows;
  readonly owner: string;
  readonly acquire: Leases['acquire'];
  readonly changes: SetChanges;
  /** Functions that hear what the holder of a name is told, by the name. */
  readonly hearers: Map<string, (message: string) => void>;
  readonly log: Log;
  readonly clock: Clock;
  readonly random: () => number;
}

/** Longest wait between two looks of a process that lacks names. */
const LOOK_MS = 1_000;
/** Processes that look once in `LOOK_MS` each; with more, each looks less often. */
const LOOKING = 200;
/** Time between two answers to a change, over all processes. */
const SPREAD_MS = 1;

interface Working {
  readonly tenure: Tenure;
  readonly work: Work;
  /** Time of the clock from which on it may be given to another process. */
  readonly holdUntilMs: number;
}

/** The part of a set that falls to one of its processes: equal, the first ones have one more. */
export const partOf = (size: number, members: number, before: number): number =>
  Math.floor(size / members) + (before < size % members ? 1 : 0);

/** Holds this process's part of a set of names; see `Leases.share`. */
export const shareNames = (
  { set: name, size, work: begin, options }: ShareRequest,
  { rows, owner, acquire, changes, hearers, log, clock, random }: ShareDeps,
): Share => {
  const { holdMs = 0, joinMs = 0, isEnding = false } = options;
  const set = `${name}:`;
  const closing = new AbortController();
  const working = new Map<string, Working>();
  const watch = changes.watch(set);

  const forget = (tenure: Tenure): void => {
    if (working.get(tenure.name)?.tenure !== tenure) return;
    working.delete(tenure.name);
    hearers.delete(tenure.name);
  };

  const start = async (tenure: Tenure): Promise<void> => {
    // The answer came too late.
    if (!tenure.isHeld() || closing.signal.aborted) return tenure.release();
    // What is told from now on is heard; the work itself begins with what is stored.
    const work = begin(tenure);
    working.set(tenure.name, { tenure, work, holdUntilMs: clock.nowMs() + holdMs });
    hearers.set(tenure.name, (message) => work.hear(message));
    tenure.signal.addEventListener('abort', () => forget(tenure), { once: true });
  };

  const give = async ({ tenure, work }: Working): Promise<void> => {
    await work[Symbol.asyncDispose]();
    forget(tenure);
    await tenure.release();
  };

  /** Gives back those names that were taken first, at most so many. */
  const giveBack = async (most: number): Promise<void> => {
    const longest = [...working.values()].slice(0, most);
    await Promise.all(longest.filter((each) => each.holdUntilMs <= clock.nowMs()).map(give));
  };

  /** Claims names, at most so many; resolves with their number. */
  const claim = async (most: number): Promise<number> => {
    const tenures = await rows.claim(set, most);
    await Promise.all(tenures.map(start));
    return tenures.length;
  };

  /**
   * Claims or gives back names, as this process's part asks for. Resolves with the longest time until the next look.
   *
   * @param tells true where others are to be told that this process lacks names, which they may have to give
   */
  const look = async (tells: boolean): Promise<number> => {
    const counted = await rows.count(set);
    if (!counted || counted.members === 0) return LOOK_MS;
    if (counted.ended > 0) await rows.end(set);
    watch.spread(counted.members * SPREAD_MS);
    const lacking = partOf(size, counted.members, counted.before) - working.size;
    if (lacking < 0) await giveBack(-lacking);
    if (lacking > 0 && (await claim(lacking)) < lacking) {
      if (tells && !changes.isAnnounced(set)) await rows.tell(set);
      return LOOK_MS;
    }
    return LOOK_MS * Math.max(1, counted.members / LOOKING);
  };

  /** Looks again and again while this process counts among those that share the set. */
  const takePart = async (member: Tenure): Promise<void> => {
    const ended = AbortSignal.any([closing.signal, member.signal]);
    let isWoken = false;
    while (member.isHeld()) {
      // Who was told of a change tells of none in turn.
      const forMs = await look(!isWoken);
      isWoken = await watch.next(forMs * (0.5 + random() / 2), ended);
      closing.signal.throwIfAborted();
    }
  };

  /** Resolves when no process takes part in the set. */
  const othersEnded = async (): Promise<void> => {
    for (;;) {
      const counted = await rows.count(set);
      if (counted?.members === 0) return;
      await watch.next(LOOK_MS * (0.5 + random() / 2), closing.signal);
      closing.signal.throwIfAborted();
    }
  };

  const run = async (): Promise<void> => {
    let isMade = false;
    let hasJoined = false;
    while (!closing.signal.aborted) {
      try {
        if (!isMade) await rows.make(set, size);
        isMade = true;
        if (isEnding) await othersEnded();
        // A process whose own lease ended counts no more, and asks for no part until it has it again.
        const member = await acquire(`${membersOf(set)}${owner}`, closing.signal);
        try {
          if (!hasJoined && joinMs > 0) await sleep(clock, joinMs, closing.signal);
          hasJoined = true;
          await takePart(member);
        } finally {
          await member.release();
        }
      } catch (err) {
        if (closing.signal.aborted) break;
        log.debug({ err, set }, 'leases could not be shared');
        await watch.next(LOOK_MS, closing.signal);
      }
    }
  };
  const running = run();

  return {
    // As it counts no more among those that share the set, the others take what is free.
    stopClaiming: () => closing.abort(),
    [Symbol.asyncDispose]: async () => {
      closing.abort();
      // What is claimed by then, or later, is released at once.
      await waitUntil(clock, clock.nowMs() + END_WAIT_MS, running);
      watch[Symbol.dispose]();
      await Promise.all([...working.values()].map(give));
    },
  };
};
