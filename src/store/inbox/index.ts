import { sql, type ExpressionBuilder, type Selectable, type Transaction } from 'kysely';
import type { Channel, MessageRef, Space } from '../../model.ts';
import type { Store } from '../index.ts';
import type { Schema } from '../schema.ts';
import type { Writer } from '../writer.ts';
import { WATCH } from './purpose.ts';
import {
  GONE,
  type Accepted,
  type Arrival,
  type Lane,
  type Outcome,
  type Row,
  type RowKey,
} from './row.ts';
import { contentHash, skippedHash, toStored, type StoredMessage } from './stored-message.ts';

export interface InboxParts {
  readonly store: Store;
  readonly writer: Writer;
  /** This process, and no other, while it runs. */
  readonly owner: string;
  readonly now: () => number;
  readonly leaseMs: number;
}

const keyColumns = ({ ref, purpose }: RowKey) => ({
  platform: ref.channel.space.platform,
  channel_id: ref.channel.id,
  message_id: ref.id,
  purpose,
});

const isKey = (key: RowKey) => (eb: ExpressionBuilder<Schema, 'inbox'>) => eb.and(keyColumns(key));

const channelOf = (row: {
  platform: string;
  space_id: string;
  channel_id: string;
  parent_id: string | null;
}): Channel => ({
  space: { platform: row.platform, id: row.space_id },
  id: row.channel_id,
  ...(row.parent_id === null ? {} : { parentId: row.parent_id }),
});

/** In the very words of the index of open rows, which counts for nothing else. */
const isOpen = sql<boolean>`state IN ('waiting', 'working')`;
/** What is due later than this is due now: the clock was set back. */
const LONGEST_WAIT_MS = 900_000;
const FRESH = { state: 'waiting', reason: null, attempts: 0, due_ms: 0, owner: null } as const;

/** A change of what was dealt with has a lane of its own: it holds up nothing that is new. */
const laneOfChange = ({ channel, id }: MessageRef) =>
  sql<string>`CASE WHEN inbox.state IN ('waiting', 'working') THEN inbox.lane
    ELSE ${`change:${channel.id}:${id}`} END`;

const messageOf = (
  row: Pick<Selectable<Schema['inbox']>, 'message' | 'content_hash' | 'reason'>,
): Row['message'] => {
  if (row.content_hash === GONE) return 'gone';
  if (row.reason !== null) return 'skipped';
  return row.message === null ? 'unread' : (JSON.parse(row.message) as StoredMessage);
};

export type InboxStore = ReturnType<typeof createInboxStore>;

/**
 * Durable rows of what people wrote, one for each message and purpose. A row is done in the order of
 * its lane, by one owner at a time, under a lease; a change of the message makes it wait anew, and
 * what was made of its former state no longer counts.
 */
