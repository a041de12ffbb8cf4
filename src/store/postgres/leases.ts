import { randomUUID } from 'node:crypto';
import { waitUntil, type Clock } from '../../async/clock.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Leases } from '../../ports/processes.ts';
import { createDatabaseClock, createHeldLeases } from './held-leases.ts';
import { connectionLost } from './faults.ts';
import { END_WAIT_MS, isFree, NOW_MS, RELEASED, setOf, type Granted } from './lease-rows.ts';
import { createRenewals, type RenewingSession } from './renewals.ts';
import type { ListenSession } from './session.ts';
import { openSetChanges, createSetRows } from './sets.ts';
import { shareNames } from './share.ts';

/** Longest wait between two looks for a lease that somebody else has. */
const LOOK_MS = 1_000;

/** Channel on which a process hears what the holders of its names are told, with its name as an owner. */
const TOLD = 'dragoman_told_';

const CLAIM = `
  INSERT INTO lease (name, set_name, owner, epoch, expires_ms)
  VALUES ($1, $2, $3, 1, ${NOW_MS} + $4)
  ON CONFLICT (name) DO UPDATE
    SET owner = excluded.owner, epoch = lease.epoch + 1, expires_ms = excluded.expires_ms
    WHERE ${isFree('$5', '$6')}
  RETURNING name, epoch`;

/** A set whose change was told a moment ago is not told again. */
const RELEASE = `
  WITH released AS (
    UPDATE lease SET expires_ms = 0
    FROM unnest($1::text[], $3::bigint[]) AS given (name, epoch)
    WHERE lease.name = given.name AND lease.epoch = given.epoch AND lease.owner = $2
    RETURNING set_name)
  SELECT pg_notify('${RELEASED}', set_name) FROM released
  WHERE set_name = ANY($4::text[]) GROUP BY set_name`;

const ANY_HELD = `
  SELECT 1 FROM lease WHERE set_name = $1 AND NOT ${isFree('$2', '$3')} LIMIT 1`;

/**
 * One channel for all names of a process: with one for each, a slow database could not keep up with a claim of many. Whether
 * a lease has ended, its owner knows itself; the database's clock, which may have been set, is not asked.
 */
const TELL = `
  SELECT pg_notify('${TOLD}' || holder.owner, told.name || ' ' || told.message)
  FROM unnest($1::text[], $2::text[]) AS told (name, message) CROSS JOIN LATERAL
    (SELECT owner FROM lease WHERE lease.name = told.name AND expires_ms > 0 LIMIT 1) AS holder`;

/** Ended leases are marked so, as a process that was just started knows too little of the time to see it. */
const HOLDERS = `
  WITH ended AS (
    UPDATE lease SET expires_ms = 0
    WHERE set_name = $1 AND expires_ms > 0 AND ${isFree('$2', '$3')})
  SELECT DISTINCT owner FROM lease WHERE set_name = $1 AND NOT ${isFree('$2', '$3')}`;

export interface LeasesDeps {
  /** The connection that hears notifications, and renews. */
  readonly session: ListenSession;
  /** A connection that renews while the first one is slow. */
  readonly spare: RenewingSession;
  /** Runs all other statements, several at a time. */
  readonly query: ListenSession['query'];
  /** The same, for statements that store nothing which has to survive a crash of the server. */
  readonly relaxedQuery: ListenSession['query'];
  readonly log: Log;
  readonly clock: Clock;
  readonly wallMs: () => number;
  readonly random: () => number;
}

export type PostgresLeases = Leases &
  AsyncDisposable & {
    /** Name of this process as an owner of leases. */
    readonly owner: string;
    /** The owners of a set's leases that have not ended; the set is given with its colon. */
    readonly holders: (set: string) => Promise<readonly string[]>;
  };

