import { orAborted } from '../async/abort.ts';
import { realClock, sleep } from '../async/clock.ts';
import type { Channel } from '../model/place.ts';
import type { Hold } from './catch-up-holds.ts';
import { createFollows, joinComing, joinSlow, type Follow } from './follows.ts';
import { createMissedReader, type MissedDeps, type MissedReading } from './missed-reader.ts';

/** Longest wait before another try of a history for which messages wait too. */
const PATIENCE_MS = 1_000;
/** Time within which messages that were left out of a history are reported; they are looked for otherwise. */
const REPORTED_MS = 10_000;
/** Times that a hold is kept for the reports that came meanwhile. */
const MOST_ROUNDS = 3;
/** Age of a watch of which every process knows. */
const NEW_MS = 60_000;
/**
 * Messages of a channel that wait while its history is fetched; more are fetched with the history
 * instead.
 */
const MOST_HELD = 1_000;

export interface BackfillDeps extends MissedDeps {
  /** Holds the work on the messages of linked channels; undefined for a channel that is not linked. */
  readonly hold: (channel: Channel) => Hold | undefined;
  /** Resolves once this process’s hold of a channel is in effect everywhere; at once where it has none. */
  readonly inEffect: (channel: Channel) => Promise<void>;
}

/**
 * Handles one reported message.
 *
 * @param isWhole true when everything before this report is in the inbox
 */
type Report = (isWhole: boolean) => Promise<void>;

interface ReportOptions {
  /** True for a report that the history can replace. */
  readonly isReplaceable: boolean;
  /** Position of the message. */
  readonly position?: string | undefined;
}

export type Backfill = ReturnType<typeof createBackfill>;

