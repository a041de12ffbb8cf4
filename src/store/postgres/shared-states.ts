import { type Kysely, sql, type RawBuilder } from 'kysely';
import type { Clock } from '../../async/clock.ts';
import type { Quota } from '../../ports/processes.ts';
import { createQuota, type QuotaRows } from '../quota.ts';
import { changeRows } from '../rows.ts';
import type { Schema } from '../schema.ts';
import { createSemaphore } from '../../async/locks.ts';
import type { SharedStates, StateChange } from '../../ports/store.ts';
import type { ListenSession } from './session.ts';

const SECOND_US = 1_000_000;
const NOW_US = sql`(extract(epoch FROM statement_timestamp()) * 1000000)::bigint`;
/**
 * Furthest that a row's time lies ahead by a hold, and by statements that waited for each other. A time
 * further ahead was written before the database's clock was set back.
 */
const MOST_AHEAD_US = 15 * SECOND_US;

/** The time of a row, or another one where the database's clock has been set back since. */
const usedUntilOr = (other: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  CASE WHEN quota.used_until_us > ${NOW_US} + ${MOST_AHEAD_US}::bigint
    THEN ${other} ELSE quota.used_until_us END`;
// A use that a crash of the server forgets harms nobody, so that no commit waits for the disk.
const RELAXED = sql`set_config('synchronous_commit', 'off', true)`;

/** Creates the quota that all processes on one database share: a row for each rate. */
export const createPostgresQuota = (db: Kysely<Schema>, clock: Clock): Quota => {
  const rows: QuotaRows = {
    grant: async (name, { perSecond, burst }, most) => {
      const costUs = sql`${Math.round(SECOND_US / perSecond)}::bigint`;
      // Nobody knows how much of the burst is left then: half of it is given.
      const half = sql`${NOW_US} - ${Math.floor(burst / 2)}::bigint * ${costUs}`;
      const from = sql`GREATEST(${usedUntilOr(half)}, ${NOW_US} - ${burst} * ${costUs})`;
      const granted = sql`LEAST(${most}::bigint, GREATEST(0, (${NOW_US} - ${from}) / ${costUs}))`;
      const first = Math.min(most, burst);
      const { rows: given } = await sql<{ granted: number; wait_us: number }>`
        INSERT INTO quota (name, used_until_us, granted)
        VALUES (${name}, ${NOW_US} - (${burst}::bigint - ${first}) * ${costUs}, ${first})
        ON CONFLICT (name) DO UPDATE
          SET used_until_us = ${from} + ${granted} * ${costUs}, granted = ${granted}
        RETURNING granted, used_until_us + ${costUs} - ${NOW_US} AS wait_us, ${RELAXED}`.execute(
        db,
      );
      const row = given[0];
      return { granted: row?.granted ?? 0, waitMs: (row?.wait_us ?? 0) / 1_000 };
    },
    hold: async (name, ms) => {
      const until = sql`${NOW_US} + ${Math.ceil(ms * 1_000)}::bigint`;
      await sql`
        INSERT INTO quota (name, used_until_us, granted) VALUES (${name}, ${until}, 0)
        ON CONFLICT (name) DO UPDATE SET used_until_us = GREATEST(${usedUntilOr(until)}, ${until})
        RETURNING ${RELAXED}`.execute(db);
    },
  };
  return createQuota(rows, clock);
};

const CHANNEL = 'dragoman_shared_state';
/** Changes at the same time, so that other work finds connections. */
const AT_ONCE = 2;

const NOW_MS = sql<number>`(extract(epoch FROM clock_timestamp()) * 1000)::float8`;

type Change<Result> = (state: string | undefined, nowMs: number) => StateChange<Result>;

const readNowMs = async (db: Kysely<Schema>): Promise<number> => {
  const { rows } = await sql<{ now_ms: number }>`SELECT ${NOW_MS} AS now_ms`.execute(db);
  return rows[0]?.now_ms ?? 0;
};

/** A notification of news. */
interface News {
  readonly from: string;
  readonly name: string;
}

/** Opens the states that all processes on one database share: a row for each. */
export const openPostgresStates = async (
  db: Kysely<Schema>,
  session: ListenSession,
  owner: string,
): Promise<SharedStates> => {
  const hearers = new Set<(name: string) => void>();
  const turns = createSemaphore(AT_ONCE);
  await session.listen(CHANNEL, (payload) => {
    const { from, name } = JSON.parse(payload) as News;
    if (from !== owner) for (const hear of hearers) hear(name);
  });

  /** Makes a change; undefined where another process stored the first state meanwhile. */
  const tryToChange = <Result>(
    name: string,
    change: Change<Result>,
  ): Promise<{ readonly result: Result } | undefined> =>
    db.transaction().execute(async (within) => {
      // A state that a crash of the server forgets harms nobody, so that no commit waits for the disk.
      const { rows } = await sql<{ state: string; now_ms: number }>`
        SELECT state, ${NOW_MS} AS now_ms, set_config('synchronous_commit', 'off', true)
        FROM shared_state WHERE name = ${name} FOR UPDATE`.execute(within);
      const [row] = rows;
      const nowMs = row?.now_ms ?? (await readNowMs(within));
      const { state, isNews = false, result } = change(row?.state, nowMs);
      if (state !== undefined) {
        const changed = { state, changed_ms: Math.floor(nowMs) };
        if (row) await changeRows(within, 'shared_state', { name }, changed);
        else {
          const { numInsertedOrUpdatedRows } = await within
            .insertInto('shared_state')
            .values({ name, ...changed })
            .onConflict((conflict) => conflict.doNothing())
            .executeTakeFirstOrThrow();
          if (numInsertedOrUpdatedRows === 0n) return undefined;
        }
      }
      const news: News = { from: owner, name };
      if (isNews) await sql`SELECT pg_notify(${CHANNEL}, ${JSON.stringify(news)})`.execute(within);
      return { result };
    });

  const changeInTurn = async <Result>(name: string, change: Change<Result>): Promise<Result> => {
    for (;;) {
      const done = await tryToChange(name, change);
      if (done) return done.result;
    }
  };

  return {
    change: (name, change) => turns.use(() => changeInTurn(name, change)),
    watch: (hear) => {
      hearers.add(hear);
      return () => void hearers.delete(hear);
    },
  };
};
