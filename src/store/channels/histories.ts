import type { Channel, Space } from '../../model/place.ts';
import type { Store } from '../index.ts';
import { rowChannel } from '../inbox/row.ts';
import {
  channelColumns,
  deleteRows,
  deleteRowsAround,
  putRow,
  readRow,
  readRows,
  spaceColumns,
  statement,
} from '../rows.ts';
import { RELAXED } from '../writer.ts';
import { clearMarks, markName, marksBegin } from './marks.ts';

/** The reason for which messages were not read: all of them may not be, or only few at a time. */
export type GapReason = 'forbidden' | 'limited';

/** A time of a channel whose messages may be missing, ms since 1970. */
export interface HistoryGap {
  readonly channel: Channel;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly reason: GapReason;
}

export type HistoryGaps = ReturnType<typeof createHistoryGaps>;

/** Records the times of channels in which messages were missed and could not be read afterwards. */
export const createHistoryGaps = (store: Store) => ({
  /**
   * Records a gap; one that begins at the same time is extended. Resolves with true where people
   * have to be told: a history that may not be read is told once.
   */
  put: ({ channel, fromMs, untilMs, reason }: HistoryGap): Promise<boolean> =>
    store.write(async (db) => {
      const known = await readRows(db, 'history_gap', channelColumns(channel), [
        'from_ms',
        'reason',
      ]);
      await putRow(
        db,
        'history_gap',
        { ...channelColumns(channel), from_ms: fromMs },
        { until_ms: untilMs, reason },
        { space_id: channel.space.id, parent_id: channel.parentId ?? null },
      );
      return !known.some(
        (gap) => gap.reason === reason && (reason === 'forbidden' || gap.from_ms === fromMs),
      );
    }),
  /** Lists the gaps of a space, the newest first. */
  of: async (space: Space): Promise<readonly HistoryGap[]> => {
    const rows = await store
      .selectFrom('history_gap')
      .selectAll()
      .where((eb) => eb.and(spaceColumns(space)))
      .orderBy('until_ms', 'desc')
      .execute();
    return rows.map((row) => ({
      channel: rowChannel(row),
      fromMs: row.from_ms,
      untilMs: row.until_ms,
      reason: row.reason,
    }));
  },
  /** Deletes the gaps of a channel and its threads. */
  remove: (channel: Channel): Promise<void> =>
    store.write((db) => deleteRowsAround(db, 'history_gap', channel)),
});

const KIND = 'history owed';

const standingMark = statement(
  (db, { pattern, nowMs }: { readonly pattern: string; readonly nowMs: number }) =>
    db
      .selectFrom('agreement')
      .select('name')
      .where('name', 'like', pattern)
      .where('value', '>', nowMs)
      .limit(1),
);

export type OwedHistories = ReturnType<typeof createOwedHistories>;

/**
 * Stores for which linked channels the history is still to be read before messages of their partition
 * are worked on. A mark outlives the process that set it, whose leases end with it, and lapses by itself.
 */
export const createOwedHistories = (store: Store, now: () => number) => ({
  /** Marks a channel until a time, ms since 1970, unless its space was left. */
  set: (partition: string, channel: Channel, untilMs: number): Promise<void> =>
    store.write(async (db) => {
      if (await readRow(db, 'left_space', spaceColumns(channel.space), ['left_ms'])) return;
      await putRow(
        db,
        'agreement',
        { name: markName(KIND, partition, channel) },
        { value: untilMs },
      );
    }, RELAXED),
  /** Removes the mark of a channel, and those that have lapsed. */
  remove: (partition: string, channel: Channel): Promise<void> =>
    store.write(async (db) => {
      await deleteRows(db, 'agreement', { name: markName(KIND, partition, channel) });
      await clearMarks(db, now());
    }, RELAXED),
  /** True while the history of a channel of a partition is owed. */
  isOwed: async (partition: string): Promise<boolean> => {
    const { rows } = await standingMark(store, {
      pattern: `${marksBegin(KIND, partition)}%`,
      nowMs: now(),
    });
    return rows.length > 0;
  },
});
