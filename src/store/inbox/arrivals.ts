import { type Selectable, sql, type Transaction } from 'kysely';
import { messageKey, type Channel, type MessageRef } from '../../model/place.ts';
import {
  changeOf,
  CLEARED,
  DELETION,
  insertWithoutMessage,
  partitionOfChange,
  partitionPlaceOf,
} from './changed-rows.ts';
import { oldestSource } from '../channels/mirror-rows.ts';
import type { InboxDeps } from './claims.ts';
import {
  abandoned,
  type Accepted,
  type Arrival,
  contentHash,
  DELETED,
  FORMER_HASH_LENGTH,
  FRESH,
  isOpen,
  isRow,
  keyColumns,
  latePurpose,
  refColumns,
  rowChannel,
  skippedHash,
  sourceColumns,
  storedAuthor,
  toStored,
  WATCH,
} from './row.ts';
import type { Schema } from '../schema.ts';
import { channelColumns, readRow, readRows, statement } from '../rows.ts';

/** The columns of a row that do not depend on its message. */
type Fixed = keyof typeof FRESH | 'revision' | 'untold';

type InboxColumns = Selectable<Schema['inbox']>;

interface ArrivalRow
  extends Omit<InboxColumns, Fixed>, Pick<InboxColumns, 'state' | 'reason' | 'due_ms'> {
  /** Partition of the row if it is a change of a settled one. */
  readonly change: string;
  readonly change_slot: number;
  /** Length of the hashes that are taken for equal; -1 for none. */
  readonly equal_length: number;
  /** The hash of what stays as it is; `none` for none. */
  readonly same_hash: string;
  /** The beginning of the hashes of what stays skipped. */
  readonly skipped: string;
}

const insertRow = statement(
  (db, { change, change_slot, equal_length, same_hash, skipped, ...row }: ArrivalRow) =>
    db
      .insertInto('inbox')
      .values({ ...FRESH, ...row, revision: 1 })
      .onConflict((conflict) =>
        conflict
          .columns(['platform', 'channel_id', 'message_id', 'purpose'])
          .doUpdateSet((eb) => ({
            author_id: eb.ref('excluded.author_id'),
            parent_id: eb.ref('excluded.parent_id'),
            message: eb.ref('excluded.message'),
            content_hash: eb.ref('excluded.content_hash'),
            version: eb.ref('excluded.version'),
            ...partitionOfChange(change, change_slot),
            revision: sql<number>`inbox.revision + 1`,
            // What stands of a former state is to go, though nothing new is to stand.
            ...FRESH,
            reason: eb.ref('excluded.reason'),
            changed_ms: sql<number>`CASE WHEN inbox.begun > 0 THEN inbox.changed_ms
            ELSE excluded.changed_ms END`,
          }))
          .whereRef('inbox.content_hash', '<>', 'excluded.content_hash')
          .whereRef('inbox.version', '<=', 'excluded.version')
          .where(sql`length(inbox.content_hash)`, '<>', equal_length)
          .where('inbox.content_hash', '<>', same_hash)
          .where(sql<boolean>`substr(inbox.content_hash, 1, length(${skipped})) <> ${skipped}`)
          // A report that comes late brings no message back; a flag can be pressed again.
          .where((eb) =>
            eb.or([eb('inbox.content_hash', '<>', DELETED), eb('inbox.purpose', '<>', WATCH)]),
          ),
      )
      .returning(['revision', 'partition_key']),
);

/** Notes that a later state of a message has the content of the stored one. */
const raiseVersion = statement(
  (db, { version, ...key }: ReturnType<typeof keyColumns> & { version: string }) =>
    db
      .updateTable('inbox')
      .set({ version })
      .where(isRow(key))
      .where('content_hash', '<>', DELETED)
      .where('version', '<', version),
);

/** Has what waits for the present words of a message be prepared anew: another process may be at work with the former ones. */
const renewUnread = statement((db, ref: ReturnType<typeof refColumns>) =>
  db
    .updateTable('inbox')
    .set((eb) => ({ revision: eb('revision', '+', 1) }))
    .where((eb) => eb.and(ref))
    .where('purpose', 'like', `${latePurpose('')}%`)
    .where('state', '=', 'waiting')
    .where('message', 'is', null),
);

/** Has the row of a deleted message wait for what is left to do of it; returns its partition. */
const markLeft = async (
  db: Transaction<Schema>,
  ref: MessageRef,
  nowMs: number,
): Promise<readonly string[]> => {
  const key = { ref, purpose: WATCH };
  await insertWithoutMessage(db, key, nowMs, DELETION);
  const rows = await db
    .updateTable('inbox')
    .set(FRESH)
    .where(isRow(keyColumns(key)))
    .returning('partition_key')
    .execute();
  return rows.map(({ partition_key }) => partition_key);
};

/**
 * Lists our messages with the words of a deleted one under which flags were pressed. What those brought has its words too,
 * and goes with them at once: made anew without them, it would stand as it is as long as nothing can be translated. Under
 * one that shows several, a flag means one of them.
 */
