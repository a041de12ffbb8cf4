import { sql, type Transaction } from 'kysely';
import { channelKey, type MessageRef } from '../../model/place.ts';
import { slotOf } from '../rows.ts';
import type { Schema } from '../schema.ts';
import type { InboxDeps } from './claims.ts';
import {
  claimedColumns,
  FRESH,
  isBackfill,
  isClaimed,
  isInPause,
  isOpen,
  lateIn,
  latePartition,
  latePurpose,
  pausedIn,
  refColumns,
  type Row,
} from './row.ts';

const PARTITIONS_AT_ONCE = 500;

/** A channel for which a row waits in another partition: it is late, or the end of a pause has to come first. */
export interface LateRow {
  readonly partition: string;
  /** Key of the channel. */
  readonly to: string;
  /** True where its mirror may have been posted without being stored. */
  readonly mayExist: boolean;
  /** Tries so far. */
  readonly attempts: number;
  readonly dueMs: number;
}

/** Creates the part of the inbox in which messages wait for one channel alone. */
export const createLateRows = ({ store }: Pick<InboxDeps, 'store'>) => ({
  /**
   * Has a row wait for one channel besides, within the transaction that settles it or has it step aside; it replaces what
   * waits there for an earlier state of the message. Nothing happens when the message has changed and so waits again. A
   * pause may be long: its message is read again then, and no text of it is stored.
   */
  passOn: async (db: Transaction<Schema>, row: Row, late: LateRow): Promise<void> => {
    const { partition, to, mayExist, attempts, dueMs } = late;
    const hasText = pausedIn(partition) === undefined;
    // What waits for the end of a pause may be under way: two partitions could change its copy at the same time.
    const stays = hasText
      ? sql<boolean>`(inbox.state = 'waiting' AND ${isInPause})`
      : sql.lit(false);
    const own = { purpose: latePurpose(to), partition_key: partition, slot: slotOf(partition) };
    const state = { ...FRESH, attempts, due_ms: dueMs };
    const passed = [
      ...(['platform', 'channel_id', 'message_id', 'space_id', 'parent_id', 'author_id'] as const),
      ...(['written_ms', 'position', 'content_hash', 'version', 'changed_ms'] as const),
    ] as const;
    const values = { ...own, ...state, begun: Number(mayExist), reason: row.skip ?? null };
    const names = Object.keys(values) as (keyof typeof values)[];
    await db
      .insertInto('inbox')
      .columns([...passed, 'revision', 'message', ...names])
      .expression((eb) =>
        eb
          .selectFrom('inbox')
          .select([...passed, 'revision'])
          .select(hasText ? 'message' : eb.lit(null).as('message'))
          .select(
            names.map((name) => {
              const value = values[name];
              // PostgreSQL takes a parameter here for a text.
              return typeof value === 'string' ? eb.val(value).as(name) : eb.lit(value).as(name);
            }),
          )
          .where(isClaimed(claimedColumns(row))),
      )
      .onConflict((conflict) =>
        conflict.columns(['platform', 'channel_id', 'message_id', 'purpose']).doUpdateSet((on) => ({
          ...state,
          purpose: own.purpose,
          partition_key: sql<string>`CASE WHEN ${stays} THEN inbox.partition_key ELSE ${partition} END`,
          slot: sql<number>`CASE WHEN ${stays} THEN inbox.slot ELSE ${own.slot} END`,
          reason: on.ref('excluded.reason'),
          message: sql<string | null>`CASE WHEN ${stays} THEN NULL ELSE excluded.message END`,
          content_hash: on.ref('excluded.content_hash'),
          version: on.ref('excluded.version'),
          begun: sql<number>`inbox.begun + excluded.begun`,
          revision: sql<number>`inbox.revision + 1`,
        })),
      )
      .execute();
  },

  /** Lists the partitions of a group in which messages wait for late channels. */
  lateIn: async (group: string): Promise<readonly string[]> => {
    const all = latePartition(group, '');
    const rows = await store
      .selectFrom('inbox')
      .select('partition_key')
      .distinct()
      .where('slot', '=', slotOf(all))
      .where('partition_key', 'like', `${all}%`)
      .where(isOpen)
      .execute();
    return rows
      .map(({ partition_key }) => partition_key)
      .filter((one) => one.startsWith(all) && !isBackfill(one));
  },

  /** Counts the messages that wait in a partition, by the keys of their channels. */
  waitingFrom: async (partition: string): Promise<ReadonlyMap<string, number>> => {
    const rows = await store
      .selectFrom('inbox')
      .select(({ fn }) => ['platform', 'channel_id', fn.countAll<number>().as('count')])
      .where('slot', '=', slotOf(partition))
      .where('partition_key', '=', partition)
      .where(isOpen)
      .groupBy(['platform', 'channel_id'])
      .execute();
    return new Map(
      rows.map(({ platform, channel_id: id, count }) => [
        channelKey({ space: { platform, id: '' }, id }),
        count,
      ]),
    );
  },

  /** Counts the messages that wait in each of some partitions. */
  waitingIn: async (partitions: readonly string[]): Promise<ReadonlyMap<string, number>> => {
    const counts = new Map<string, number>();
    for (let at = 0; at < partitions.length; at += PARTITIONS_AT_ONCE) {
      const some = partitions.slice(at, at + PARTITIONS_AT_ONCE);
      const places = some.map((each) => sql`(${sql.lit(slotOf(each))}, ${each})`);
      const rows = await store
        .selectFrom('inbox')
        .select(({ fn }) => ['partition_key', fn.countAll<number>().as('count')])
        .where(sql<boolean>`(slot, partition_key) IN (VALUES ${sql.join(places)})`)
        .where(isOpen)
        .groupBy('partition_key')
        .execute();
      for (const { partition_key: partition, count } of rows) counts.set(partition, count);
    }
    return counts;
  },

  /** Lists the late channels, by their keys, for which a message waits. */
  waitsFor: async (ref: MessageRef): Promise<readonly string[]> => {
    const rows = await store
      .selectFrom('inbox')
      .select('purpose')
      .where((eb) => eb.and(refColumns(ref)))
      .where('state', '=', 'waiting')
      .execute();
    return rows.flatMap(({ purpose }) => lateIn(purpose) ?? []);
  },
});
