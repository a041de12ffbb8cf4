import { describe, expect, it } from 'vitest';
import { userError } from '../../../src/errors.ts';
import { sentence, sentenceLike } from '../../fakes/sentences.ts';
import { rich } from '../../fakes/rich-text.ts';
import { openCaptioned, openStage, human, ROOM, settle, type Stage } from './room-harness.ts';

const PERMISSION = { permission: 'Mute Members' };
const muted = () => userError('forbidden', 'room.muted', PERMISSION);
const deafened = () => userError('forbidden', 'room.deafened', { permission: 'Deafen Members' });
const MUTED = sentence('room.muted', PERMISSION);

const open = async (): Promise<Stage> => {
  const stage = await openStage({ spokenNotice: false, partials: false });
  stage.place.enter(ROOM, human('ann', 'Ann'));
  await stage.join();
  return stage;
};
const read = (stage: Stage, text: string): Promise<boolean> =>
  stage.room().say({ text: rich(text), kind: 'read', by: { id: 'ann', name: 'Ann' } });

describe('a room in which a moderator muted the bot', () => {
  it('is told once who can undo that, and that it is undone', async () => {
    await using stage = await open();
    stage.place.restrict({ speaking: muted() });
    await stage.pass(4_000);
    expect(stage.place.texts(ROOM)).toEqual([MUTED]);
    expect(stage.room().faults()).toMatchObject([{ sentence: { key: 'room.muted' } }]);
    stage.place.restrict({});
    await stage.pass(4_000);
    expect(stage.place.texts(ROOM)).toEqual([sentence('room.may-speak')]);
    expect(stage.room().faults()).toEqual([]);
  });

  it('is not flooded by a moderator who mutes and unmutes again and again', async () => {
    await using stage = await open();
    for (let time = 0; time < 60; time += 1) {
      stage.place.restrict(time % 2 === 0 ? { speaking: muted() } : {});
      await stage.pass(1_000);
    }
    expect(stage.place.history).toEqual([]);
    for (let time = 0; time < 20; time += 1) {
      stage.place.restrict(time % 2 === 0 ? { speaking: muted() } : {});
      await stage.pass(5_000);
    }
    expect(stage.place.texts(ROOM)).toEqual([sentence('room.may-speak')]);
    // Another time is told in a message of its own.
    await stage.pass(60_000);
    stage.place.restrict({ speaking: muted() });
    await stage.pass(5_000);
    expect(stage.place.texts(ROOM)).toEqual([sentence('room.may-speak'), MUTED]);
  });

  it('hears what was to be said once it may be, and is told how much was too late', async () => {
    await using stage = await open();
    stage.place.restrict({ speaking: muted() });
    await read(stage, 'first');
    await stage.pass(5_000);
    expect(stage.place.played).toEqual([]);
    stage.place.restrict({});
    await stage.pass(2_000);
    expect(stage.said().join()).toContain('first');

    stage.place.restrict({ speaking: muted() });
    const before = stage.place.played.length;
    for (const text of ['second', 'third']) await read(stage, text);
    await stage.pass(30_000);
    stage.place.restrict({});
    await stage.pass(5_000);
    expect(stage.place.played).toHaveLength(before);
    expect(stage.place.texts(ROOM)).toContain(sentence('room.dropped', { count: 2 }));
  });

  it('hears the rest of what was being said only within ten seconds', async () => {
    for (const [awayMs, goesOn] of [
      [5_000, true],
      [11_000, false],
    ] as const) {
      await using stage = await open();
      await read(stage, 'a long sentence '.repeat(20));
      await stage.pass(1_000);
      stage.place.restrict({ speaking: muted() });
      await stage.pass(awayMs);
      const before = stage.place.played.length;
      expect(before).toBeLessThan(100);
      stage.place.restrict({});
      await stage.pass(3_000);
      expect(stage.place.played.length > before).toBe(goesOn);
    }
  });

  it('tells at once whoever wants something said', async () => {
    await using stage = await open();
    stage.place.restrict({ speaking: muted() });
    await stage.pass(4_000);
    expect(await stage.run('say', 'ann', { text: 'hello' })).toBe(MUTED);
  });

  it('is listened to although its notice cannot be spoken', async () => {
    await using stage = await openStage({ spokenNotice: true, partials: false });
    stage.place.enter(ROOM, human('ann', 'Ann'));
    await stage.join();
    stage.place.restrict({ speaking: muted() });
    await stage.room().startCaptions({ languages: [] });
    await stage.pass(4_000);
    expect(stage.place.subscribed()).toEqual(['ann']);
  });
});

it('a room in which a moderator deafened the bot is told, and when it can hear again', async () => {
  await using stage = await openCaptioned();
  stage.place.restrict({ hearing: deafened() });
  await stage.pass(4_000);
  expect(stage.place.texts(ROOM)).toContain(
    sentence('room.deafened', { permission: 'Deafen Members' }),
  );
  stage.place.restrict({});
  await stage.pass(4_000);
  await settle();
  expect(stage.place.texts(ROOM).at(-1)).toMatch(sentenceLike('room.may-hear'));
});
