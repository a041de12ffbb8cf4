import { sql, type Transaction } from 'kysely';
import { keyOf, type Space } from '../../model/place.ts';
import { ROOM_LEASE, clearRooms } from '../open-rooms.ts';
import type { Schema } from '../schema.ts';
import { NOW_MS } from '../postgres/lease-rows.ts';
import { clearDeliveries } from '../deliveries.ts';
import { isInPause, SETTLED } from '../inbox/row.ts';
import type { Store } from '../index.ts';
import { clearMarks } from '../channels/marks.ts';
import { deleteExpired, deleteRows } from '../rows.ts';
import { clearOpenAnswers } from '../open-answers.ts';
import { clearPendingImports } from '../pending-imports.ts';
import { foldUsage } from '../usage.ts';

/**
 * Condition of a lease whose row may be deleted once it is free, so that its epochs begin anew. The names of a set that is
 * shared, which end in a number, are made once. A stored room has the epoch of its lease, and later ones have to be larger.
 */
const MAY_BE_DELETED = sql<boolean>`lease.name !~ '^[^ ]+:[0-9]+$' AND NOT EXISTS (
  SELECT 1 FROM open_room
  WHERE lease.name = ${sql.lit(ROOM_LEASE)} || open_room.platform || ' ' || open_room.space_id)`;

/** Deletes leases that were released, or have ended before a time in ms since 1970. */
const clearLeases = async (db: Transaction<Schema>, beforeMs: number): Promise<void> => {
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

/** Rows that one write deletes; the event loop runs between two writes. */
const CLEARED_AT_ONCE = 25;

/** Times in ms since 1970, before which data is deleted. */
export interface Horizons {
  /** Horizon of the inbox's settled rows, and of gaps in what it has. */
  readonly rowsMs: number;
  /** Horizon of the records of mirrors. */
  readonly mirrorsMs: number;
  /** Horizon of the ids of events that were handled. */
  readonly deliveriesMs: number;
  /** Horizon of rooms that the bot was in when its process ended. */
  readonly roomsMs: number;
  /**
   * Horizon of the names of spaces that were left, for which work may still be under way, of leases and undos that have
   * ended, and of the last use of rates.
   */
  readonly leftMs: number;
  /** Horizon of states that no process changed. */
  readonly statesMs: number;
  readonly proposalsMs: number;
  readonly auditMs: number;
  /** Horizon of each member's usage; the totals of a day are kept. */
  readonly usageMs: number;
}

const clearRows = async (db: Transaction<Schema>, beforeMs: number): Promise<number> => {
  const old = await db
    .selectFrom('inbox')
    .select(['platform', 'channel_id', 'message_id', 'purpose'])
    .where('changed_ms', '<', beforeMs)
    .where('state', 'in', SETTLED)
    .limit(CLEARED_AT_ONCE)
    .execute();
  for (const key of old)
    await db
      .deleteFrom('inbox')
      .where((eb) => eb.and(key))
      // Another process may have taken a change of the message meanwhile.
      .where('changed_ms', '<', beforeMs)
      .where('state', 'in', SETTLED)
      .execute();
  return old.length;
};

const clearMirrors = async (db: Transaction<Schema>, beforeMs: number): Promise<number> => {
  const old = await db
    .selectFrom('mirror')
    .select(['source_platform', 'source_channel_id', 'source_id', 'purpose'])
    .select(['target_platform', 'target_channel_id', 'target_thread_id'])
    .where('posted_ms', '<', beforeMs)
    .limit(CLEARED_AT_ONCE)
    .execute();
  for (const key of old) {
    const { numDeletedRows } = await db
      .deleteFrom('mirror')
      .where((eb) => eb.and(key))
      // Another process may have posted it anew meanwhile.
      .where('posted_ms', '<', beforeMs)
      .executeTakeFirst();
    if (numDeletedRows === 0n) continue;
    await deleteRows(db, 'mirror_message', key);
    const { source_platform: platform, source_channel_id: channel_id, source_id } = key;
    await db
      .deleteFrom('inbox')
      .where((eb) => eb.and({ platform, channel_id, message_id: source_id }))
      .where(isInPause)
      .execute();
  }
  return old.length;
};

/** Deletes data older than its horizon. */
export const clearOld = async (store: Store, horizons: Horizons): Promise<void> => {
  const { rowsMs, mirrorsMs, deliveriesMs, roomsMs, usageMs, leftMs, statesMs } = horizons;
  const clear = async (some: (db: Transaction<Schema>) => Promise<number>): Promise<void> => {
    let cleared: number;
    do cleared = await store.write(some);
    while (cleared === CLEARED_AT_ONCE);
  };
  await clear((db) => clearRows(db, rowsMs));
  await clear((db) => clearMirrors(db, mirrorsMs));
  if (store.engine === 'postgres') await store.write((db) => clearLeases(db, leftMs));
  await clear((db) => clearDeliveries(db, deliveriesMs, CLEARED_AT_ONCE));
  await store.write((db) => clearRooms(db, roomsMs));
  await store.write(async (db) => {
    await db.deleteFrom('history_gap').where('until_ms', '<', rowsMs).execute();
    await clearOpenAnswers(db, statesMs);
    await clearPendingImports(db, statesMs);
    const { proposalsMs, auditMs } = horizons;
    await db
      .deleteFrom('setup')
      .where('is_begun', '=', 0)
      .where('since_ms', '<', statesMs)
      .execute();
    await db
      .deleteFrom('glossary_proposal')
      .where((eb) =>
        eb.or([
          eb('since_ms', '<', proposalsMs),
          eb.and([eb('accepted', '=', 1), eb('since_ms', '<', statesMs)]),
        ]),
      )
      .execute();
    await db.deleteFrom('copied_reaction').where('changed_ms', '<', mirrorsMs).execute();
    await db.deleteFrom('audit_entry').where('at_ms', '<', auditMs).execute();
    await deleteExpired(db, 'watch_undo', leftMs);
    await db.deleteFrom('left_space').where('left_ms', '<', leftMs).execute();
    await clearMarks(db, leftMs);
    // A rate that was not used for so long is as if it had never been.
    await db
      .deleteFrom('quota')
      .where('used_until_us', '<', leftMs * 1_000)
      .execute();
    await db.deleteFrom('shared_state').where('changed_ms', '<', statesMs).execute();
  });
  await clear((db) => foldUsage(db, usageMs, CLEARED_AT_ONCE));
};
