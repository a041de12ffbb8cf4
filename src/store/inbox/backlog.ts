import { DAY_MS } from '../../async/clock.ts';
import type { ErrorCode, Sentence } from '../../errors.ts';
import type { Channel, MessageRef, Space } from '../../model/place.ts';
import type { HistoryGap } from '../channels/histories.ts';
import type { Transaction } from 'kysely';
import type { Store } from '../index.ts';
import type { Schema } from '../schema.ts';
import { spaceColumns } from '../rows.ts';
import { isDead, isOpen, readSentence, rowChannel } from './row.ts';

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
  /** The reason for which the oldest message that failed waits to be tried again; undefined where none did. */
  readonly waitsFor: Sentence | undefined;
  readonly dead: number;
  /** Messages of the last 24 hours that were not translated because of the daily limit. */
  readonly overLimit: number;
  /** The newest failed messages, with the reason of each. */
  readonly newestDead: readonly {
    readonly ref: MessageRef;
    readonly code: ErrorCode;
    readonly reason: Sentence;
    /** The address at which people find the message; undefined on a platform without. */
    readonly link?: string;
    /** Permissions that the targets of a forbidden message in the space lack now. */
    readonly lacks?: readonly {
      readonly channel: Channel;
      readonly permissions: readonly string[];
    }[];
  }[];
  /** Times whose messages were missed and could not be read, the newest first. */
  readonly gaps: readonly HistoryGap[];
  /** Linked channels for which messages wait, with the language of each; one in the space, or of messages from it. */
  readonly late: readonly {
    readonly platform: string;
    readonly language: string;
    readonly waiting: number;
  }[];
  /** The outage that messages of the space wait for; undefined where there is none. */
  readonly outage: Outage | undefined;
  /** Why recordings of the space wait to be transcribed; undefined where none does. */
  readonly recordingsWait?: Sentence | undefined;
}

export interface Inbox {
  backlog(space: Space): Promise<Backlog>;
  /** Retries all messages of the space that failed or wait; resolves with their number. */
  revive(space: Space): Promise<number>;
}

const MOST_LISTED = 10;

/** Counts a space's open and dead rows, and lists the newest dead ones. */
export const backlogOf = async (
  store: Store,
  space: Space,
  timeOf: (position: string) => number | undefined,
  nowMs: number,
): Promise<Omit<Backlog, 'gaps' | 'late' | 'outage' | 'recordingsWait'>> => {
  const open = await store
    .selectFrom('inbox')
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min('position').as('oldest')])
    .where((eb) => eb.and(spaceColumns(space)))
    .where(isOpen)
    .executeTakeFirstOrThrow();
  const failed = await store
    .selectFrom('inbox')
    .select('sentence')
    .where((eb) => eb.and(spaceColumns(space)))
    .where(isOpen)
    .where('sentence', 'is not', null)
    .orderBy('written_ms')
    .limit(1)
    .executeTakeFirst();
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
    waitsFor: failed && readSentence(failed.sentence, 'unavailable'),
    dead: count,
    overLimit: limited.count,
    newestDead: newest.map((row) => {
      const code = (row.reason ?? 'internal') as ErrorCode;
      const ref = { channel: rowChannel(row), id: row.message_id };
      return { ref, code, reason: readSentence(row.sentence, code) };
    }),
  };
};

/** Retries the dead rows of a space that died for a reason from a position on, or all of them. */
const revive = async (
  db: Transaction<Schema>,
  space: Space,
  only?: { readonly reason: ErrorCode; readonly from: string },
) =>
  db
    .updateTable('inbox')
    .set({ state: 'waiting', reason: null, attempts: 0, due_ms: 0, epoch: 0 })
    .where((eb) => eb.and(spaceColumns(space)))
    .where(isDead)
    .$if(only !== undefined, (query) =>
      query.where('reason', '=', only?.reason ?? null).where('position', '>=', only?.from ?? ''),
    )
    .returning('partition_key')
    .execute();

type Partitions = readonly string[];

/** Retries rows as `revive` does. Resolves with their partitions, one for each row. */
export const reviveDead = async (
  store: Store,
  space: Space,
  only: { readonly reason: ErrorCode; readonly from: string },
): Promise<Partitions> => {
  const rows = await store.write((db) => revive(db, space, only));
  return rows.map(({ partition_key }) => partition_key);
};

/**
 * Retries the dead rows of a space, and makes those due that wait. Resolves with the partitions of
 * all of them, one for each row; every process knows then.
 */
export const retryAll = async (store: Store, space: Space): Promise<Partitions> => {
  const rows = await store.write(async (db) => {
    await revive(db, space);
    const open = db
      .updateTable('inbox')
      .set({ due_ms: 0 })
      .where((eb) => eb.and(spaceColumns(space)))
      .where(isOpen);
    const all = await open.returning('partition_key').execute();
    await store.signals.publish(db, 'retried', space);
    return all;
  });
  return rows.map(({ partition_key }) => partition_key);
};

/** Most rows that are looked at. */
const MOST_LOOKED_AT = 5_000;

/** The work that waits in the inbox. */
export interface WaitingWork {
  /** Number of open rows, up to 5,000. */
  readonly count: number;
  /** Time since which the oldest of them has had no outcome, ms since 1970. */
  readonly oldestMs: number | undefined;
}

/** Looks at the open rows of all spaces. */
export const waitingWork = async (store: Store): Promise<WaitingWork> => {
  const { count, oldest } = await store
    .selectFrom(
      store
        .selectFrom('inbox')
        .select('changed_ms')
        .where(isOpen)
        // The order of the index of open rows.
        .orderBy('slot')
        .orderBy('partition_key')
        .limit(MOST_LOOKED_AT)
        .as('open'),
    )
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min('changed_ms').as('oldest')])
    .executeTakeFirstOrThrow();
  return { count, oldestMs: oldest ?? undefined };
};
