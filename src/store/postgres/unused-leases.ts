import { sql, type Transaction } from 'kysely';
import { keyOf, type Space } from '../../model/place.ts';
import { ROOM_LEASE } from '../open-rooms.ts';
import type { Schema } from '../schema.ts';
import { NOW_MS } from './lease-rows.ts';

/**
 * Condition of a lease whose row may be deleted once it is free, so that its epochs begin anew. The names of a set that is
 * shared, which end in a number, are made once. A stored room has the epoch of its lease, and later ones have to be larger.
 */
const MAY_BE_DELETED = sql<boolean>`lease.name !~ '^[^ ]+:[0-9]+$' AND NOT EXISTS (
  SELECT 1 FROM open_room
  WHERE lease.name = ${sql.lit(ROOM_LEASE)} || open_room.platform || ' ' || open_room.space_id)`;

/** Deletes leases that were released, or have ended before a time in ms since 1970. */
export const clearLeases = async (db: Transaction<Schema>, beforeMs: number): Promise<void> => {
  await sql`DELETE FROM lease
    WHERE expires_ms < least(${beforeMs}::bigint, ${sql.raw(NOW_MS)}) AND ${MAY_BE_DELETED}`.execute(
    db,
  );
};

/** Deletes the leases whose names end in that of a space, as far as they were released. */
export const removeLeases = async (db: Transaction<Schema>, space: Space): Promise<void> => {
  const [key, id] = [` ${keyOf(space)}`, `:${space.id}`];
  await sql`DELETE FROM lease
    WHERE (right(name, length(${key}::text)) = ${key} OR right(name, length(${id}::text)) = ${id})
      AND expires_ms = 0 AND ${MAY_BE_DELETED}`.execute(db);
};
