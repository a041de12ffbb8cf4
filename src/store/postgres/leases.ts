import { randomUUID } from 'node:crypto';
import { sleep, type Clock } from '../../async/clock.ts';
import { AppError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { Leases, Tenure } from '../../ports/leases.ts';
import type { ListenSession } from './session.ts';
import { LEASE_MS, NOW_MS, setOf, type Granted } from './lease-rows.ts';
import { shareNames } from './share.ts';

/** Time between two renewals. */
const RENEW_MS = LEASE_MS / 3;
/** Time before the end of a lease from which its holder does nothing any more. */
const MARGIN_MS = 500;
/** Longest wait between two looks for a lease that somebody else has. */
const LOOK_MS = 1_000;

/** Channel on which the set of a released lease is told. */
const RELEASED = 'dragoman_released';
/** Channel on which a process hears what the holders of its names are told, with its name as an owner. */
const TOLD = 'dragoman_told_';

const CLAIM = `
  INSERT INTO lease (name, set_name, owner, epoch, expires_ms)
  VALUES ($1, $2, $3, 1, ${NOW_MS} + $4)
  ON CONFLICT (name) DO UPDATE
    SET owner = excluded.owner, epoch = lease.epoch + 1, expires_ms = excluded.expires_ms
    WHERE lease.expires_ms <= ${NOW_MS}
  RETURNING name, epoch`;

const RENEW = `
  UPDATE lease SET expires_ms = ${NOW_MS} + $4
  FROM unnest($2::text[], $3::bigint[]) AS held (name, epoch)
  WHERE lease.name = held.name AND lease.epoch = held.epoch AND lease.owner = $1
  RETURNING lease.name, lease.epoch`;

const RELEASE = `
  WITH released AS (
    UPDATE lease SET expires_ms = 0
    FROM unnest($1::text[], $3::bigint[]) AS given (name, epoch)
    WHERE lease.name = given.name AND lease.epoch = given.epoch AND lease.owner = $2
    RETURNING set_name)
  SELECT pg_notify('${RELEASED}', set_name) FROM released GROUP BY set_name`;

const ANY_HELD = `
  SELECT 1 FROM lease WHERE set_name = $1 AND expires_ms > ${NOW_MS} LIMIT 1`;

/** One channel for all names of a process: with one for each, a slow database could not keep up with a claim of many. */
const TELL = `
  SELECT pg_notify('${TOLD}' || lease.owner, told.name || ' ' || told.message)
  FROM unnest($1::text[], $2::text[]) AS told (name, message) JOIN lease ON lease.name = told.name
  WHERE lease.expires_ms > ${NOW_MS}`;

interface Held {
  readonly epoch: number;
  readonly abort: AbortController;
  /** Times up to which the holder may act, by the monotonic and by the wall clock. */
  untilMs: number;
  wallUntilMs: number;
}

export interface LeasesDeps {
  readonly session: ListenSession;
  readonly log: Log;
  readonly clock: Clock;
  readonly wallMs: () => number;
  readonly random: () => number;
}

export type PostgresLeases = Leases &
  AsyncDisposable & {
    /** Name of this process as an owner of leases. */
    readonly owner: string;
  };

/** Opens the leases of a process: rows that it renews, and loses when it cannot. */
export const openPostgresLeases = async (deps: LeasesDeps): Promise<PostgresLeases> => {
  const { session, log, clock, wallMs, random } = deps;
  const owner = randomUUID().replaceAll('-', '');
  const closing = new AbortController();
  const held = new Map<string, Held>();
  /** Functions that wake those who wait for a lease of a set, by the set. */
  const waiting = new Map<string, Set<() => void>>();
  /** Functions that hear what the holder of a name is told, by the name. */
  const hearers = new Map<string, (message: string) => void>();

  await session.listen(`${TOLD}${owner}`, (payload) => {
    const [name = ''] = payload.split(' ', 1);
    hearers.get(name)?.(payload.slice(name.length + 1));
  });
  await session.listen(RELEASED, (set) => {
    for (const wake of waiting.get(set) ?? []) wake();
  });

  /** The end of what is granted by a statement that is about to be sent. */
  const deadline = () => {
    const lengthMs = LEASE_MS - MARGIN_MS;
    return { untilMs: clock.nowMs() + lengthMs, wallUntilMs: wallMs() + lengthMs };
  };
  const isCurrent = ({ untilMs, wallUntilMs }: Held): boolean =>
    clock.nowMs() < untilMs && wallMs() < wallUntilMs;

  const drop = (name: string, lease: Held): boolean => {
    if (held.get(name) !== lease) return false;
    held.delete(name);
    lease.abort.abort(new AppError('cancelled', 'the lease is not held any more'));
    return true;
  };
  const lose = (name: string, lease: Held): void => {
    if (!drop(name, lease)) return;
    log.warn({ lease: name }, 'a lease was lost');
  };

  /** Leases to be released at the end of this turn of the event loop, so that others are woken once for all of them. */
  let releasing:
    | { readonly names: string[]; readonly epochs: number[]; done: Promise<void> }
    | undefined;
  const release = async (name: string, epoch: number): Promise<void> => {
    if (!releasing) {
      const ended = Promise.withResolvers<void>();
      const batch = { names: [], epochs: [], done: ended.promise };
      releasing = batch;
      setImmediate(() => {
        releasing = undefined;
        // Where it cannot be said, the leases end by themselves.
        const said = session.query(RELEASE, [batch.names, owner, batch.epochs]);
        void said.catch(() => undefined).then(() => ended.resolve());
      });
    }
    releasing.names.push(name);
    releasing.epochs.push(epoch);
    return releasing.done;
  };

  const begin = (
    { name, epoch }: Granted,
    until: ReturnType<typeof deadline>,
    signal?: AbortSignal,
  ): Tenure => {
    // It may have ended in the database before this process has seen that it did.
    const ended = held.get(name);
    if (ended) lose(name, ended);
    const lease: Held = { epoch, abort: new AbortController(), ...until };
    held.set(name, lease);
    const both = signal ? AbortSignal.any([signal, lease.abort.signal]) : lease.abort.signal;
    const isHeld = (): boolean =>
      held.get(name) === lease && isCurrent(lease) && !(signal?.aborted ?? false);
    return {
      name,
      epoch,
      signal: both,
      isHeld,
      assertHeld: () => {
        if (!isHeld()) throw new AppError('cancelled', 'the lease is not held any more');
      },
      release: async () => {
        if (drop(name, lease)) await release(name, epoch);
      },
    };
  };

  const renew = async (): Promise<void> => {
    const asked = new Map(held);
    if (asked.size === 0) return;
    const until = deadline();
    const names = [...asked.keys()];
    const epochs = [...asked.values()].map(({ epoch }) => epoch);
    const rows = await session.query<Granted>(RENEW, [owner, names, epochs, LEASE_MS]);
    const renewed = new Set(rows.map(({ name }) => name));
    for (const [name, lease] of asked)
      if (!renewed.has(name)) lose(name, lease);
      else if (held.get(name) === lease) Object.assign(lease, until);
      // It was lost or released while it was renewed.
      else await release(name, lease.epoch);
  };

  const keep = async (): Promise<void> => {
    let renewing: Promise<void> | undefined;
    while (!closing.signal.aborted) {
      // A slow answer delays no look at the clock.
      renewing ??= renew()
        .catch(() => undefined)
        .finally(() => {
          renewing = undefined;
        });
      await sleep(clock, RENEW_MS, closing.signal).catch(() => undefined);
      for (const [name, lease] of held) if (!isCurrent(lease)) lose(name, lease);
    }
    await renewing;
  };
  const keeping = keep();

  /** Waits until a lease of a set is released, or for another look. */
  const change = async (set: string, signal: AbortSignal): Promise<void> => {
    const woken = new AbortController();
    const wake = (): void => woken.abort();
    waiting.set(set, (waiting.get(set) ?? new Set()).add(wake));
    try {
      const either = AbortSignal.any([signal, woken.signal]);
      await sleep(clock, LOOK_MS * (0.5 + random() / 2), either).catch(() => undefined);
    } finally {
      const left = waiting.get(set);
      left?.delete(wake);
      if (left?.size === 0) waiting.delete(set);
    }
  };

  const acquire: Leases['acquire'] = async (name, signal) => {
    const either = AbortSignal.any([signal, closing.signal]);
    for (;;) {
      either.throwIfAborted();
      const until = deadline();
      const [granted] = await session
        .query<Granted>(CLAIM, [name, setOf(name), owner, LEASE_MS])
        .catch((): readonly Granted[] => []);
      if (granted && either.aborted) await release(name, granted.epoch);
      else if (granted) return begin(granted, until, signal);
      await change(setOf(name), either);
    }
  };

  /** Messages to be told at the end of this turn of the event loop, by one statement. */
  let telling: { readonly names: string[]; readonly messages: string[] } | undefined;
  const tell: Leases['tell'] = (name, message) => {
    if (!telling) {
      const batch = { names: [], messages: [] };
      telling = batch;
      setImmediate(() => {
        telling = undefined;
        session.query(TELL, [batch.names, batch.messages]).catch(() => undefined);
      });
    }
    telling.names.push(name);
    telling.messages.push(message);
  };

  return {
    owner,
    acquire,
    tell,
    isAnyHeld: async (set) => (await session.query(ANY_HELD, [`${set}:`])).length > 0,
    share: (set, size, work) =>
      shareNames({
        session,
        owner,
        set,
        size,
        work,
        log,
        acquire,
        change,
        begin,
        deadline,
        hearers,
      }),
    [Symbol.asyncDispose]: async () => {
      closing.abort();
      await keeping;
      const left = [...held];
      for (const [name, lease] of left) drop(name, lease);
      await Promise.all(left.map(([name, { epoch }]) => release(name, epoch)));
    },
  };
};
