import { sql, type ExpressionBuilder } from 'kysely';
import type { Channel, MessageRef } from '../../model/place.ts';
import type { Schema } from '../schema.ts';
import type { RowKey } from './row.ts';
import { skippedHash } from './stored-message.ts';

export const refColumns = ({ channel, id }: MessageRef) => ({
  platform: channel.space.platform,
  channel_id: channel.id,
  message_id: id,
});

export const keyColumns = ({ ref, purpose }: RowKey) => ({ ...refColumns(ref), purpose });

export const isKey = (key: RowKey) => (eb: ExpressionBuilder<Schema, 'inbox'>) =>
  eb.and(keyColumns(key));

export const channelOf = (row: {
  platform: string;
  space_id: string;
  channel_id: string;
  parent_id: string | null;
}): Channel => ({
  space: { platform: row.platform, id: row.space_id },
  id: row.channel_id,
  ...(row.parent_id === null ? {} : { parentId: row.parent_id }),
});

/**
 * Condition for open rows; must match the partial index word for word, or SQLite does not use it.
 */
export const isOpen = sql<boolean>`state IN ('waiting', 'working')`;

/** States in which a row needs no more work. */
export const SETTLED = ['posted', 'skipped', 'dead'] as const;

/** Columns of a row that was never tried. */
export const FRESH = { state: 'waiting', reason: null, attempts: 0, due_ms: 0, epoch: 0 } as const;

/** Columns of a row that is abandoned for a reason: its worker deletes unfinished mirrors. */
export const abandoned = (reason: string, nowMs: number) => ({
  ...FRESH,
  reason,
  message: null,
  content_hash: skippedHash(reason),
  changed_ms: nowMs,
  revision: sql<number>`revision + 1`,
});
