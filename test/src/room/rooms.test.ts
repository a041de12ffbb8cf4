import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { CHAT, human, openStage, OTHER, ROOM, settle, SPACE } from './stage.ts';

const away = (): AppError => new AppError('unavailable', 'away', { retryable: true });

describe('rooms', () => {
  it('are joined one after the other', async () => {
    await using stage = await openStage();
    stage.place.enter(ROOM, human('ann'));
    stage.place.enter(OTHER, human('bob'));
    const [first, second] = await Promise.all([stage.join(ROOM), stage.join(OTHER)]);
    expect(stage.place.where()).toEqual(OTHER);
    expect(stage.rooms.of(SPACE)).toBe(second);
    await expect(first.startCaptions({ languages: [] })).rejects.toMatchObject({
      sentence: { key: 'room.none' },
    });
  });

  it('are joined anew while we are still leaving them', async () => {
    await using stage = await openStage({ spokenNotice: false, partials: false });
    stage.place.enter(ROOM, human('ann', 'Ann'), human('bob', 'Bob'));
    await stage.join();
    await stage.room().startCaptions({ languages: [] });
    await settle();
    const first = stage.room();
    const held = Promise.withResolvers<void>();
    stage.place.faults.posting = held.promise;
    const leaving = first.leave();
    const joining = stage.join();
    await settle();
    held.resolve();
    stage.place.faults.posting = undefined;
    await leaving;
    const again = await joining;
    expect(again).not.toBe(first);
    expect(stage.place.where()).toEqual(ROOM);
    await again.startCaptions({ languages: [] });
    await settle();
    expect(stage.place.heard()).toEqual(['ann', 'bob']);
  });

  it('that cannot be joined leave nothing behind', async () => {
    await using stage = await openStage();
    stage.place.enter(ROOM, human('ann'));
    stage.place.faults.join = away();
    await expect(stage.join()).rejects.toMatchObject({ code: 'unavailable' });
    expect(stage.rooms.of(SPACE)).toBeUndefined();
    expect(stage.clock.waiting).toBe(0);
    stage.place.faults.join = undefined;
    await stage.join();
    expect(stage.place.where()).toEqual(ROOM);
  });

  it('whose joining hangs are given up', async () => {
    await using stage = await openStage();
    stage.place.enter(ROOM, human('ann'));
    stage.place.faults.joining = new Promise(() => undefined);
    const joining = expect(stage.join()).rejects.toMatchObject({ name: 'AppError' });
    await stage.pass(30_000);
    await joining;
  });

  it('that are being joined when the program ends are not stayed in', async () => {
    await using stage = await openStage();
    stage.place.enter(ROOM, human('ann'));
    const held = Promise.withResolvers<void>();
    stage.place.faults.joining = held.promise;
    const joining = expect(stage.join()).rejects.toMatchObject({ code: 'cancelled' });
    await settle();
    const ending = stage.end();
    held.resolve();
    await Promise.all([ending, joining]);
    expect(stage.place.where()).toBeUndefined();
  });

  it('that were just joined when the program ends are not stayed in', async () => {
    await using stage = await openStage();
    stage.place.enter(ROOM, human('ann'));
    const joining = expect(stage.join()).rejects.toMatchObject({ name: 'AppError' });
    while (stage.place.where() === undefined) await Promise.resolve();
    await Promise.all([stage.end(), joining]);
    expect(stage.place.where()).toBeUndefined();
  });

  it('know what moderators chose while they were being joined', async () => {
    await using stage = await openStage();
    stage.place.enter(ROOM, human('ann'));
    const held = Promise.withResolvers<void>();
    stage.place.faults.joining = held.promise;
    const joining = stage.join();
    await settle();
    await stage.choose({ readAloud: ['chat'] });
    held.resolve();
    await joining;
    expect(stage.core.rooms.reads(CHAT)).toBe(true);
  });

  it('that end while they are being joined are not stayed in', async () => {
    await using stage = await openStage();
    stage.place.enter(ROOM, human('ann'));
    const joining = stage.join();
    while (stage.place.where() === undefined) await Promise.resolve();
    stage.place.kick();
    await joining.catch(() => undefined);
    await settle();
    expect(stage.rooms.of(SPACE)).toBeUndefined();
  });
});
