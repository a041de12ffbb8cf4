import { type Kysely, sql } from 'kysely';
import { createSemaphore } from '../../async/locks.ts';
import type { SharedStates, StateChange } from '../../ports/store.ts';
import type { Schema } from '../schema.ts';
import type { ListenSession } from './session.ts';

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
      if (state !== undefined && row)
        await within
          .updateTable('shared_state')
          .set({ state, changed_ms: Math.floor(nowMs) })
          .where('name', '=', name)
          .execute();
      else if (state !== undefined) {
        const { numInsertedOrUpdatedRows } = await within
          .insertInto('shared_state')
          .values({ name, state, changed_ms: Math.floor(nowMs) })
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirstOrThrow();
        if (numInsertedOrUpdatedRows === 0n) return undefined;
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
