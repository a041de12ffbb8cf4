import type { Transaction } from 'kysely';
import { z } from 'zod';
import type { Channel, Space } from '../model/place.ts';
import type { StoredCaptions, StoredRoom } from '../model/room.ts';
import { ROOM_TRANSCRIPT_KINDS } from '../model/message.ts';
import type { Store } from './index.ts';
import { changeRows, deleteRows, readRow, readRows, slicesOf, spaceColumns } from './rows.ts';
import type { Schema } from './schema.ts';
import { RELAXED } from './writer.ts';

/** A stored room with the time at which its process was last known to work, in ms since 1970. */
export interface OpenRoomRow {
  readonly room: StoredRoom;
  readonly seenMs: number;
}

/** The captions in their column. Members have columns of their own. */
const captionsSchema = z.object({
  languages: z.array(z.string()),
  in: z.object({ id: z.string(), parentId: z.string().optional() }).optional(),
  only: z.string().optional(),
  transcript: z.enum(ROOM_TRANSCRIPT_KINDS).optional(),
  startedMs: z.number(),
});

/** Reads stored captions; undefined where another version stored something else. */
const parseCaptions = (
  space: Space,
  stored: string | null,
  startedBy: string | null,
): StoredCaptions | undefined => {
  const { success, data } = captionsSchema.safeParse(stored === null ? null : JSON.parse(stored));
  if (!success) return undefined;
  const { in: shownIn, ...captions } = data;
  const place: Channel | undefined = shownIn && {
    space,
    id: shownIn.id,
    ...(shownIn.parentId === undefined ? {} : { parentId: shownIn.parentId }),
  };
  return { ...captions, in: place, startedBy: startedBy ?? undefined };
};

const storedCaptions = (captions: StoredCaptions | undefined): string | null => {
  if (!captions) return null;
  const { in: shownIn, startedBy: _, ...rest } = captions;
  const place = shownIn && { id: shownIn.id, parentId: shownIn.parentId };
  return JSON.stringify({ ...rest, in: place });
};

/** Beginning of the name of the lease of a space's room, before the space's key. */
export const ROOM_LEASE = 'room ';

/** Members of one statement. */
const SLICE = 200;

const saveInformed = async (
  db: Transaction<Schema>,
  space: Space,
  memberIds: readonly string[],
): Promise<void> => {
  const columns = spaceColumns(space);
  const before = await readRows(db, 'open_room_informed', columns, ['member_id']);
  const [old, informed] = [new Set(before.map(({ member_id }) => member_id)), new Set(memberIds)];
  for (const gone of slicesOf([...old.difference(informed)], SLICE))
    await db
      .deleteFrom('open_room_informed')
      .where((eb) => eb.and(columns))
      .where('member_id', 'in', gone)
      .execute();
  for (const added of slicesOf([...informed.difference(old)], SLICE))
    await db
      .insertInto('open_room_informed')
      .values(added.map((member_id) => ({ ...columns, member_id })))
      .execute();
};

/** Deletes rooms whose process has not worked since then: nobody asks for them any more. */
export const clearRooms = async (db: Transaction<Schema>, beforeMs: number): Promise<void> => {
  await db.deleteFrom('open_room').where('seen_ms', '<', beforeMs).execute();
  await db
    .deleteFrom('open_room_informed')
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('open_room')
            .select('open_room.channel_id')
            .whereRef('open_room.platform', '=', 'open_room_informed.platform')
            .whereRef('open_room.space_id', '=', 'open_room_informed.space_id'),
        ),
      ),
    )
    .execute();
};

export type OpenRooms = ReturnType<typeof createOpenRooms>;

/**
 * Creates the store of the rooms that the bot is in, one for each space. `epoch` is that of the tenure under
 * which a process is in a room: it changes nothing that a later tenure stored. Writes survive the end of the
 * process, but perhaps not a loss of power.
 */
export const createOpenRooms = (store: Store) => ({
  of: async (space: Space): Promise<OpenRoomRow | undefined> => {
    const columns = spaceColumns(space);
    const row = await readRow(store, 'open_room', columns, [
      'channel_id',
      'locale',
      'is_automatic',
      'captions',
      'started_by',
      'informed_of',
      'seen_ms',
    ]);
    if (!row) return undefined;
    const informed = await readRows(store, 'open_room_informed', columns, ['member_id']);
    return {
      seenMs: row.seen_ms,
      room: {
        channel: { space, id: row.channel_id },
        locale: row.locale,
        isAutomatic: row.is_automatic === 1,
        captions: parseCaptions(space, row.captions, row.started_by),
        informed:
          row.informed_of === null
            ? undefined
            : { of: row.informed_of, memberIds: informed.map(({ member_id }) => member_id) },
      },
    };
  },

  /** Stores what `current` returns at the time of the write. */
  save: async (
    space: Space,
    epoch: number,
    current: () => { readonly room: StoredRoom; readonly seenMs: number },
  ): Promise<void> =>
    store.write(async (db) => {
      const { room, seenMs } = current();
      const changed = {
        channel_id: room.channel.id,
        locale: room.locale,
        is_automatic: Number(room.isAutomatic),
        captions: storedCaptions(room.captions),
        started_by: room.captions?.startedBy ?? null,
        informed_of: room.informed?.of ?? null,
        seen_ms: Math.round(seenMs),
        epoch,
      };
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('open_room')
        .values({ ...spaceColumns(space), ...changed })
        .onConflict((conflict) =>
          conflict
            .columns(['platform', 'space_id'])
            .doUpdateSet(changed)
            .where('open_room.epoch', '<=', epoch),
        )
        .executeTakeFirstOrThrow();
      if (numInsertedOrUpdatedRows === 0n) return;
      await saveInformed(db, space, room.informed?.memberIds ?? []);
    }, RELAXED),

  /** Notes that the room's process works. */
  seen: async (space: Space, epoch: number, seenMs: number): Promise<void> =>
    store.write(async (db) => {
      const seen_ms = Math.round(seenMs);
      await changeRows(db, 'open_room', { ...spaceColumns(space), epoch }, { seen_ms });
    }, RELAXED),

  remove: async (space: Space, epoch: number): Promise<void> =>
    store.write(async (db) => {
      const columns = spaceColumns(space);
      const { numDeletedRows } = await db
        .deleteFrom('open_room')
        .where((eb) => eb.and(columns))
        .where('epoch', '<=', epoch)
        .executeTakeFirst();
      if (numDeletedRows === 0n) return;
      await deleteRows(db, 'open_room_informed', columns);
    }),
});
