import type { Channel, Space } from '../../model/place.ts';
import type { Store } from '../index.ts';
import { rowChannel } from '../inbox/row.ts';

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

const columnsOf = ({ space, id }: Channel) => ({ platform: space.platform, channel_id: id });

/** Records the times of channels in which messages were missed and could not be read afterwards. */
export const createHistoryGaps = (store: Store) => ({
  /**
   * Records a gap; one that begins at the same time is extended. Resolves with true where people
   * have to be told: a history that may not be read is told once.
   */
  put: ({ channel, fromMs, untilMs, reason }: HistoryGap): Promise<boolean> =>
    store.write(async (db) => {
      const known = await db
        .selectFrom('history_gap')
        .select(['from_ms', 'reason'])
        .where((eb) => eb.and(columnsOf(channel)))
        .execute();
      const state = { until_ms: untilMs, reason };
      await db
        .insertInto('history_gap')
        .values({
          ...columnsOf(channel),
          space_id: channel.space.id,
          parent_id: channel.parentId ?? null,
          from_ms: fromMs,
          ...state,
        })
        .onConflict((conflict) =>
          conflict.columns(['platform', 'channel_id', 'from_ms']).doUpdateSet(state),
        )
        .execute();
      return !known.some(
        (gap) => gap.reason === reason && (reason === 'forbidden' || gap.from_ms === fromMs),
      );
    }),
  /** Lists the gaps of a space, the newest first. */
  of: async ({ platform, id }: Space): Promise<readonly HistoryGap[]> => {
    const rows = await store
      .selectFrom('history_gap')
      .selectAll()
      .where('platform', '=', platform)
      .where('space_id', '=', id)
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
  remove: ({ space, id }: Channel): Promise<void> =>
    store.write(async (db) => {
      await db
        .deleteFrom('history_gap')
        .where('platform', '=', space.platform)
        .where((eb) => eb.or([eb('channel_id', '=', id), eb('parent_id', '=', id)]))
        .execute();
    }),
});
