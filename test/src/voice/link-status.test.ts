import { describe, expect, it } from 'vitest';
import { human, openCaptioned, OTHER, ROOM } from './room-harness.ts';

describe('captions of a room in which not all is heard', () => {
  it('go on after the connection was away, which is told in one line', async () => {
    await using stage = await openCaptioned();
    stage.place.connection(false);
    await stage.pass(5_000);
    expect(stage.place.texts(ROOM).at(-1)).toContain('is lost');
    stage.place.connection(true);
    await stage.pass(1_000);
    expect(stage.place.texts(ROOM).at(-1)).toBe('The connection is there again.');
    await stage.say('ann', 'still here');
    expect(stage.place.texts(ROOM).at(-1)).toContain('still here');
  });

  it('tell whom we cannot hear, and that we can again', async () => {
    await using stage = await openCaptioned();
    stage.place.audible('ann', false);
    await stage.pass(0);
    expect(stage.place.texts(ROOM).at(-1)).toBe('I cannot hear Ann; trying again');
    stage.place.audible('ann', true);
    await stage.pass(0);
    expect(stage.place.texts(ROOM).at(-1)).toBe('I can hear Ann again.');
  });

  it('say so when somebody left whom we could not hear', async () => {
    await using stage = await openCaptioned();
    stage.place.audible('ann', false);
    await stage.pass(0);
    stage.place.exit(ROOM, 'ann');
    await stage.pass(0);
    expect(stage.place.texts(ROOM).at(-1)).toBe('Ann has left; I could not hear them.');
    stage.place.enter(ROOM, human('ann', 'Ann'));
    stage.place.audible('ann', true);
    await stage.pass(0);
    expect(stage.place.texts(ROOM).join()).not.toContain('I can hear Ann again');
  });

  it('say once that seconds never arrived, whoever missed them', async () => {
    await using stage = await openCaptioned();
    const told = () =>
      stage.place.texts(ROOM).filter((text) => text.includes('nothing reached me'));
    stage.place.missed(9_600);
    stage.place.missed(9_800);
    await stage.pass(20_000);
    stage.place.missed(2_000);
    await stage.pass(0);
    expect(told()).toEqual([
      'For about 10 seconds nothing reached me from this voice channel. What was said then is missing.',
    ]);
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
    expect(stage.place.texts(ROOM).join()).not.toContain('nothing reached me');
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
    expect(stage.place.texts(OTHER).includes('The connection is there again.')).toBe(isTold);
  });
});