const flaggedCopies = async (
  db: Transaction<Schema>,
  ref: MessageRef,
): Promise<readonly MessageRef[]> => {
  const rows = await db
    .selectFrom('mirror_message')
    .innerJoin('inbox', (join) =>
      join
        .onRef('inbox.platform', '=', 'mirror_message.target_platform')
        .onRef('inbox.channel_id', '=', 'mirror_message.target_channel_id')
        .onRef('inbox.message_id', '=', 'mirror_message.message_id'),
    )
    .select(['inbox.platform', 'inbox.space_id', 'inbox.channel_id', 'inbox.parent_id'])
    .select('inbox.message_id')
    .distinct()
    .where((eb) => eb.and(sourceColumns(ref)))
    .execute();
  const copies: MessageRef[] = [];
  for (const row of rows) {
    const copy = { channel: rowChannel(row), id: row.message_id };
    const meant = await oldestSource(db, copy);
    if (meant && messageKey(meant.ref) === messageKey(ref)) copies.push(copy);
  }
  return copies;
};

/** Creates the part of the inbox that stores new, changed and deleted messages. */
export const createArrivalStore = ({ store, now }: InboxDeps) => ({
  /** Stores a message. Resolves with its novelty and the partition that must process it. */
  accept: ({
    message,
    purpose,
    partition,
    writtenMs,
    skip,
    dueMs = 0,
    isReread = false,
  }: Arrival): Promise<{ readonly was: Accepted; readonly partition: string }> =>
    store.write(
      async (db) => {
        const { ref, position, version = '' } = message;
        const key = keyColumns({ ref, purpose });
        const [change, change_slot] = changeOf(ref);
        const { rows } = await insertRow(db, {
          ...key,
          space_id: ref.channel.space.id,
          parent_id: ref.channel.parentId ?? null,
          author_id: storedAuthor(message),
          ...partitionPlaceOf(partition),
          written_ms: writtenMs,
          // Before the database came back from a backup, it may have been posted already.
          begun: writtenMs <= (store.restoredMs() ?? 0) ? 1 : 0,
          position,
          message: skip === undefined ? JSON.stringify(toStored(message)) : null,
          content_hash: skip === undefined ? contentHash(message) : skippedHash(skip),
          version,
          state: skip === undefined ? 'waiting' : 'skipped',
          reason: skip ?? null,
          due_ms: dueMs,
          changed_ms: now(),
          change,
          change_slot,
          // A former hash cannot be compared; a message that nobody edited is as it was.
          equal_length: skip === undefined && !message.edited ? FORMER_HASH_LENGTH : -1,
          // What was written in a pause stays out, also once the channel is set up anew.
          skipped: skippedHash(isReread && !message.edited ? '' : 'paused'),
          same_hash: isReread ? contentHash(message) : 'none',
        });
        const [changed] = rows;
        if (!changed) {
          if (version !== '') await raiseVersion(db, { ...key, version });
          return { was: 'same', partition };
        }
        if (changed.revision > 1 && purpose === WATCH) await renewUnread(db, refColumns(ref));
        return {
          was: changed.revision === 1 ? 'new' : 'changed',
          partition: changed.partition_key,
        };
      },
      { separate: true },
    ),

  /**
   * Marks the rows of messages as deleted, with those of what flags brought that has their words, and has each that is quoted
   * processed. Resolves with the partitions that must process them.
   *
   * @param purpose the only purpose that is meant
   * @param isWatched true where reports of these messages may still come: they are then ignored
   */
  markDeleted: async (
    refs: readonly MessageRef[],
    {
      purpose,
      isWatched = false,
    }: { readonly purpose?: string; readonly isWatched?: boolean } = {},
  ): Promise<readonly string[]> => {
    return store.write(async (db) => {
      const marked: string[] = [];
      const all = [...refs];
      if (purpose === undefined)
        for (const ref of refs) all.push(...(await flaggedCopies(db, ref)));
      for (const ref of all) {
        for (const mirror of await readRows(db, 'mirror', sourceColumns(ref), ['purpose']))
          await insertWithoutMessage(db, { ref, purpose: mirror.purpose }, now(), CLEARED);
        const rows = await db
          .updateTable('inbox')
          .set({ ...FRESH, message: null, content_hash: DELETED, changed_ms: now() })
          .set(partitionOfChange(...changeOf(ref)))
          .set('revision', (eb) => eb('revision', '+', 1))
          .where((eb) => eb.and(refColumns(ref)))
          .where('content_hash', '<>', DELETED)
          .$if(purpose !== undefined, (query) => query.where('purpose', '=', purpose ?? ''))
          .returning('partition_key')
          .execute();
        marked.push(...rows.map(({ partition_key }) => partition_key));
        const isQuoted = await readRow(db, 'mirror', { quoted: messageKey(ref) }, ['source_id']);
        if (purpose === undefined && isQuoted) marked.push(...(await markLeft(db, ref, now())));
        if (isWatched && refs.includes(ref))
          await insertWithoutMessage(db, { ref, purpose: WATCH }, now(), DELETION);
      }
      return marked;
    });
  },

  /** Abandons the open rows of a channel. Resolves with their partitions. */
  abandon: async (channel: Channel, reason: string): Promise<readonly string[]> => {
    const rows = await store.write((db) =>
      db
        .updateTable('inbox')
        .set(abandoned(reason, now()))
        .where(isOpen)
        .where('content_hash', '<>', DELETED)
        .where((eb) => eb.and(channelColumns(channel)))
        .returning('partition_key')
        .execute(),
    );
    return rows.map(({ partition_key }) => partition_key);
  },
});