/** Opens the leases of a process: rows that it renews, and loses when it cannot. */
export const openPostgresLeases = async (deps: LeasesDeps): Promise<PostgresLeases> => {
  const { session, query, relaxedQuery, log, clock, wallMs, random } = deps;
  const owner = randomUUID().replaceAll('-', '');
  const closing = new AbortController();
  /** Functions that hear what the holder of a name is told, by the name. */
  const hearers = new Map<string, (message: string) => void>();

  await session.listen(`${TOLD}${owner}`, (payload) => {
    const [name = ''] = payload.split(' ', 1);
    hearers.get(name)?.(payload.slice(name.length + 1));
  });
  const changes = await openSetChanges({ session, clock, random });

  /** Leases to be released at the end of this turn of the event loop, so that others are woken once for all of them. */
  let releasing:
    | { readonly names: string[]; readonly epochs: number[]; done: Promise<void> }
    | undefined;
  const release = async (name: string, epoch: number): Promise<void> => {
    if (!releasing) {
      const ended = Promise.withResolvers<void>();
      const batch = { names: [] as string[], epochs: [] as number[], done: ended.promise };
      releasing = batch;
      setImmediate(() => {
        releasing = undefined;
        const sets = [...new Set(batch.names.map(setOf))].filter(
          (set) => !changes.isAnnounced(set),
        );
        // Where this fails, the leases end by themselves.
        const released = query(RELEASE, [batch.names, owner, batch.epochs, sets]).catch(
          () => undefined,
        );
        void waitUntil(clock, clock.nowMs() + END_WAIT_MS, released).then(() => ended.resolve());
      });
    }
    releasing.names.push(name);
    releasing.epochs.push(epoch);
    return releasing.done;
  };

  const held = createHeldLeases({ log, clock, wallMs, release });
  const databaseClock = createDatabaseClock(clock, wallMs);
  const renewals = createRenewals({ ...deps, owner, held, databaseClock });
  const { bounds } = databaseClock;

  /** Runs a statement that takes leases: a process that hears nothing takes none. */
  const take: ListenSession['query'] = async (text, values) => {
    if (renewals.isHearing()) return query(text, values);
    throw connectionLost();
  };

  const { grantMs } = renewals;
  const setRows = createSetRows({ query: take, owner, bounds, grantMs, held });

  const acquire: Leases['acquire'] = async (name, signal) => {
    const either = AbortSignal.any([signal, closing.signal]);
    using watch = changes.watch(setOf(name));
    for (;;) {
      either.throwIfAborted();
      const grantedMs = grantMs();
      const until = held.deadline(grantedMs);
      const values = [name, setOf(name), owner, grantedMs, ...bounds()];
      const [granted] = await take<Granted>(CLAIM, values).catch((): readonly Granted[] => []);
      if (granted && either.aborted) await release(name, granted.epoch);
      else if (granted) return held.begin(granted, until, signal);
      await watch.next(LOOK_MS * (0.5 + random() / 2), either);
    }
  };

  /** Messages to be told at the end of this turn of the event loop, by one statement. */
  let telling: { readonly names: string[]; readonly messages: string[] } | undefined;
  const tell: Leases['tell'] = (name, message) => {
    if (!telling) {
      const batch = { names: [] as string[], messages: [] as string[] };
      telling = batch;
      setImmediate(() => {
        telling = undefined;
        relaxedQuery(TELL, [batch.names, batch.messages]).catch(() => undefined);
      });
    }
    telling.names.push(name);
    telling.messages.push(message);
  };

  return {
    owner,
    acquire,
    tell,
    isAnyHeld: async (set) => (await query(ANY_HELD, [`${set}:`, ...bounds()])).length > 0,
    holders: async (set) => {
      const rows = await query<{ readonly owner: string }>(HOLDERS, [set, ...bounds()]);
      return rows.map((row) => row.owner);
    },
    renewalMs: renewals.tookMs,
    share: (set, size, work, options = {}) =>
      shareNames(
        { set, size, work, options },
        { rows: setRows, owner, acquire, changes, hearers, log, clock, random },
      ),
    [Symbol.asyncDispose]: async () => {
      closing.abort();
      await renewals[Symbol.asyncDispose]();
      await held.releaseAll();
    },
  };
};
