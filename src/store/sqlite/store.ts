import { createKeyedMutex } from '../../async/locks.ts';
import { AppError } from '../../errors.ts';
import type { Leases, Tenure, Work } from '../../ports/processes.ts';
import {
  type StoreWriter,
  createFaultWatch,
  createStoreWriter,
  createLocalSignals,
} from '../writer.ts';
import { randomUUID } from 'node:crypto';
import { Kysely, sql, type Transaction } from 'kysely';
import { backoffMs, MINUTE_MS, realClock, sleep, type Backoff } from '../../async/clock.ts';
import { IN_MEMORY } from '../../sqlite/open.ts';
import { createEmbeddedQuota } from '../quota.ts';
import {
  markLostClaims,
  readBootId,
  guardLeftSpaces,
  noteRestoration,
  realPathOf,
  takeOwnerLock,
  tryOwnerLock,
} from './guards.ts';
import type { Store } from '../store.ts';
import { migrate, refuseUnknown, schemaStatus } from '../migrations/index.ts';
import type { Schema } from '../schema.ts';
import { createTransact, openSqlite } from './dialect.ts';
import type { Log } from '../../telemetry/log.ts';

/** Name of the row whose epoch counts the processes that have opened this database. */
export const PROCESS = 'process';
/** Most tenures of one process; the epochs of the next process begin above them. */
export const TENURES_PER_PROCESS = 1_000_000_000;

/** Times before a change that could not be applied is delivered again. */
const DELIVER_AGAIN: Backoff = { firstMs: 500, longestMs: MINUTE_MS };

/** Counts a process that opens the database; resolves with the number of those that have. */
const countStart = async (store: Pick<StoreWriter, 'write'>, owner: string): Promise<number> => {
  const { epoch } = await store.write((db) =>
    db
      .insertInto('lease')
      .values({ name: PROCESS, owner, epoch: 1 })
      .onConflict((conflict) =>
        conflict.column('name').doUpdateSet((eb) => ({ owner, epoch: eb('lease.epoch', '+', 1) })),
      )
      .returning('epoch')
      .executeTakeFirstOrThrow(),
  );
  return epoch;
};

/** @param starts number of the processes that have opened the database */
const openLeasesFrom = (starts: number): Leases => {
  const turns = createKeyedMutex();
  const working = new Map<string, Work>();
  const held = new Set<string>();
  let epoch = starts * TENURES_PER_PROCESS;

  const begin = (name: string, signal: AbortSignal, end: () => void): Tenure => {
    epoch += 1;
    let isReleased = false;
    const isHeld = (): boolean => !isReleased && !signal.aborted;
    return {
      name,
      epoch,
      signal,
      isHeld,
      assertHeld: () => {
        if (!isHeld()) throw new AppError('cancelled', 'the lease is not held any more');
      },
      release: async () => {
        if (isReleased) return;
        isReleased = true;
        end();
      },
    };
  };

  return {
    acquire: async (name, signal) => {
      signal.throwIfAborted();
      const turn = await turns.take(name, signal);
      held.add(name);
      return begin(name, signal, () => {
        held.delete(name);
        turn[Symbol.dispose]();
      });
    },
    isAnyHeld: async (set) => held.values().some((name) => name.startsWith(`${set}:`)),
    share: (set, size, work) => {
      const closing = new AbortController();
      const own = Array.from({ length: size }, (_, index) => {
        const name = `${set}:${index}`;
        const begun = work(begin(name, closing.signal, () => undefined));
        working.set(name, begun);
        return begun;
      });
      return {
        // All names are held from the start.
        stopClaiming: () => undefined,
        [Symbol.asyncDispose]: async () => {
          await Promise.all(own.map(async (each) => each[Symbol.asyncDispose]()));
          closing.abort(new AppError('cancelled', 'the lease is not held any more'));
        },
      };
    },
    tell: (name, message) => working.get(name)?.hear(message),
  };
};

/**
 * Opens the leases of a database that only one process uses at a time. A tenure ends only by its
 * release. Epochs grow across restarts.
 */
export const openEmbeddedLeases = async (
  store: Pick<StoreWriter, 'write'>,
  owner: string,
): Promise<Leases> => openLeasesFrom(await countStart(store, owner));

export interface SqliteStoreOptions {
  /** The number of this start of the machine; undefined where it is not known. */
  readonly bootIdOf?: (() => string | undefined) | undefined;
  /** See `StoreOptions.isGuest`. */
  readonly isGuest?: boolean | undefined;
  readonly log?: Pick<Log, 'error'> | undefined;
}

/** Throws `config` for a database that a program of another version works on. */
const demandCurrent = async (db: Kysely<Schema>): Promise<void> => {
  await refuseUnknown(db);
  const { missing } = await schemaStatus(db);
  if (missing.length > 0)
    throw new AppError('config', 'an older version of this program works on the database: end it');
};

/** An empty database of the newest schema, once this process has made one in memory: others are copied from it. */
let newest: Uint8Array | undefined;

/**
 * Opens a store on SQLite, which one process uses at a time. Rejects with `config` where another one does.
 *
 * @param given a file, whose folder is made when missing, or `:memory:`
 */
export const openSqliteStore = async (
  given: string,
  { log, bootIdOf = readBootId, isGuest = false }: SqliteStoreOptions = {},
): Promise<Store> => {
  const path = realPathOf(given);
  const parts = new AsyncDisposableStack();
  try {
    const owner = parts.use(isGuest ? tryOwnerLock(path) : takeOwnerLock(path));
    const inMemory = path === IN_MEMORY;
    const image = inMemory ? newest : undefined;
    const { dialect, synced, vacuumed, serialize } = openSqlite(path, image);
    const db = new Kysely<Schema>({ dialect });
    parts.defer(db.destroy.bind(db));
    if (owner) await migrate(db);
    else await demandCurrent(db);
    if (inMemory) newest ??= serialize();
    await guardLeftSpaces(db);
    if (owner) await markLostClaims(db, bootIdOf());
    const restoredMs = await noteRestoration(db, Date.now());
    const closing = new AbortController();
    parts.defer(() => closing.abort());
    const signals = createLocalSignals<Transaction<Schema>>((before, topic, err) => {
      if (before === 0 && !closing.signal.aborted)
        log?.error({ err, topic }, 'a change could not be applied');
      return sleep(realClock, backoffMs(DELIVER_AGAIN, before), closing.signal);
    });
    const writer = createStoreWriter(createTransact(db), synced, (within) =>
      signals.collect(within),
    );
    // Nothing else uses this number in the file's header; setting it writes a page.
    const { write, findFault } = createFaultWatch(writer, (within) =>
      sql`PRAGMA user_version = 1`.execute(within),
    );
    // A guest beside the program that works on the database takes no leases of it.
    const leases = owner ? await openEmbeddedLeases({ write }, randomUUID()) : openLeasesFrom(0);
    const disposeAsync = async (): Promise<void> => parts.disposeAsync();
    return Object.assign(db, writer, {
      engine: 'sqlite' as const,
      restoredMs: () => restoredMs,
      write,
      signals,
      leases,
      quota: createEmbeddedQuota(realClock),
      checkpoint: vacuumed,
      findFault,
      destroy: disposeAsync,
      [Symbol.asyncDispose]: disposeAsync,
    });
  } catch (thrown) {
    await parts.disposeAsync();
    throw thrown;
  }
};