export const createBackfill = (deps: BackfillDeps) => {
  const { platforms, hold, inEffect } = deps;
  const readMissed = createMissedReader(deps);
  const stopping = new AbortController();
  const follows = createFollows(stopping.signal);

  /** Reads once what was missed; resolves as the reader does. */
  const look = (
    follow: Follow,
    channel: Channel,
    reading: Pick<MissedReading, 'attempt' | 'newest' | 'until' | 'isLinked'>,
    leftOut: MissedReading['leftOut'] = () => undefined,
  ): Promise<number | undefined> =>
    readMissed(channel, {
      ...reading,
      leftOut,
      isAwaited: () => follow.held > 0,
      signal: follow.signal,
    });

  /**
   * Goes on fetching while messages are handled as they come.
   *
   * @param until the last position that is wanted; undefined for all
   */
  const lookOn = (
    follow: Follow,
    channel: Channel,
    firstWaitMs: number,
    until?: string,
  ): Promise<boolean> => {
    follow.isWhole = false;
    if (joinSlow(follow, until)) return follow.slow;
    const coming = { until };
    follow.slowComing = coming;
    follow.looks += 1;
    const run = async (waited: Promise<unknown>): Promise<boolean> => {
      try {
        await waited;
        await sleep(realClock, firstWaitMs, follow.signal);
        follow.slowComing = undefined;
        for (let attempt = 1; ; attempt += 1) {
          const waitMs = await look(follow, channel, { attempt, until: coming.until });
          if (waitMs === undefined) break;
          await sleep(realClock, waitMs, follow.signal);
        }
        follow.isWhole = follow.slowComing === undefined;
        return true;
      } finally {
        follow.looks -= 1;
      }
    };
    follow.slow = run(follow.slow).catch(() => false);
    return follow.slow;
  };

  /** Reads the history again up to the messages that were left out of it, unless all of them are reported soon. */
  const lookForLeftOut = async (follow: Follow, channel: Channel): Promise<void> => {
    await sleep(realClock, REPORTED_MS, follow.signal).catch(() => undefined);
    const last = [...follow.leftOut].toSorted().at(-1);
    follow.leftOut.clear();
    if (last !== undefined && !follow.signal.aborted) void lookOn(follow, channel, 0, last);
  };

  /**
   * Ends a hold once the history is read, and the reports that waited for it are handled: those of
   * linked channels, which waited for no history, would else go before them.
   */
  const endHold = async (follow: Follow, held: Hold, read: Promise<void>): Promise<void> => {
    await read;
    for (let round = 0; round < MOST_ROUNDS && follow.held > 0; round += 1) await follow.tail;
    await held.end(!stopping.signal.aborted);
  };

  /**
   * Fetches a channel's unreported messages. Resolves with true once all that can be read was read, with
   * false where that was ended before.
   *
   * @param newest the channel's newest message as the platform knows it; undefined if it does not
   */
  const missed = (channel: Channel, newest: string | undefined): Promise<boolean> => {
    const follow = follows.of(channel);
    const queued = joinComing(follow, newest, deps.now());
    if (queued) return queued;
    const ended = Promise.withResolvers<boolean>();
    const coming = { newest, sinceMs: deps.now(), read: ended.promise };
    follow.coming = coming;
    follow.looks += 1;
    const held = hold(channel);
    const isLinked = held !== undefined;
    const run = async (waited: Promise<void>): Promise<void> => {
      try {
        await waited;
        if (follow.coming === coming) follow.coming = undefined;
        // What is read of one linked channel would else be posted before what was missed in another.
        if (held) await orAborted(held.inEffect, follow.signal);
        const feed = platforms.find(channel)?.feed;
        const isSlow = (): boolean => feed?.isHistorySlow?.(channel) ?? false;
        // What came since is reported, unless the connection ends: the history of another linked
        // channel, read later or after that end, would else hold what is missing here.
        const begun = feed?.positionAt(coming.sinceMs) ?? '';
        const until = [begun, coming.newest ?? ''].toSorted().at(-1);
        const reading = { newest: coming.newest, isLinked, until: isLinked ? until : undefined };
        const leftOut = (position: string) => void follow.leftOut.add(position);
        let waitMs = isSlow()
          ? 0
          : await look(follow, channel, { ...reading, attempt: 0 }, leftOut);
        // A fault that passes soon costs neither the channel nor those linked with it their order.
        if (waitMs !== undefined && waitMs <= PATIENCE_MS && !isSlow()) {
          await sleep(realClock, waitMs, follow.signal);
          waitMs = await look(follow, channel, { ...reading, attempt: 1 }, leftOut);
        }
        if (waitMs === undefined) follow.isWhole = follow.slowComing === undefined;
        if (waitMs === undefined && follow.leftOut.size > 0) void lookForLeftOut(follow, channel);
        ended.resolve(waitMs === undefined || lookOn(follow, channel, waitMs));
      } finally {
        ended.resolve(false);
        follow.looks -= 1;
      }
    };
    const read = run(follow.tail).catch(() => undefined);
    follow.tail = read;
    if (held) follow.holdEnding = endHold(follow, held, read);
    return coming.read;
  };

  /** True where nothing is missing before a channel's next report, nor after one that fails. */
  const reportsAll = (channel: Channel): boolean =>
    (platforms.find(channel)?.feed.reportsAll?.(channel) ?? false) &&
    // Until all processes know of a watch, some leave its messages out.
    deps.now() - deps.sinceMs(channel) > NEW_MS;

  /** Begins to follow a channel; what was missed is read where there can be such. */
  const begin = (channel: Channel): void => {
    if (reportsAll(channel)) follows.of(channel).isWhole = true;
    else void missed(channel, undefined);
  };

  const report = async (
    channel: Channel,
    run: Report,
    { isReplaceable, position }: ReportOptions,
  ): Promise<void> => {
    if (!follows.has(channel)) begin(channel);
    const follow = follows.of(channel);
    if (isReplaceable && follow.held >= MOST_HELD) {
      void missed(channel, undefined);
      return;
    }
    follow.held += 1;
    // A fetch queued before this report would not see gaps after it.
    follow.coming = undefined;
    const work = async (waited: Promise<void>): Promise<void> => {
      await waited;
      try {
        // What was missed in a linked channel may come before it.
        await orAborted(inEffect(channel), follow.signal).catch(() => undefined);
        await run(follow.isWhole);
        if (position !== undefined) follow.leftOut.delete(position);
      } catch (thrown) {
        if (!reportsAll(channel)) {
          follow.isWhole = false;
          void missed(channel, undefined);
        }
        throw thrown;
      } finally {
        follow.held -= 1;
      }
    };
    const turn = work(follow.tail);
    follow.tail = turn.catch(() => undefined);
    await turn;
  };

  return {
    missed,
    /**
     * Runs the report of a message in its channel's order: at once where nothing was missed, after
     * the history otherwise. The first report of a channel since the start counts as a gap before it,
     * and a report that fails makes one, unless the platform reports everything sooner or later.
     *
     * @param position that of the message
     */
    report: (channel: Channel, run: Report, position?: string): Promise<void> =>
      report(channel, run, { isReplaceable: true, position }),
    /** Runs a report that the history cannot replace: it is never left out, however many wait. */
    reportAlways: (channel: Channel, run: Report): Promise<void> =>
      report(channel, run, { isReplaceable: false }),
    /** Stops following a channel; a fetch of its history that is under way ends. */
    forget: follows.end,
    /** Stops following the channels of a space. */
    forgetSpace: follows.endSpace,
    idle: follows.idle,
    [Symbol.asyncDispose]: async (): Promise<void> => {
      stopping.abort();
      await Promise.allSettled(follows.tails());
    },
  };
};
