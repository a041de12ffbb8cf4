import { describe, expect, it } from 'vitest';
import type { StoredRoom } from '../../../src/model/room.ts';
import { clearOld } from '../../../src/store/privacy/clear-old.ts';
import { openStore } from '../../../src/store/index.ts';
import { createOpenRooms } from '../../../src/store/open-rooms.ts';
import { createPrivacy } from '../../../src/store/privacy/person-data.ts';
import { fresh } from '../../fakes/opened.ts';
import { NO_HORIZONS } from '../../fakes/horizons.ts';

const SPACE = { platform: 'test', id: 's' };
const ROOM: StoredRoom = {
  channel: { space: SPACE, id: 'lounge' },
  locale: 'de',
  isAutomatic: false,
  captions: {
    languages: ['es', 'ja'],
    in: { space: SPACE, id: 'thread', parentId: 'chat' },
    only: 'es',
    transcript: 'srt',
    startedMs: 1_000,
    startedBy: 'ann',
  },
  informed: { of: 'captions told', memberIds: ['ann', 'bob'] },
};
const at =
  (room: StoredRoom, seenMs = 5_000) =>
  () => ({ room, seenMs });

const store = fresh(() => openStore('sqlite::memory:'));
const rooms = fresh(() => createOpenRooms(store));

describe('the stored room of a space', () => {
  it('is read as it was saved last', async () => {
    expect(await rooms.of(SPACE)).toBeUndefined();
    await rooms.save(SPACE, 1, at(ROOM));
    expect(await rooms.of(SPACE)).toEqual({ room: ROOM, seenMs: 5_000 });
    const changed = {
      ...ROOM,
      captions: undefined,
      informed: { of: 'captions told', memberIds: ['bob', 'cleo'] },
    };
    await rooms.save(SPACE, 1, at(changed, 6_000));
    expect(await rooms.of(SPACE)).toEqual({ room: changed, seenMs: 6_000 });
    await rooms.seen(SPACE, 1, 7_000);
    expect(await rooms.of(SPACE)).toMatchObject({ seenMs: 7_000 });
  });

  it('is gone with the members who were informed once it is removed', async () => {
    await rooms.save(SPACE, 1, at(ROOM));
    await rooms.remove(SPACE, 1);
    expect(await rooms.of(SPACE)).toBeUndefined();
    expect(await store.selectFrom('open_room_informed').selectAll().execute()).toEqual([]);
  });

  it('is not changed by a process whose tenure is over', async () => {
    await rooms.save(SPACE, 2, at(ROOM));
    await rooms.save(SPACE, 1, at({ ...ROOM, locale: 'fr', informed: undefined }));
    await rooms.seen(SPACE, 1, 9_000);
    await rooms.remove(SPACE, 1);
    expect(await rooms.of(SPACE)).toEqual({ room: ROOM, seenMs: 5_000 });
  });

  it('is stored as it is at the time of the write', async () => {
    let room = ROOM;
    const saved = rooms.save(SPACE, 1, () => ({ room, seenMs: 5_000 }));
    room = { ...ROOM, locale: 'fr' };
    await saved;
    expect((await rooms.of(SPACE))?.room.locale).toBe('fr');
  });

  it('holds hundreds of members, and loses them as they are', async () => {
    const memberIds = Array.from({ length: 501 }, (_, index) => `member ${index}`);
    const informed = (ids: readonly string[]) => ({ of: 'captions told', memberIds: ids });
    await rooms.save(SPACE, 1, at({ ...ROOM, informed: informed(memberIds) }));
    expect((await rooms.of(SPACE))?.room.informed?.memberIds).toHaveLength(501);
    await rooms.save(SPACE, 1, at({ ...ROOM, informed: informed(['member 7']) }));
    expect((await rooms.of(SPACE))?.room.informed?.memberIds).toEqual(['member 7']);
  });

  it('is cleared where its process has not worked for long', async () => {
    const other = { platform: 'test', id: 'other' };
    await rooms.save(SPACE, 1, at(ROOM, 5_000));
    await rooms.save(other, 1, at({ ...ROOM, channel: { space: other, id: 'attic' } }, 6_000));
    await clearOld(store, { ...NO_HORIZONS, roomsMs: 5_500 });
    expect(await rooms.of(SPACE)).toBeUndefined();
    expect((await rooms.of(other))?.room.informed?.memberIds).toEqual(['ann', 'bob']);
    const left = await store.selectFrom('open_room_informed').select('space_id').execute();
    expect(new Set(left.map(({ space_id }) => space_id))).toEqual(new Set(['other']));
  });

  it('names nobody who was forgotten, and is in what they download', async () => {
    await rooms.save(SPACE, 1, at(ROOM));
    const privacy = createPrivacy(store);
    const ann = { platform: 'test', id: 'ann' };
    const kept = JSON.parse(Buffer.from(await privacy.export(ann)).toString()) as object;
    expect(kept).toMatchObject({
      openVoiceChannels: { notifiedIn: ['s'], startedCaptionsIn: ['lounge'] },
    });
    await privacy.forget(ann);
    expect((await rooms.of(SPACE))?.room).toEqual({
      ...ROOM,
      captions: { ...ROOM.captions, startedBy: undefined },
      informed: { of: 'captions told', memberIds: ['bob'] },
    });
  });
});
