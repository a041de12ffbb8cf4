import type { Transaction } from 'kysely';
import type { AwaitedAnswer } from '../ports/store.ts';
import type { Store } from './index.ts';
import { deleteRows } from './rows.ts';
import type { Schema } from './schema.ts';
import { RELAXED } from './writer.ts';

/** An awaited answer, with its platform and the process that works on it. */
interface StoredAnswer extends AwaitedAnswer {
  readonly id: string;
  readonly platform: string;
  readonly process: string;
}

export type OpenAnswerStore = ReturnType<typeof createOpenAnswerStore>;

/** Creates the store of the answers that people wait for. Writes survive the end of the process. */
export const createOpenAnswerStore = (store: Store, now: () => number) => ({
  put: ({ id, platform, process, spaceId, memberId, address }: StoredAnswer): Promise<void> =>
    store.write(async (db) => {
      const row = { id, platform, process, space_id: spaceId, member_id: memberId, address };
      await db
        .insertInto('open_answer')
        .values({ ...row, since_ms: now() })
        .execute();
    }, RELAXED),

  end: (id: string): Promise<number> =>
    store.write((db) => deleteRows(db, 'open_answer', { id }), RELAXED),

  /** The processes in which answers are, or were, awaited. */
  processes: async (platform: string): Promise<readonly string[]> => {
    const rows = await store
      .selectFrom('open_answer')
      .select('process')
      .distinct()
      .where('platform', '=', platform)
      .execute();
    return rows.map(({ process }) => process);
  },

  /** Takes the answers of a process that has ended; each is taken once. */
  take: (platform: string, process: string): Promise<readonly AwaitedAnswer[]> =>
    store.write(async (db) => {
      const rows = await db
        .deleteFrom('open_answer')
        .where((eb) => eb.and({ platform, process }))
        .returningAll()
        .execute();
      return rows.map((row) => ({
        spaceId: row.space_id,
        memberId: row.member_id,
        address: row.address,
      }));
    }),
});

/** Deletes, within a transaction, answers that were awaited before a time, which nobody awaits any more. */
export const clearOpenAnswers = async (
  db: Transaction<Schema>,
  beforeMs: number,
): Promise<void> => {
  await db.deleteFrom('open_answer').where('since_ms', '<', beforeMs).execute();
};
