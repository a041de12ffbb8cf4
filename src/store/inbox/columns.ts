import { sql, type ExpressionBuilder } from 'kysely';
import type { Channel } from '../../model.ts';
import type { Schema } from '../schema.ts';
import type { RowKey } from './row.ts';

export const keyColumns = ({ ref, purpose }: RowKey) => ({
  platform: ref.channel.space.platform,
  channel_id: ref.channel.id,
  message_id: ref.id,
  purpose,
});

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

/** In the very words of the index of open rows, which counts for nothing else. */
export const isOpen = sql<boolean>`state IN ('waiting', 'working')`;

/** Of a row that was never tried. */
export const FRESH = {
  state: 'waiting',
  reason: null,
  attempts: 0,
  due_ms: 0,
  owner: null,
} as const;
