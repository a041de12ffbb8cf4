import { sql, type Selectable, type Transaction } from 'kysely';
import type { Channel, MessageRef, Space } from '../../model/place.ts';
import type { Store } from '../index.ts';
import type { Schema } from '../schema.ts';
import { pick, statement } from '../statement.ts';
import { abandoned, FRESH, isOpen, keyColumns, refColumns } from './columns.ts';
import { DELETED, ownPartition, WATCH, type Accepted, type Arrival } from './row.ts';
import { contentHash, skippedHash, toStored } from './stored-message.ts';

/** A change of a message that was dealt with has its own partition: it holds up nothing that is new. */
const partitionOfChange = (own: string) =>
  sql<string>`CASE WHEN inbox.state IN ('waiting', 'working') THEN inbox.partition_key
    ELSE ${own} END`;

/** The columns of a row that a message gives. */
const GIVEN = [
  'platform',
  'channel_id',
  'message_id',
  'purpose',
  'space_id',
  'parent_id',
  'author_id',
  'partition_key',
  'written_ms',
  'position',
  'message',
  'content_hash',
  'state',
  'reason',
  'changed_ms',
] as const;

type Given = Pick<Selectable<Schema['inbox']>, (typeof GIVEN)[number]>;

const insertRow = statement((db, row: Given & { readonly change: string }) => {
  return db
    .insertInto('inbox')
    .values({ ...FRESH, ...pick(row, GIVEN), revision: 1, begun: 0 })
    .onConflict((conflict) =>
      conflict
        .columns(['platform', 'channel_id', 'message_id', 'purpose'])
        .doUpdateSet((eb) => ({
          author_id: eb.ref('excluded.author_id'),
          parent_id: eb.ref('excluded.parent_id'),
          message: eb.ref('excluded.message'),
          content_hash: eb.ref('excluded.content_hash'),
          partition_key: partitionOfChange(row.change),
          revision: sql<number>`inbox.revision + 1`,
          // What stands of a former state is to go, though nothing new is to stand.
          state: 'waiting',
          reason: eb.ref('excluded.reason'),
          attempts: 0,
          due_ms: 0,
          epoch: 0,
          changed_ms: eb.ref('excluded.changed_ms'),
        }))
        .whereRef('inbox.content_hash', '<>', 'excluded.content_hash')
        // A report that comes late brings no message back; a flag can be pressed again.
        .where((eb) =>
          eb.or([eb('inbox.content_hash', '<>', DELETED), eb('inbox.purpose', '<>', WATCH)]),
        ),
    )
    .returning(['revision', 'partition_key']);
});

/** Makes rows for the mirrors of a message whose own were cleared after their time. */
const keepRowsOfMirrors = async (
  db: Transaction<Schema>,
  ref: MessageRef,
  nowMs: number,
): Promise<void> => {
  const mirrors = await db
    .selectFrom('mirror')
    .select('purpose')
    .where('source_platform', '=', ref.channel.space.platform)
    .where('source_channel_id', '=', ref.channel.id)
    .where('source_id', '=', ref.id)
    .execute();
  for (const { purpose } of mirrors)
    await db
      .insertInto('inbox')
      .values({
        ...keyColumns({ ref, purpose }),
        space_id: ref.channel.space.id,
        parent_id: ref.channel.parentId ?? null,
        author_id: '',
        partition_key: ownPartition('deleted', ref),
        written_ms: 0,
        position: '',
        message: null,
        content_hash: 'cleared',
        revision: 1,
        ...FRESH,
        state: 'posted',
        begun: 1,
        changed_ms: nowMs,
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
};

/** Takes what comes to the inbox: messages, and what becomes of them on their platform. */
export const createArrivalStore = ({
  store,
  now,
}: {
  readonly store: Store;
  readonly now: () => number;
}) => ({
  /** Resolves with what the message was to the inbox, and the partition in which it is work. */
  accept: ({
    message,
    purpose,
    partition,
    writtenMs,
    skip,
  }: Arrival): Promise<{ readonly was: Accepted; readonly partition: string }> =>
    store.write(async (db) => {
      const { ref, position, author } = message;
      const { rows } = await insertRow(db, {
        ...keyColumns({ ref, purpose }),
        space_id: ref.channel.space.id,
        parent_id: ref.channel.parentId ?? null,
        author_id: author.id,
        partition_key: partition,
        written_ms: writtenMs,
        position,
        message: skip === undefined ? JSON.stringify(toStored(message)) : null,
        content_hash: skip === undefined ? contentHash(message) : skippedHash(skip),
        state: skip === undefined ? 'waiting' : 'skipped',
        reason: skip ?? null,
        changed_ms: now(),
        change: ownPartition('change', ref),
      });
      const [changed] = rows;
      if (!changed) return { was: 'same', partition };
      return {
        was: changed.revision === 1 ? 'new' : 'changed',
        partition: changed.partition_key,
      };
    }),

  /** Marks what is kept of messages as deleted; resolves with the partitions in which that is work. */
  markDeleted: (refs: readonly MessageRef[], purpose?: string): Promise<readonly string[]> =>
    store.write(async (db) => {
      const partitions: string[] = [];
      for (const ref of refs) {
        await keepRowsOfMirrors(db, ref, now());
        const rows = await db
          .updateTable('inbox')
          .set({ ...FRESH, message: null, content_hash: DELETED, changed_ms: now() })
          .set({ partition_key: partitionOfChange(ownPartition('change', ref)) })
          .set('revision', (eb) => eb('revision', '+', 1))
          .where((eb) => eb.and(refColumns(ref)))
          .where('content_hash', '<>', DELETED)
          .$if(purpose !== undefined, (query) => query.where('purpose', '=', purpose ?? ''))
          .returning('partition_key')
          .execute();
        partitions.push(...rows.map(({ partition_key }) => partition_key));
      }
      return partitions;
    }),

  /** Gives up what waits in a place; resolves with the partitions of it. */
  abandon: async (where: Channel | Space, reason: string): Promise<readonly string[]> => {
    const rows = await store.write((db) =>
      db
        .updateTable('inbox')
        .set(abandoned(reason, now()))
        .where(isOpen)
        .where('content_hash', '<>', DELETED)
        .where((eb) =>
          'space' in where
            ? eb.and({ platform: where.space.platform, channel_id: where.id })
            : eb.and({ platform: where.platform, space_id: where.id }),
        )
        .returning('partition_key')
        .execute(),
    );
    return rows.map(({ partition_key }) => partition_key);
  },
});
