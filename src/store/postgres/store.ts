import { CompiledQuery, Kysely, sql } from 'kysely';
import { realClock, type Clock } from '../../async/clock.ts';
import { AppError, toAppError } from '../../errors.ts';
import type { Log } from '../../telemetry/log.ts';
import { createFaultWatch, createStoreWriter, type StoreWriter } from '../writer.ts';
import type { Store } from '../store.ts';
import { migrateInTurn } from '../migrations/index.ts';
import type { Schema } from '../schema.ts';
import { createColumnTypes, createDialect, createPostgresTransact, openSingle } from './dialect.ts';
import { createConnectionPool, UNBOUNDED } from './connect.ts';
import { guardAgainstLeft, guardClaims, keepClaims, tuneInbox } from './guards.ts';
import { openPostgresLeases } from './leases.ts';
import { demandListening, openSession } from './session.ts';
import { createPostgresQuota, openPostgresStates } from './shared-states.ts';
import { openPostgresSignals } from './signals.ts';

export interface PostgresStoreOptions {
  readonly url: string;
  /** Most connections of this process, two at least; the two that renew leases not counted. */
  readonly connections: number;
  readonly log: Log;
  readonly clock?: Clock;
  readonly wallMs?: () => number;
  readonly random?: () => number;
}

/** Migrates on a connection of its own, on which a statement may take as long as it needs. */
const migratePatiently = async (url: string): Promise<void> => {
  await using db = openSingle(url, { bounds: UNBOUNDED });
  await migrateInTurn(db.withPlugin(createColumnTypes()));
};

const queryOn =
  (db: Kysely<Schema>) =>
  async <Row extends object>(text: string, values: readonly unknown[]): Promise<readonly Row[]> =>
    (await db.executeQuery<Row>(CompiledQuery.raw(text, [...values]))).rows;

/** Opens a store on PostgreSQL, which many processes share. Rejects with `config` or `unavailable`. */
export const openPostgresStore = async ({
  url,
  connections,
  log,
  clock = realClock,
  wallMs = Date.now,
  random = Math.random,
}: PostgresStoreOptions): Promise<Store> => {
  let isMigrated = false;
  let restoredMs: number | undefined;
  const openPool = (most: number, isRelaxed: boolean) =>
    createConnectionPool({
      url,
      most,
      isRelaxed,
      prepare: async (client) => {
        if (isMigrated) restoredMs = await keepClaims(client);
        return isMigrated;
      },
    });
  // One of these writes at a time runs, and notices to other processes beside it.
  const relaxedMost = Math.min(2, connections - 1);
  const durablePool = openPool(connections - relaxedMost, false);
  const relaxedPool = openPool(relaxedMost, true);
  const db = new Kysely<Schema>({ dialect: createDialect(durablePool) });
  const relaxed = new Kysely<Schema>({ dialect: createDialect(relaxedPool) });
  const parts = new AsyncDisposableStack();
  const closePool = db.destroy.bind(db);
  parts.defer(closePool);
  parts.use(relaxed);
  try {
    const session = parts.use(await openSession({ url, log, clock, random }));
    const spare = parts.use(await openSession({ url, log, clock, random }));
    // Migrations lock one another out by a lock of their session, which a pooler would lend to others.
    await demandListening(db, session, clock);
    await migratePatiently(url);
    await db.transaction().execute(async (within) => {
      await sql`SELECT pg_advisory_xact_lock(hashtext('dragoman guard'))`.execute(within);
      await guardAgainstLeft(within);
      await guardClaims(within);
      await tuneInbox(within);
    });
    isMigrated = true;
    const leases = parts.use(
      await openPostgresLeases({
        session,
        spare,
        query: queryOn(db),
        relaxedQuery: queryOn(relaxed),
        log,
        clock,
        wallMs,
        random,
      }),
    );
    const signals = parts.use(await openPostgresSignals({ db, session, leases, log, clock }));
    const states = await openPostgresStates(db, session, leases.owner);
    const openWriter = (): StoreWriter =>
      createStoreWriter(
        createPostgresTransact(db, relaxed, clock),
        async () => undefined,
        (within) => signals.collect(within),
      );
    // What waits for no disk does not wait for what does.
    const [durable, quick] = [openWriter(), openWriter()];
    const writer: StoreWriter = {
      write: (run, options) => (options?.durable === false ? quick : durable).write(run, options),
      written: async () => {
        await durable.written();
        await quick.written();
      },
    };
    const { write, findFault } = createFaultWatch(writer, (within) =>
      sql`UPDATE machine SET boot_id = boot_id`.execute(within),
    );
    const disposeAsync = async (): Promise<void> => parts.disposeAsync();
    return Object.assign(db, writer, {
      engine: 'postgres' as const,
      restoredMs: () => restoredMs,
      write,
      signals,
      leases,
      quota: createPostgresQuota(db, clock),
      states,
      findFault,
      abandon: () => {
        durablePool.abandon();
        relaxedPool.abandon();
      },
      // PostgreSQL removes deleted rows by itself (autovacuum).
      checkpoint: async () => undefined,
      destroy: disposeAsync,
      [Symbol.asyncDispose]: disposeAsync,
    });
  } catch (thrown) {
    await parts.disposeAsync();
    throw thrown instanceof AppError ? thrown : toAppError(thrown);
  }
};