export const createInboxStore = ({ store, writer, owner, now, leaseMs }: InboxParts) => ({
  /** Resolves with what the message was to the inbox, and the lane in which it is work. */
  accept: ({
    message,
    purpose,
    lane,
    skip,
  }: Arrival): Promise<{ readonly was: Accepted; readonly lane: string }> =>
    writer.write(async (db) => {
      const { ref, position, author } = message;
      const changed = await db
        .insertInto('inbox')
        .values({
          ...keyColumns({ ref, purpose }),
          space_id: ref.channel.space.id,
          parent_id: ref.channel.parentId ?? null,
          author_id: author.id,
          lane,
          position,
          message: skip === undefined ? JSON.stringify(toStored(message)) : null,
          content_hash: skip === undefined ? contentHash(message) : skippedHash(skip),
          revision: 1,
          ...FRESH,
          ...(skip === undefined ? {} : { state: 'skipped', reason: skip }),
          begun: 0,
          lease_until_ms: null,
          changed_ms: now(),
        })
        .onConflict((conflict) =>
          conflict
            .columns(['platform', 'channel_id', 'message_id', 'purpose'])
            .doUpdateSet((eb) => ({
              message: eb.ref('excluded.message'),
              content_hash: eb.ref('excluded.content_hash'),
              lane: laneOfChange(ref),
              revision: sql<number>`inbox.revision + 1`,
              // What stands of a former state is to go, though nothing new is to stand.
              state: 'waiting',
              reason: eb.ref('excluded.reason'),
              attempts: 0,
              due_ms: 0,
              owner: null,
              changed_ms: eb.ref('excluded.changed_ms'),
            }))
            .whereRef('inbox.content_hash', '<>', 'excluded.content_hash')
            // A report that comes late brings no message back; a flag can be pressed again.
            .where((eb) =>
              eb.or([eb('inbox.content_hash', '<>', GONE), eb('inbox.purpose', '<>', WATCH)]),
            ),
        )
        .returning(['revision', 'lane'])
        .executeTakeFirst();
      if (!changed) return { was: 'same', lane };
      return { was: changed.revision === 1 ? 'new' : 'changed', lane: changed.lane };
    }),

  /** Marks what is kept of messages as gone; resolves with the lanes in which that is work. */
  gone: (refs: readonly MessageRef[], purpose?: string): Promise<readonly Lane[]> =>
    writer.write(async (db) => {
      const lanes: Lane[] = [];
      for (const ref of refs) {
        await keepRowOfCopies(db, ref, now());
        const { platform, channel_id, message_id } = keyColumns({ ref, purpose: '' });
        const rows = await db
          .updateTable('inbox')
          .set({ ...FRESH, message: null, content_hash: GONE, changed_ms: now() })
          .set({ lane: laneOfChange(ref) })
          .set('revision', (eb) => eb('revision', '+', 1))
          .where((eb) => eb.and({ platform, channel_id, message_id }))
          .where('content_hash', '<>', GONE)
          .$if(purpose !== undefined, (query) => query.where('purpose', '=', purpose ?? ''))
          .returning(['platform', 'lane'])
          .execute();
        lanes.push(...rows);
      }
      return lanes;
    }),

  /** What a message is in here for, or was before its row was cleared and of which copies stand. */
  purposes: async ({ channel, id }: MessageRef): Promise<readonly string[]> => {
    const { platform } = channel.space;
    const rows = await store
      .selectFrom('inbox')
      .select('purpose')
      .where((eb) => eb.and({ platform, channel_id: channel.id, message_id: id }))
      .union(
        store
          .selectFrom('copy')
          .select('purpose')
          .where((eb) => eb.and({ platform, source_channel_id: channel.id, source_id: id })),
      )
      .execute();
    return rows.map(({ purpose }) => purpose);
  },

  /** The newest messages of somebody in a space, at most `limit`. */
  writtenBy: async (
    { platform, id }: Space,
    authorId: string,
    limit: number,
  ): Promise<readonly MessageRef[]> => {
    const rows = await store
      .selectFrom('inbox')
      .select(['platform', 'space_id', 'channel_id', 'parent_id', 'message_id'])
      .distinct()
      .where('platform', '=', platform)
      .where('author_id', '=', authorId)
      .where('space_id', '=', id)
      .where('state', '<>', 'skipped')
      .orderBy('message_id', 'desc')
      .limit(limit)
      .execute();
    return rows.map((row) => ({ channel: channelOf(row), id: row.message_id }));
  },

  /** The lanes in which something waits or was begun. */
  lanes: (platform: string): Promise<readonly Lane[]> =>
    store
      .selectFrom('inbox')
      .select(['platform', 'lane'])
      .distinct()
      .where('platform', '=', platform)
      .where(isOpen)
      .execute(),

  /**
   * The first rows of a lane, at most `limit`, now ours until the lease ends; none where the first is
   * somebody else's, or not due. `nextDueMs` is when to look again, if nothing comes before.
   */
  claim: ({ platform, lane }: Lane, limit: number) =>
    writer.note(async (db): Promise<{ rows: readonly Row[]; nextDueMs: number | undefined }> => {
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
        const leasedUntilMs = row.state === 'working' ? (row.lease_until_ms ?? 0) : 0;
        const startMs = Math.max(row.due_ms, leasedUntilMs);
        if (startMs > at && startMs - at <= LONGEST_WAIT_MS) {
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
    writer.note(async (db) => {
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
    writer.note(async (db) => {
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
    writer.note(async (db) => {
      await db
        .updateTable('inbox')
        .set({ state: 'waiting', owner: null })
        .set('begun', (eb) => eb('begun', '+', 1))
        .where('platform', '=', platform)
        .where(isOpen)
        .where((eb) => eb.or([eb('owner', '<>', owner), eb('owner', 'is', null)]))
        .execute();
    }),

  /** What waits in a place is not to be translated any more; resolves with the lanes of it. */
  abandon: (where: Channel | Space, reason: string): Promise<readonly Lane[]> =>
    writer.write((db) =>
      db
        .updateTable('inbox')
        .set({ ...FRESH, reason, message: null, content_hash: skippedHash(reason) })
        .set({ changed_ms: now() })
        .set('revision', (eb) => eb('revision', '+', 1))
        .where(isOpen)
        .where('content_hash', '<>', GONE)
        .where((eb) =>
          'space' in where
            ? eb.and({ platform: where.space.platform, channel_id: where.id })
            : eb.and({ platform: where.platform, space_id: where.id }),
        )
        .returning(['platform', 'lane'])
        .execute(),
    ),
});

/** A row was cleared after its time, yet copies of its message still stand: one is made for them. */
const keepRowOfCopies = async (
  db: Transaction<Schema>,
  ref: MessageRef,
  nowMs: number,
): Promise<void> => {
  const { platform, channel_id, message_id } = keyColumns({ ref, purpose: '' });
  const copies = await db
    .selectFrom('copy')
    .select('purpose')
    .where('platform', '=', platform)
    .where('source_channel_id', '=', channel_id)
    .where('source_id', '=', message_id)
    .execute();
  for (const { purpose } of copies)
    await db
      .insertInto('inbox')
      .values({
        ...keyColumns({ ref, purpose }),
        space_id: ref.channel.space.id,
        parent_id: ref.channel.parentId ?? null,
        author_id: '',
        lane: `gone:${message_id}`,
        position: '',
        message: null,
        content_hash: 'cleared',
        revision: 1,
        ...FRESH,
        state: 'posted',
        begun: 1,
        lease_until_ms: null,
        changed_ms: nowMs,
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
};
