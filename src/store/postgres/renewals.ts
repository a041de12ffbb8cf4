import type { Clock } from '../../async/clock.ts';
import type { Log } from '../../telemetry/log.ts';
import type { DatabaseClock, HeldLeases } from './held-leases.ts';
import { LEASE_MS, MARGIN_MS, NOW_MS, SLOWEST_MS } from './lease-rows.ts';
import type { ListenSession } from './session.ts';

/** Time between the beginnings of two renewals. */
const RENEW_MS = LEASE_MS / 3;
/**
 * Time after which the next renewal begins although the last one is under way: two that take `SLOWEST_MS` each overlap so
 * that no lease ends between their answers.
 */
const OVERLAP_MS = 1_000;
/** Time between two warnings in the log. */
const WARN_MS = 30_000;

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

/** The rounds of renewals so far. */
export interface RenewalRounds {
  /** Time at which the last round began. */
  readonly startMs: number;
  /** Time of the last warning. */
  readonly warnedMs: number;
}

/** The rounds before the first renewal: none. */
export const NO_ROUND: RenewalRounds = { startMs: -Infinity, warnedMs: -Infinity };

/** The renewals under way, and whether the process hears notifications. */
export interface RenewalsUnderWay {
  readonly onSession: boolean;
  readonly onSpare: boolean;
  readonly isHearing: boolean;
}

export interface RenewalStep {
  readonly rounds: RenewalRounds;
  /** The connection on which a renewal is sent now. */
  readonly send?: 'session' | 'spare';
  /** Time of the next step, unless a renewal ends before. */
  readonly wakeAtMs: number;
  /** True where the log is to say that the database is slow. */
  readonly warn: boolean;
}

/**
 * The next step of renewing. A round begins `RENEW_MS` after the last one; it begins as soon as the last one is late, or ends
 * late, where a connection is free. The spare one is used only by a process that hears notifications.
 */
export const nextRenewal = (
  { startMs, warnedMs }: RenewalRounds,
  { onSession, onSpare, isHearing }: RenewalsUnderWay,
  nowMs: number,
): RenewalStep => {
  const isLate = (onSession || onSpare) && nowMs >= startMs + OVERLAP_MS;
  const warn = isLate && nowMs >= warnedMs + WARN_MS;
  const lastWarnedMs = warn ? nowMs : warnedMs;
  const dueMs = startMs + (onSession === onSpare ? RENEW_MS : OVERLAP_MS);
  if (nowMs < dueMs) {
    const isSettled = isLate || !(onSession && onSpare);
    return {
      rounds: { startMs, warnedMs: lastWarnedMs },
      wakeAtMs: isSettled ? dueMs : startMs + OVERLAP_MS,
      warn,
    };
  }
  const isSpareFree = !onSpare && isHearing;
  const send = onSession ? (isSpareFree ? 'spare' : undefined) : 'session';
  return {
    rounds: { startMs: nowMs, warnedMs: lastWarnedMs },
    ...(send && { send }),
    wakeAtMs: nowMs + OVERLAP_MS,
    warn,
  };
};

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
  /** The times at which the renewals under way were sent, by their connections. */
  const sent = new Map<RenewingSession, number>();
  /** The end of the wait under way. A promise of all waits would hold something of each of them. */
  let over = Promise.withResolvers<void>();
  let rounds = NO_ROUND;
  let lastTookMs = 0;

  const isHearing = (): boolean =>
    session.isConnected() &&
    clock.nowMs() - (sent.get(session) ?? clock.nowMs()) < LEASE_MS - MARGIN_MS;

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
      over.resolve();
    }
  };

  /** Waits until a time, or until a renewal ends. */
  const wait = async (untilMs: number): Promise<void> => {
    const cancel = clock.after(Math.max(0, untilMs - clock.nowMs()), over.resolve);
    await over.promise;
    cancel();
    // A slow answer delays no look at the clock.
    held.loseEnded();
  };

  const underWayMs = (): number =>
    Math.max(0, ...sent.values().map((atMs) => clock.nowMs() - atMs));
  const tookMs = (): number => Math.max(lastTookMs, underWayMs());

  const run = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      const underWay = {
        onSession: sent.has(session),
        onSpare: sent.has(spare),
        isHearing: isHearing(),
      };
      const step = nextRenewal(rounds, underWay, clock.nowMs());
      ({ rounds } = step);
      if (step.warn) log.warn('the database is slow: it has not renewed leases within a second');
      over = Promise.withResolvers<void>();
      if (step.send) {
        const connection = step.send === 'session' ? session : spare;
        sent.set(connection, clock.nowMs());
        void renew(connection);
      }
      await wait(step.wakeAtMs);
    }
  };
  const running = run();

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
      await running;
    },
  };
};
