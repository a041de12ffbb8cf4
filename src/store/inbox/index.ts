import { DAY_MS } from '../../async/clock.ts';
import type { Channel, MessageRef, Space, Person } from '../../model/place.ts';
import { createArrivalStore } from './arrivals.ts';
import { createClaims, type InboxDeps } from './claims.ts';
import {
  isOpen,
  refColumns,
  rowChannel,
  sourceColumns,
  abandoned,
  DELETED,
  SETTLED,
  isDead,
  readSentence,
} from './row.ts';
import type { Transaction } from 'kysely';
import type { Store } from '../index.ts';
import { spaceColumns } from '../rows.ts';
import type { Schema } from '../schema.ts';
import type { ErrorCode, Sentence } from '../../errors.ts';
import type { HistoryGap } from '../channels/histories.ts';

/** An outage of the service, for all of these languages; codes in BCP 47. */
export interface Outage {
  readonly languages: readonly string[];
  readonly reason: Sentence;
}

/** Pending and failed work in the watched channels of a space. */
export interface Backlog {
  readonly waiting: number;
  /** The time at which the oldest pending message was written, ms since 1970. */
  readonly oldestMs: number | undefined;
  readonly dead: number;
  /** Messages of the last 24 hours that were not translated because of the daily limit. */
  readonly overLimit: number;
  /** The newest failed messages, with the reason of each. */
  readonly newestDead: readonly {
    readonly ref: MessageRef;
    readonly code: ErrorCode;
    readonly reason: Sentence;
    /** Permissions that the targets of a forbidden message in the space lack now. */
    readonly lacks?: readonly {
      readonly channel: Channel;
      readonly permissions: readonly string[];
    }[];
  }[];
  /** Times whose messages were missed and could not be read, the newest first. */
  readonly gaps: readonly HistoryGap[];
  /** The outage that messages of the space wait for; undefined where there is none. */
  readonly outage: Outage | undefined;
}

export interface Inbox {
  backlog(space: Space): Promise<Backlog>;
  /** Retries all failed messages of the space; resolves with their number. */
  revive(space: Space): Promise<number>;
}

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

    /**
     * Lists the purposes for which a message is in the inbox, or was before its row was cleared and
     * its mirrors stayed.
     */
    purposes: async (ref: MessageRef): Promise<readonly string[]> => {
      const rows = await store
        .selectFrom('inbox')
        .select('purpose')
        .where((eb) => eb.and(refColumns(ref)))
        .union(
          store
            .selectFrom('mirror')
            .select('purpose')
            .where((eb) => eb.and(sourceColumns(ref))),
        )
        .execute();
      return rows.map(({ purpose }) => purpose);
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
        .where((eb) => eb.and(spaceColumns(space)))
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
        .where('platform', 'in', platforms)
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
  { platform, id }: Person,
  nowMs: number,
): Promise<void> => {
  const own = { platform, author_id: id };
  await db
    .deleteFrom('inbox')
    .where((eb) => eb.and(own))
    .where('state', 'in', SETTLED)
    .execute();
  await db
    .updateTable('inbox')
    .set(abandoned(FORGOTTEN, nowMs))
    .where((eb) => eb.and(own))
    .where('content_hash', '<>', DELETED)
    .execute();
  await db
    .updateTable('inbox')
    .set({ author_id: '' })
    .where((eb) => eb.and(own))
    .execute();
};

/** Lists the open rows of a person's messages, and those of people who were forgotten. */
export const openRowsOf = async (
  store: Store,
  { platform, id }: Person,
): Promise<readonly { readonly ref: MessageRef; readonly partition: string }[]> => {
  const rows = await store
    .selectFrom('inbox')
    .select(['platform', 'space_id', 'channel_id', 'parent_id', 'message_id', 'partition_key'])
    .where('platform', '=', platform)
    .where((eb) => eb.or([eb('author_id', '=', id), eb('reason', '=', FORGOTTEN)]))
    .where(isOpen)
    .execute();
  return rows.map(openRow);
};

const MOST_LISTED = 10;

/** Counts a space's open and dead rows, and lists the newest dead ones. */
export const backlogOf = async (
  store: Store,
  space: Space,
  timeOf: (position: string) => number | undefined,
  nowMs: number,
): Promise<Omit<Backlog, 'gaps' | 'outage'>> => {
  const open = await store
    .selectFrom('inbox')
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min('position').as('oldest')])
    .where((eb) => eb.and(spaceColumns(space)))
    .where(isOpen)
    .executeTakeFirstOrThrow();
  const dead = store
    .selectFrom('inbox')
    .where((eb) => eb.and(spaceColumns(space)))
    .where(isDead);
  const { count } = await dead
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  const limited = await store
    .selectFrom('inbox')
    .select(({ fn }) => [fn.countAll<number>().as('count')])
    .where((eb) => eb.and(spaceColumns(space)))
    .where('changed_ms', '>=', nowMs - DAY_MS)
    .where('state', '=', 'skipped')
    .where('reason', '=', 'daily-limit')
    .executeTakeFirstOrThrow();
  const newest = await dead
    .select(['platform', 'space_id', 'channel_id', 'parent_id', 'message_id', 'reason', 'sentence'])
    .orderBy('position', 'desc')
    .limit(MOST_LISTED)
    .execute();
  return {
    waiting: open.count,
    oldestMs: open.oldest ? timeOf(open.oldest) : undefined,
    dead: count,
    overLimit: limited.count,
    newestDead: newest.map((row) => {
      const code = (row.reason ?? 'internal') as ErrorCode;
      const ref = { channel: rowChannel(row), id: row.message_id };
      return { ref, code, reason: readSentence(row.sentence, code) };
    }),
  };
};

/**
 * Retries the dead rows of a space, or only those that died for a reason from a position on.
 * Resolves with their partitions, one for each row.
 */
export const reviveDead = async (
  store: Store,
  space: Space,
  only?: { readonly reason: ErrorCode; readonly from: string },
): Promise<readonly string[]> => {
  const rows = await store.write((db) =>
    db
      .updateTable('inbox')
      .set({ state: 'waiting', reason: null, attempts: 0, due_ms: 0, epoch: 0 })
      .where((eb) => eb.and(spaceColumns(space)))
      .where(isDead)
      .$if(only !== undefined, (query) =>
        query.where('reason', '=', only?.reason ?? null).where('position', '>=', only?.from ?? ''),
      )
      .returning('partition_key')
      .execute(),
  );
  return rows.map(({ partition_key }) => partition_key);
};
