import { describe, expect, it } from 'vitest';
import { human, openCaptioned, OTHER, ROOM } from './room-harness.ts';
import { sentence, sentenceLike } from '../../fakes/sentences.ts';

describe('captions of a room in which not all is heard', () => {
  it('go on after the connection was away, which is told in one line', async () => {
    await using stage = await openCaptioned();
    stage.place.connection(false);
    await stage.pass(5_000);
    expect(stage.place.texts(ROOM).at(-1)).toContain(sentence('room.reconnecting'));
    stage.place.connection(true);
    await stage.pass(1_000);
    expect(stage.place.texts(ROOM).at(-1)).toBe(sentence('room.reconnected'));
    await stage.say('ann', 'still here');
    expect(stage.place.texts(ROOM).at(-1)).toContain('still here');
  });

  it('tell whom we cannot hear, and that we can again', async () => {
    await using stage = await openCaptioned();
    stage.place.audible('ann', false);
    await stage.pass(0);
    expect(stage.place.texts(ROOM).at(-1)).toBe(sentence('room.cannot-hear', { name: 'Ann' }));
    stage.place.audible('ann', true);
    await stage.pass(0);
    expect(stage.place.texts(ROOM).at(-1)).toBe(sentence('room.hears-again', { name: 'Ann' }));
  });

  it('say so when somebody left whom we could not hear', async () => {
    await using stage = await openCaptioned();
    stage.place.audible('ann', false);
    await stage.pass(0);
    stage.place.exit(ROOM, 'ann');
    await stage.pass(0);
    expect(stage.place.texts(ROOM).at(-1)).toBe(sentence('room.left-unheard', { name: 'Ann' }));
    stage.place.enter(ROOM, human('ann', 'Ann'));
    stage.place.audible('ann', true);
    await stage.pass(0);
    expect(stage.place.texts(ROOM).join()).not.toContain(
      sentence('room.hears-again', { name: 'Ann' }),
    );
  });

  it('say once that seconds never arrived, whoever missed them', async () => {
    await using stage = await openCaptioned();
    const told = () =>
      stage.place.texts(ROOM).filter((text) => sentenceLike('room.missed').test(text));
    stage.place.missed(9_600);
    stage.place.missed(9_800);
    await stage.pass(20_000);
    stage.place.missed(2_000);
    await stage.pass(0);
    expect(told()).toEqual([sentence('room.missed', { count: 10 })]);
    await stage.pass(15_000);
    stage.place.missed(1_000);
    await stage.pass(0);
    expect(told()).toHaveLength(2);
  });

  it('do not say twice what is missing: the connection was known to be lost', async () => {
    await using stage = await openCaptioned();
    stage.place.connection(false);
    await stage.pass(5_000);
    stage.place.connection(true);
    stage.place.missed(5_000);
    await stage.pass(0);
    expect(stage.place.texts(ROOM).join()).not.toMatch(sentenceLike('room.missed'));
  });
});

describe('a move to another room', () => {
  it.each([
    ['is no loss of the connection', 4_000, false],
    ['is one where it does not come back', 6_000, true],
  ])('%s', async (_, awayMs, isTold) => {
    await using stage = await openCaptioned();
    stage.place.enter(OTHER, human('ann', 'Ann'));
    stage.place.move(OTHER);
    stage.place.connection(false);
    await stage.pass(awayMs);
    stage.place.connection(true);
    await stage.pass(1_000);
    expect(stage.place.texts(OTHER).includes(sentence('room.reconnected'))).toBe(isTold);
  });
});
