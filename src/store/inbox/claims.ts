import type { Selectable, Transaction } from 'kysely';
import type { Store } from '../index.ts';
import type { Schema } from '../schema.ts';
import { channelOf, isKey, isOpen } from './columns.ts';
import { GONE, type Partition, type Outcome, type Row } from './row.ts';
import type { StoredMessage } from './stored-message.ts';

export interface ClaimDeps {
  readonly store: Store;
  /** This process, and no other, while it runs. */
  readonly owner: string;
  readonly now: () => number;
  readonly leaseMs: number;
}

/** What is due later than this is due now: the clock was set back. */
const LONGEST_AHEAD_MS = 900_000;

const messageOf = (
  row: Pick<Selectable<Schema['inbox']>, 'message' | 'content_hash' | 'reason'>,
): Row['message'] => {
  if (row.content_hash === GONE) return 'gone';
  if (row.reason !== null) return 'skipped';
  return row.message === null ? 'unread' : (JSON.parse(row.message) as StoredMessage);
};

/** The inbox as its workers see it: rows that one owner has at a time, under a lease. */
export const createClaims = ({ store, owner, now, leaseMs }: ClaimDeps) => ({
  /**
   * The first rows of a lane, at most `limit`, now ours until the lease ends; none where the first is
   * somebody else's, or not due. `nextDueMs` is when to look again, if nothing comes before.
   */
  claim: ({ platform, lane }: Partition, limit: number) =>
    store.note(async (db): Promise<{ rows: readonly Row[]; nextDueMs: number | undefined }> => {
      const at = now();
      const open = await db
        .selectFrom('inbox')
        .selectAll()
        .where((eb) => eb.and({ platform, lane }))
        .where(isOpen)
        .orderBy('position')
        .orderBy('purpose')
        .limit(limit)
        .execute();
      const rows: Row[] = [];
      let nextDueMs: number | undefined;
      for (const row of open) {
        // What is ours was left by a round that failed: of one lane there is one at a time.
        const isTheirs = row.state === 'working' && row.owner !== owner;
        const leasedUntilMs = isTheirs ? (row.lease_until_ms ?? 0) : 0;
        const startMs = Math.max(row.due_ms, leasedUntilMs);
        if (startMs > at && startMs - at <= LONGEST_AHEAD_MS) {
          nextDueMs = startMs;
          break;
        }
        const key = {
          ref: { channel: channelOf(row), id: row.message_id },
          purpose: row.purpose,
        };
        const attempts = row.attempts + 1;
        await db
          .updateTable('inbox')
          .set({
            state: 'working',
            owner,
            lease_until_ms: at + leaseMs,
            attempts,
            begun: row.begun + 1,
          })
          .where(isKey(key))
          .execute();
        rows.push({
          ...key,
          lane,
          position: row.position,
          authorId: row.author_id,
          message: messageOf(row),
          skip: row.reason ?? undefined,
          contentHash: row.content_hash,
          revision: row.revision,
          attempts,
          again: row.begun > 0,
        });
      }
      return { rows, nextDueMs };
    }),

  /** Whether the row is still ours, and the message still as it was. */
  holds: async (row: Row): Promise<boolean> =>
    (await store
      .selectFrom('inbox')
      .select('revision')
      .where(isKey(row))
      .where('owner', '=', owner)
      .where('revision', '=', row.revision)
      .executeTakeFirst()) !== undefined,

  /** Within a transaction; false when the message changed meanwhile, and so waits anew. */
  settle: async (db: Transaction<Schema>, row: Row, outcome: Outcome): Promise<boolean> => {
    const { numUpdatedRows } = await db
      .updateTable('inbox')
      .set({
        state: outcome.state,
        reason: 'reason' in outcome ? outcome.reason : null,
        message: null,
        owner: null,
        begun: 0,
        changed_ms: now(),
      })
      .where(isKey(row))
      .where('owner', '=', owner)
      .where('revision', '=', row.revision)
      .executeTakeFirstOrThrow();
    return numUpdatedRows > 0n;
  },

  /** Gives rows back; those that were not tried do not count the attempt. */
  release: (rows: readonly Row[], { tried, dueMs }: { tried: number; dueMs: number }) =>
    store.note(async (db) => {
      for (const [index, row] of rows.entries())
        await db
          .updateTable('inbox')
          .set({
            state: 'waiting',
            owner: null,
            attempts: index < tried ? row.attempts : row.attempts - 1,
            due_ms: index < tried ? dueMs : 0,
          })
          .where(isKey(row))
          .where('owner', '=', owner)
          .where('revision', '=', row.revision)
          .execute();
    }),

  /** Keeps what is ours for another lease. */
  renew: () =>
    store.note(async (db) => {
      await db
        .updateTable('inbox')
        .set({ lease_until_ms: now() + leaseMs })
        .where('owner', '=', owner)
        .where(isOpen)
        .execute();
    }),

  /**
   * Ends the leases of others: for a database that only one process works on at a time. Whatever is
   * open may have been begun, for notes of that can be lost with the machine.
   */
  takeOver: (platform: string) =>
    store.note(async (db) => {
      await db
        .updateTable('inbox')
        .set({ state: 'waiting', owner: null })
        .set('begun', (eb) => eb('begun', '+', 1))
        .where('platform', '=', platform)
        .where(isOpen)
        .where((eb) => eb.or([eb('owner', '<>', owner), eb('owner', 'is', null)]))
        .execute();
    }),
});
