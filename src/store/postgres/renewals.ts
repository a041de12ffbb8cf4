import type { Clock } from '../../async/clock.ts';
import type { Log } from '../../telemetry/log.ts';
import type { DatabaseClock } from './database-clock.ts';
import type { HeldLeases } from './held-leases.ts';
import { LEASE_MS, MARGIN_MS, NOW_MS, SLOWEST_MS } from './lease-rows.ts';
import type { ListenSession } from './session.ts';

/** Time between the beginnings of two renewals. */
const RENEW_MS = LEASE_MS / 3;
/**
 * Time after which the next renewal begins although the last one is under way: two that take `SLOWEST_MS` each overlap so
 * that no lease ends between their answers.
 */
const OVERLAP_MS = 1_000;
/** Time between two lines in the log. */
const SAY_MS = 30_000;

/** Renews what was not released. Gives a row with the database's time even where nothing was renewed. */
const RENEW = `
  WITH renewed AS (
    UPDATE lease SET expires_ms = ${NOW_MS} + $4
    FROM unnest($2::text[], $3::bigint[]) AS held (name, epoch)
    WHERE lease.name = held.name AND lease.epoch = held.epoch AND lease.owner = $1
      AND lease.expires_ms > 0
    RETURNING lease.name)
  SELECT renewed.name, ${NOW_MS} AS now_ms FROM (SELECT 1) AS one LEFT JOIN renewed ON true`;

interface Renewed {
  readonly name: string | null;
  readonly now_ms: number;
}

/** A connection that renews. */
export type RenewingSession = Pick<ListenSession, 'query' | 'isConnected'>;

export interface RenewalsDeps {
  readonly owner: string;
  readonly held: HeldLeases;
  readonly databaseClock: DatabaseClock;
  /** The connection that hears notifications: a process that hears nothing renews nothing on the other one. */
  readonly session: RenewingSession;
  readonly spare: RenewingSession;
  readonly log: Log;
  readonly clock: Clock;
}

/** Renews all leases of a process by one statement now and then, until it is disposed of. */
export const createRenewals = (deps: RenewalsDeps) => {
  const { owner, held, databaseClock, session, spare, log, clock } = deps;
  const closing = new AbortController();
  /** The renewals under way and the times at which they were sent, by their connections. */
  const sent = new Map<RenewingSession, { readonly atMs: number; readonly ended: Promise<void> }>();
  /** The end of the wait under way. A promise of all waits would keep something of each of them. */
  let over = Promise.withResolvers<void>();
  let lastTookMs = 0;
  let saidMs = -Infinity;

  const isHearing = (): boolean => {
    const waiting = sent.get(session);
    return (
      session.isConnected() &&
      (waiting === undefined || clock.nowMs() - waiting.atMs < LEASE_MS - MARGIN_MS)
    );
  };

  const renew = async (connection: RenewingSession): Promise<void> => {
    const until = held.deadline();
    const asked = held.toRenew(until);
    const atMs = clock.nowMs();
    const note = databaseClock.ask();
    const names = [...asked.keys()];
    const epochs = [...asked.values()].map(({ epoch }) => epoch);
    try {
      const rows = await connection.query<Renewed>(RENEW, [owner, names, epochs, LEASE_MS]);
      note(rows[0]!.now_ms);
      lastTookMs = clock.nowMs() - atMs;
      held.renewed(asked, new Set(rows.map(({ name }) => name)), until);
    } catch {
      // What is not renewed ends by itself.
    } finally {
      sent.delete(connection);
    }
  };

  /** Begins a renewal on a connection that has none. */
  const begin = (): void => {
    const isSpare = sent.has(session);
    const connection = isSpare ? spare : session;
    if (sent.has(connection) || (isSpare && !isHearing())) return;
    const atMs = clock.nowMs();
    // It may end at once.
    const ended = Promise.resolve().then(() => renew(connection));
    sent.set(connection, { atMs, ended });
  };

  /** Waits until a time, or until a renewal ends. */
  const wait = async (untilMs: number, isEarlier: boolean): Promise<void> => {
    if (closing.signal.aborted) return;
    over = Promise.withResolvers<void>();
    const takeBack = clock.after(Math.max(0, untilMs - clock.nowMs()), over.resolve);
    const earlier = isEarlier ? sent.values().map(({ ended }) => ended) : [];
    await Promise.race([over.promise, ...earlier]);
    takeBack();
    // A slow answer delays no look at the clock.
    held.loseEnded();
  };

  const underWayMs = (): number =>
    Math.max(0, ...sent.values().map(({ atMs }) => clock.nowMs() - atMs));

  const saySlow = (): void => {
    if (clock.nowMs() - saidMs < SAY_MS) return;
    saidMs = clock.nowMs();
    log.warn('the database is slow: it has not renewed leases within a second');
  };

  const tookMs = (): number => Math.max(lastTookMs, underWayMs());

  const keep = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      const startMs = clock.nowMs();
      begin();
      while (sent.size > 0 && clock.nowMs() < startMs + OVERLAP_MS && !closing.signal.aborted)
        await wait(startMs + OVERLAP_MS, true);
      if (sent.size === 0) await wait(startMs + RENEW_MS, false);
      else if (!closing.signal.aborted) {
        saySlow();
        if (sent.size > 1) await wait(startMs + RENEW_MS, true);
      }
    }
  };
  const keeping = keep();

  return {
    /** True while this process would hear a notification, as far as it knows. */
    isHearing,
    /** Time that the last renewal took, or the one under way has taken if that is longer. */
    tookMs,
    /** Time for which leases are claimed: the first renewal has to be answered before they end. */
    grantMs: (): number => LEASE_MS + (tookMs() <= SLOWEST_MS ? Math.ceil(tookMs()) : 0),
    /** Renews no more; what is under way is not waited for: it renews nothing that is released meanwhile. */
    [Symbol.asyncDispose]: async (): Promise<void> => {
      closing.abort();
      over.resolve();
      await keeping;
    },
  };
};
