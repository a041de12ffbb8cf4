import { describe, expect, it } from 'vitest';
import { AppError, userError } from '../../../src/errors.ts';
import { channelOf } from '../../fakes/voice-port.ts';
import { CHAT, human, openStage, OTHER, robot, ROOM, settle, SPACE } from './room-harness.ts';
import { sentence, sentenceLike } from '../../fakes/sentences.ts';

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

  it('are joined again while the bot is still leaving them', async () => {
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
    expect(stage.place.subscribed()).toEqual(['ann', 'bob']);
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

  it('with people in them are left for nobody but moderators', async () => {
    await using stage = await openStage();
    stage.place.enter(ROOM, human('ann'));
    stage.place.enter(OTHER, human('bob'), human('mod'));
    await stage.join(ROOM);
    for (const by of ['bob', 'mod'])
      expect(await stage.run('captions start', by)).toBe(
        sentence('join.busy', { channel: '#room' }),
      );
    expect(await stage.run('join', 'bob')).toBe(sentence('join.busy', { channel: '#room' }));
    expect(stage.place.where()).toEqual(ROOM);
    expect(await stage.run('join', 'mod')).toBe(sentence('join.joined', { channel: '#other' }));
    expect(stage.place.where()).toEqual(OTHER);
  });

  it('that are asked for from two sides at once stay with who came first', async () => {
    await using stage = await openStage();
    stage.place.enter(ROOM, human('ann'));
    stage.place.enter(OTHER, human('bob'));
    const [first, second] = await Promise.all([
      stage.run('captions start', 'ann'),
      stage.run('captions start', 'bob'),
    ]);
    expect(first).toContain(sentence('captions.started', { room: '#room', channel: '#room' }));
    expect(second).toBe(sentence('join.busy', { channel: '#room' }));
    expect(stage.room().captions?.in).toEqual(ROOM);
  });

  it('that the bot is leaving delay nobody', async () => {
    await using stage = await openStage({ spokenNotice: false, partials: false });
    stage.place.enter(ROOM, human('ann'));
    stage.place.enter(OTHER, human('bob'));
    const first = await stage.join(ROOM);
    await first.startCaptions({ languages: [] });
    const held = Promise.withResolvers<void>();
    stage.place.faults.posting = held.promise;
    const leaving = first.leave();
    const joining = stage.run('join', 'bob');
    await settle();
    held.resolve();
    await leaving;
    expect(await joining).toBe(sentence('join.joined', { channel: '#other' }));
  });

  it('of two servers have nothing to do with each other', async () => {
    await using stage = await openStage({ spokenNotice: false, partials: false });
    const { place, rooms } = stage;
    const elsewhere = channelOf('room', { ...SPACE, id: 'elsewhere' });
    for (const room of [ROOM, elsewhere]) place.enter(room, human('ann', 'Ann'));
    await Promise.all([stage.join(ROOM), stage.join(elsewhere)]);
    await stage.room().startCaptions({ languages: [] });
    await stage.say('ann', 'hello');
    await stage.choose({ readAloud: ['chat'] });
    expect(stage.core.rooms.reads(CHAT)).toBe(true);
    expect(stage.core.rooms.reads({ ...CHAT, space: elsewhere.space })).toBe(false);
    await stage.room().leave();
    expect(place.where(elsewhere.space)).toEqual(elsewhere);
    expect(rooms.of(elsewhere.space)?.captions).toBeUndefined();
    expect(rooms.lastRecord(SPACE)?.hasRecord).toBe(true);
    expect(rooms.lastRecord(elsewhere.space)).toBeUndefined();
  });

  it('listen to nobody who takes part again, but refuses to be listened to there', async () => {
    await using stage = await openStage({ spokenNotice: false, partials: false });
    stage.place.enter(ROOM, human('ann'), human('bob'));
    await stage.join();
    await stage.room().startCaptions({ languages: [] });
    await stage.press('captions out', 'ann');
    for (const by of ['ann', 'bob']) await stage.press('privacy out', by);
    await settle();
    expect(stage.place.subscribed()).toEqual([]);
    for (const by of ['ann', 'bob']) await stage.press('privacy in', by);
    await settle();
    expect(stage.place.subscribed()).toEqual(['bob']);
  });

  it('that the bot left forget the speech of members who refuse afterwards', async () => {
    await using stage = await openStage({ spokenNotice: false, partials: false });
    stage.place.enter(ROOM, human('ann', 'Ann'));
    const room = await stage.join();
    await room.startCaptions({ languages: [] });
    await stage.say('ann', 'hello');
    await room.leave();
    await stage.press('captions out', 'ann');
    expect(await stage.run('captions export', 'ann')).toContain(sentence('captions.none'));
  });

  it('that everybody has left are left for whoever requests another', async () => {
    await using stage = await openStage();
    stage.place.enter(ROOM, human('ann'), robot('radio'));
    stage.place.enter(OTHER, human('bob'));
    await stage.join(ROOM);
    stage.place.exit(ROOM, 'ann');
    expect(await stage.run('join', 'bob')).toBe(sentence('join.joined', { channel: '#other' }));
    expect(stage.place.where()).toEqual(OTHER);
  });

  it('are not left for one that cannot be joined', async () => {
    await using stage = await openStage();
    stage.place.enter(ROOM, human('ann'));
    stage.place.enter(OTHER, human('mod'));
    await stage.join(ROOM);
    await stage.room().startCaptions({ languages: [] });
    stage.place.faults.shut = userError('unavailable', 'room.full');
    expect(await stage.run('join', 'mod')).toBe(sentence('room.full'));
    expect(stage.place.where()).toEqual(ROOM);
    expect(stage.room().captions).toBeDefined();
  });

  it('give their people the transcript also while the bot is in another one', async () => {
    await using stage = await openStage({ spokenNotice: false, partials: false });
    stage.place.enter(ROOM, human('ann', 'Ann'));
    stage.place.enter(OTHER, human('bob', 'Bob'));
    await stage.join(ROOM);
    await stage.room().startCaptions({ languages: [] });
    await stage.say('ann', 'hello');
    await stage.join(OTHER);
    expect(await stage.run('captions export', 'ann')).toBe(sentence('captions.exported'));
    expect(await stage.run('captions export', 'mod')).toBe(sentence('captions.exported'));
    expect(await stage.run('captions export', 'bob')).toContain(sentence('captions.none'));
    expect(await stage.run('captions export', 'eve')).toMatch(sentenceLike('room.not-with-me'));
    stage.place.exit(ROOM, 'ann');
    stage.place.enter(OTHER, human('ann', 'Ann'));
    expect(await stage.run('captions export', 'ann')).toBe(sentence('captions.exported'));
    await stage.room().startCaptions({ languages: [] });
    await stage.say('bob', 'goodbye');
    await stage.room().leave();
    expect(await stage.run('captions export', 'bob')).toBe(sentence('captions.exported'));
  });
});
