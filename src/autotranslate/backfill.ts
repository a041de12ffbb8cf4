import { orAborted } from '../async/abort.ts';
import { realClock, sleep } from '../async/clock.ts';
import type { Channel } from '../model/place.ts';
import type { Hold } from './catch-up-holds.ts';
import { createFollows, joinComing, type Follow } from './follows.ts';
import { createMissedReader, type MissedDeps, type MissedReading } from './missed-reader.ts';

/** Longest time for which messages wait until what was missed before them is read; they may be late by 2 s in all. */
const HOLD_MS = 1_200;
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
  readonly position?: string | undefined;
}

export type Backfill = ReturnType<typeof createBackfill>;

export const createBackfill = (deps: BackfillDeps) => {
  const { platforms, hold, inEffect } = deps;
  const readMissed = createMissedReader(deps);
  const stopping = new AbortController();
  const follows = createFollows(stopping.signal);

  /** Ends a hold once the reports that waited for it are handled: those of linked channels would else go before them. */
  const endHold = async (follow: Follow, held: Hold, waited: Promise<void>): Promise<void> => {
    await waited;
    for (let round = 0; round < MOST_ROUNDS && follow.held > 0; round += 1) await follow.tail;
    await held.end(!stopping.signal.aborted);
  };

  /** Makes the next reports of a channel wait until its history is read, for `HOLD_MS` at most. */
  const holdReports = (follow: Follow, channel: Channel) => {
    const held = hold(channel);
    const over = Promise.withResolvers<void>();
    let isOver = false;
    const end = (): void => {
      isOver = true;
      over.resolve();
    };
    sleep(realClock, HOLD_MS, follow.signal).then(end, end);
    follow.tail = Promise.all([follow.tail, over.promise]).then(() => undefined);
    if (held) follow.holdEnding = endHold(follow, held, over.promise);
    return {
      isLinked: held !== undefined,
      isOver: () => isOver,
      end,
      /** Resolves once the hold is in effect, or over. Rejects with the signal's reason. */
      inEffect: async (): Promise<void> => {
        if (held) await orAborted(Promise.race([held.inEffect, over.promise]), follow.signal);
      },
    };
  };

  /** Reads the history again where messages that were left out of it are not reported soon. */
  const lookForLeftOut = async (follow: Follow, channel: Channel): Promise<void> => {
    await sleep(realClock, REPORTED_MS, follow.signal).catch(() => undefined);
    const isMissing = follow.leftOut.size > 0;
    follow.leftOut.clear();
    if (isMissing && !follow.signal.aborted)
      void look(channel, { newest: undefined, until: '' }, false);
  };

  /**
   * Fetches a channel's unreported messages. Resolves with true once all that can be read was read, with
   * false where that was ended before.
   *
   * @param gap as in `MissedReading`
   * @param isAwaited false where no report waits for it
   */
  const look = (
    channel: Channel,
    { newest, until }: Pick<MissedReading, 'newest' | 'until'>,
    isAwaited = true,
  ): Promise<boolean> => {
    const follow = follows.of(channel);
    const queued = joinComing(follow, newest, until);
    if (queued) return queued;
    const before = Promise.all([follow.tail, follow.reading]);
    const ended = Promise.withResolvers<boolean>();
    const coming = { newest, until, read: ended.promise };
    follow.coming = coming;
    follow.looks += 1;
    const waiting = isAwaited ? holdReports(follow, channel) : undefined;
    const feed = platforms.find(channel)?.feed;
    const endIfSlow = (): void => {
      if (feed?.isHistorySlow?.(channel)) waiting?.end();
    };
    endIfSlow();
    const read = async (): Promise<boolean> => {
      try {
        await before;
        if (follow.coming === coming) follow.coming = undefined;
        follow.isWhole = false;
        // What is read of one linked channel would else be posted before what was missed in another.
        await waiting?.inEffect();
        for (let attempt = 0; ; attempt += 1) {
          endIfSlow();
          const waitMs = await readMissed(channel, {
            newest: coming.newest,
            attempt,
            isLinked: waiting?.isLinked ?? false,
            isAwaited: () => follow.held > 0,
            until: coming.until,
            // What came since is reported, unless the connection ends: the history of another linked
            // channel, read later or after that end, would else hold what is missing here.
            isUntilOnly: () => waiting?.isLinked === true && !waiting.isOver(),
            leftOut: (position) => void follow.leftOut.add(position),
            signal: follow.signal,
          });
          if (waitMs === undefined) break;
          // A fault that passes soon costs neither the channel nor those linked with it their order.
          if (attempt > 0 || waitMs > PATIENCE_MS) waiting?.end();
          await sleep(realClock, waitMs, follow.signal);
        }
        follow.isWhole = follow.looks === 1;
        if (follow.leftOut.size > 0) void lookForLeftOut(follow, channel);
        return true;
      } catch {
        return false;
      } finally {
        follow.looks -= 1;
      }
    };
    const reading = read();
    follow.reading = reading;
    void reading.then(ended.resolve);
    void reading.then(waiting?.end);
    return coming.read;
  };

  const missed = (channel: Channel, newest: string | undefined): Promise<boolean> => {
    const begun = platforms.find(channel)?.feed.positionAt(deps.now()) ?? '';
    return look(channel, { newest, until: begun > (newest ?? '') ? begun : (newest ?? '') });
  };

  /** True where nothing is missing before a channel's next report, nor after one that fails. */
  const reportsAll = (channel: Channel): boolean =>
    (platforms.find(channel)?.feed.reportsAll?.(channel) ?? false) &&
    // Until all processes know of a watch, some leave its messages out.
    deps.now() - deps.sinceMs(channel) > NEW_MS;

  /** Begins to follow a channel with a report; what was missed before is read where there can be such. */
  const beginWith = (channel: Channel, position: string | undefined): void => {
    const feed = platforms.find(channel)?.feed;
    if (reportsAll(channel)) follows.of(channel).isWhole = true;
    else if (feed && position !== undefined)
      void look(channel, { until: feed.positionAt(feed.timeOf(position) - 1) });
    else void missed(channel, undefined);
  };

  const report = async (
    channel: Channel,
    run: Report,
    { isReplaceable, position }: ReportOptions,
  ): Promise<void> => {
    if (!follows.has(channel)) beginWith(channel, position);
    const follow = follows.of(channel);
    if (isReplaceable && follow.held >= MOST_HELD) {
      void missed(channel, undefined);
      return;
    }
    follow.held += 1;
    // A fetch queued before this report would not see gaps after it, unless another is under way.
    if (follow.looks < 2) follow.coming = undefined;
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
    /** Follows a channel from the time of its watch; what was written since may not have been reported. */
    begin: (channel: Channel): void => void look(channel, { until: '' }, false),
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
    forgetSpace: follows.endSpace,
    idle: follows.idle,
    [Symbol.asyncDispose]: async (): Promise<void> => {
      stopping.abort();
      await Promise.allSettled(follows.tails());
    },
  };
};
