import type { Transaction } from 'kysely';
import type { MessageRef, Person, Space } from '../../model/place.ts';
import type { Store } from '../index.ts';
import { readRows } from '../rows.ts';
import type { Schema } from '../schema.ts';
import { createArrivalStore } from './arrivals.ts';
import { createClaims, type InboxDeps } from './claims.ts';
import { createLateRows } from './late-rows.ts';
import { createUntold } from './untold.ts';
import {
  abandoned,
  DELETED,
  isAmong,
  isBy,
  isInPause,
  isOf,
  isOpen,
  refColumns,
  rowChannel,
  SETTLED,
  sourceColumns,
  WATCH,
} from './row.ts';

const openRow = (
  row: Parameters<typeof rowChannel>[0] & {
    message_id: string;
    partition_key: string;
  },
) => ({
  ref: { channel: rowChannel(row), id: row.message_id },
  partition: row.partition_key,
});

export type InboxStore = ReturnType<typeof createInboxStore>;

/**
 * Creates the inbox: one durable row per message and purpose. The rows of a partition are processed
 * in order, by one tenure at a time. A change of the message makes its row wait again and
 * invalidates earlier results.
 */
export const createInboxStore = (deps: InboxDeps) => {
  const { store } = deps;
  return {
    ...createArrivalStore(deps),
    ...createClaims(deps),
    ...createLateRows(deps),
    untold: createUntold(store),

    /**
     * Lists the purposes for which a message is in the inbox, or was before its row was cleared and
     * its mirrors stayed.
     */
    purposes: async (ref: MessageRef): Promise<readonly string[]> => {
      const rows = await store
        .selectFrom('inbox')
        .select(['purpose', 'content_hash'])
        .where((eb) => eb.and(refColumns(ref)))
        .execute();
      const mirrors = await readRows(store, 'mirror', sourceColumns(ref), ['purpose']);
      // What a flag brought, and was removed, is no longer there.
      const gone = rows.filter((row) => row.content_hash === DELETED && row.purpose !== WATCH);
      const all = new Set([...rows, ...mirrors].map(({ purpose }) => purpose));
      for (const { purpose } of gone) all.delete(purpose);
      return [...all];
    },

    /**
     * Time at which what auto-translate shows of a message was made, ms since 1970; Infinity where it is still to be made, and
     * undefined where there is nothing.
     */
    shownMs: async (ref: MessageRef): Promise<number | undefined> => {
      const [row] = await store
        .selectFrom('inbox')
        .select(['state', 'changed_ms'])
        .where((eb) => eb.and(refColumns(ref)))
        .where('purpose', '=', WATCH)
        .execute();
      if (row?.state === 'waiting') return Infinity;
      if (row) return row.state === 'posted' ? row.changed_ms : undefined;
      const mirrors = await readRows(store, 'mirror', sourceColumns(ref), ['purpose', 'posted_ms']);
      return mirrors.find(({ purpose }) => purpose === WATCH)?.posted_ms;
    },

    /** Lists the newest messages of a person in a space, at most `limit`. */
    writtenBy: async (
      { platform, id }: Space,
      authorId: string,
      limit: number,
    ): Promise<readonly MessageRef[]> => {
      const rows = await store
        .selectFrom('inbox')
        .select(['platform', 'space_id', 'channel_id', 'parent_id', 'message_id', 'position'])
        .distinct()
        .where('platform', '=', platform)
        .where('author_id', '=', authorId)
        .where('space_id', '=', id)
        .where('state', '<>', 'skipped')
        .orderBy('position', 'desc')
        .limit(limit)
        .execute();
      return rows.map((row) => ({ channel: rowChannel(row), id: row.message_id }));
    },

    /** Lists the open rows of a space. */
    openIn: async (
      space: Space,
    ): Promise<readonly { readonly ref: MessageRef; readonly partition: string }[]> => {
      const rows = await store
        .selectFrom('inbox')
        .select(['platform', 'space_id', 'channel_id', 'parent_id', 'message_id', 'partition_key'])
        .where(isOf(space))
        .where(isOpen)
        .execute();
      return rows.map(openRow);
    },

    /**
     * Lists the partitions of slots that have open rows of any of these platforms, with the earliest time for which one is
     * due, ms since 1970; it may wait for those before it.
     */
    partitions: async (
      platforms: readonly string[],
      slots: readonly number[],
    ): Promise<readonly { readonly partition: string; readonly dueMs: number }[]> => {
      if (platforms.length === 0 || slots.length === 0) return [];
      const rows = await store
        .selectFrom('inbox')
        .select(({ fn }) => ['partition_key', fn.min('due_ms').as('due_ms')])
        .where('slot', 'in', slots)
        .where(isAmong(platforms))
        .where(isOpen)
        .groupBy('partition_key')
        .execute();
      return rows.map(({ partition_key: partition, due_ms: dueMs }) => ({ partition, dueMs }));
    },
  };
};

const FORGOTTEN = 'forgotten';

/**
 * Removes, within a transaction, all data that links messages to their author. The worker of an
 * open row's partition deletes its unfinished mirrors and settles it.
 */
export const forgetAuthor = async (
  db: Transaction<Schema>,
  person: Person,
  nowMs: number,
): Promise<void> => {
  await db
    .deleteFrom('inbox')
    .where(isBy(person))
    .where((eb) => eb.or([eb('state', 'in', SETTLED), isInPause]))
    .execute();
  await db
    .updateTable('inbox')
    .set(abandoned(FORGOTTEN, nowMs))
    .where(isBy(person))
    .where('content_hash', '<>', DELETED)
    .execute();
  await db.updateTable('inbox').set({ author_id: '' }).where(isBy(person)).execute();
};

/** Lists the open rows of a person's messages, and those of people who were forgotten. */
export const openRowsOf = async (
  store: Store,
  person: Person,
): Promise<readonly { readonly ref: MessageRef; readonly partition: string }[]> => {
  const rows = await store
    .selectFrom('inbox')
    .select(['platform', 'space_id', 'channel_id', 'parent_id', 'message_id', 'partition_key'])
    .where((eb) => eb.or([isBy(person)(eb), eb('reason', '=', FORGOTTEN)]))
    .where(isOpen)
    .execute();
  return rows.map(openRow);
};
