import type { ExpressionBuilder } from 'kysely';
import { DAY_MS } from '../../async/clock.ts';
import type { ErrorCode, Sentence } from '../../errors.ts';
import type { Channel, MessageRef, Space } from '../../model/place.ts';
import type { HistoryGap } from '../channels/histories.ts';
import type { Store } from '../index.ts';
import type { Schema } from '../schema.ts';
import { spaceColumns } from '../rows.ts';
import {
  isDead,
  isInPause,
  isOf,
  isOpen,
  isOverLimit,
  lateIn,
  readSentence,
  rowChannel,
  skippedHash,
  WATCH,
} from './row.ts';

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
    .where(isOf(space))
    .where(isOpen)
    .where((eb) => eb.not(isInPause))
    .executeTakeFirstOrThrow();
  const failed = await store
    .selectFrom('inbox')
    .select('sentence')
    .where(isOf(space))
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
    .where(isOverLimit)
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

/** Attempts after which a refused message is retried only where somebody asks for it: each costs its translations. */
const MOST_ATTEMPTS = 3;
/** Conversations of which refused messages are retried at once. */
const MOST_REFUSED = 500;

const REVIVED = { state: 'waiting', reason: null, due_ms: 0, epoch: 0 } as const;

/** Refused messages of one channel or thread, for one purpose as it is stored. */
export interface RefusedMessages {
  readonly channel: Channel;
  readonly purpose: string;
}

const refusedFrom = (space: Space, from: string) => (eb: ExpressionBuilder<Schema, 'inbox'>) =>
  eb.and([
    eb.and({ ...spaceColumns(space), reason: 'forbidden' }),
    eb('position', '>=', from),
    eb('attempts', '<=', MOST_ATTEMPTS),
  ]);

/** Lists where messages of a space stand, from a position on, that were refused and may be retried. */
export const refusedIn = async (
  store: Store,
  space: Space,
  from: string,
): Promise<readonly RefusedMessages[]> => {
  const rows = await store
    .selectFrom('inbox')
    .select(['platform', 'space_id', 'channel_id', 'parent_id', 'purpose'])
    .distinct()
    .where(isDead)
    .where(refusedFrom(space, from))
    .limit(MOST_REFUSED)
    .execute();
  return rows.map((row) => ({ channel: rowChannel(row), purpose: row.purpose }));
};

type Partitions = readonly string[];

/**
 * Retries refused messages that are not shown as they are now in one of these channels. Their attempts go on, so that
 * they are retried a few times only. Resolves with their partitions, one for each row.
 */
export const reviveRefused = async (
  store: Store,
  { channel, purpose }: RefusedMessages,
  from: string,
  targets: readonly Channel[],
): Promise<Partitions> => {
  const shown = lateIn(purpose) === undefined ? purpose : WATCH;
  const rows = await store.write((db) =>
    db
      .updateTable('inbox')
      .set(REVIVED)
      .where(isDead)
      .where(refusedFrom(channel.space, from))
      .where((eb) => eb.and({ channel_id: channel.id, purpose }))
      .where((eb) =>
        eb.or(
          targets.map(({ space, id }) =>
            eb.not(
              eb.exists(
                eb
                  .selectFrom('mirror')
                  .select('mirror.source_id')
                  .whereRef('mirror.source_platform', '=', 'inbox.platform')
                  .whereRef('mirror.source_channel_id', '=', 'inbox.channel_id')
                  .whereRef('mirror.source_id', '=', 'inbox.message_id')
                  .where('mirror.purpose', '=', shown)
                  .where('target_platform', '=', space.platform)
                  .where((of) => of.or({ target_channel_id: id, target_parent_id: id }))
                  .where((of) =>
                    of.or([
                      of('mirror.content_hash', '=', of.ref('inbox.content_hash')),
                      of('mirror.content_hash', 'like', `${skippedHash('')}%`),
                    ]),
                  ),
              ),
            ),
          ),
        ),
      )
      .returning('partition_key')
      .execute(),
  );
  return rows.map(({ partition_key }) => partition_key);
};

/**
 * Retries the dead rows of a space, and makes those due that wait. Resolves with the partitions of
 * all of them, one for each row; every process knows then.
 */
export const retryAll = async (store: Store, space: Space): Promise<Partitions> => {
  const rows = await store.write(async (db) => {
    await db
      .updateTable('inbox')
      .set({ ...REVIVED, attempts: 0 })
      .where((eb) => eb.and(spaceColumns(space)))
      .where(isDead)
      .execute();
    const open = db.updateTable('inbox').set({ due_ms: 0 }).where(isOf(space)).where(isOpen);
    const all = await open
      .where((eb) => eb.not(isInPause))
      .returning('partition_key')
      .execute();
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
        .where((eb) => eb.not(isInPause))
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
