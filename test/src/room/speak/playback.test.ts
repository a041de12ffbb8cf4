import { describe, expect, it } from 'vitest';
import { encoderGate } from '../../../../src/audio/opus-gate.ts';
import { AppError } from '../../../../src/errors.ts';
import type { SpeechItem } from '../../../../src/room/speak/items.ts';
import { anna, ben, createStage, itemOf, nothing } from './stage.ts';

describe('the voice of a room', () => {
  it('speaks one item after the other without a hole, the next one made while one is spoken', async () => {
    const stage = createStage(() => ({ latencyMs: 300, lengthMs: 1_000 }));
    for (const text of ['one', 'two', 'three']) stage.playback.add(itemOf(text, { kind: 'say' }));
    await stage.clock.advance(310);
    expect(stage.requests.map(({ text }) => text)).toEqual(['one', 'two']);
    await stage.clock.advance(5_000);
    expect(stage.spoken().map(({ text, atMs }) => [text, atMs])).toEqual([
      ['one', 300],
      ['two', 1_300],
      ['three', 2_300],
    ]);
    expect(stage.alive()).toEqual(nothing);
  });

  it('speaks notices first, then what was asked for, then what is read, each kind in its order', async () => {
    const stage = createStage();
    const kinds = ['read', 'read', 'say', 'read', 'answer', 'notice', 'notice'] as const;
    for (const [index, kind] of kinds.entries())
      stage.playback.add(itemOf(`${kind} ${index}`, { kind, by: { id: `${index}`, name: '' } }));
    await stage.clock.advance(10_000);
    // The first one began before anything else was there.
    expect(stage.said().map((text) => text.replace(/^.*: /, ''))).toEqual([
      'read 0',
      'notice 5',
      'notice 6',
      'say 2',
      'answer 4',
      'read 1',
      'read 3',
    ]);
  });

  it('speaks the first sentence of a long text while the rest is made', async () => {
    const first = 'This sentence is long enough to be spoken alone. ';
    const rest = 'And this is the rest of what there is to say here. '.repeat(9);
    const stage = createStage(({ text }) => ({
      latencyMs: text.length < 60 ? 200 : 900,
      lengthMs: text.length < 60 ? 1_000 : 3_000,
    }));
    stage.playback.add(itemOf(first + rest, { kind: 'answer' }));
    await stage.clock.advance(0);
    expect(stage.requests.length).toBe(2);
    await stage.clock.advance(20_000);
    expect(stage.spoken()[0]).toEqual({ text: first.trim(), atMs: 200 });
    expect(stage.said().join(' ')).toBe((first + rest).trim());
    // All in one go: 20 ms between any two packets.
    const steps = stage.played.map(
      ({ atMs }, index) => atMs - (stage.played[index - 1]?.atMs ?? atMs - 20),
    );
    expect(new Set(steps)).toEqual(new Set([20]));
  });

  it('speaks with the voice that was wished for, and with any of the language where that is gone', async () => {
    const stage = createStage(({ named }) =>
      named === 'gone' ? { fails: new AppError('not-found', 'no voice') } : {},
    );
    stage.playback.add(itemOf('hello', { wish: { named: 'gone' }, readAs: 'en' }));
    stage.playback.add(itemOf('again', { wish: { named: 'gone' } }));
    await stage.clock.advance(2_000);
    expect(stage.requests.map(({ named, language }) => [named, language])).toEqual([
      ['gone', undefined],
      [undefined, 'en'],
      ['gone', undefined],
    ]);
    expect(stage.failed.map(({ code }) => code)).toEqual(['not-found']);
  });

  it('passes over what has nothing to say', async () => {
    const stage = createStage();
    for (const text of ['', '...', ' ']) stage.playback.add(itemOf(text));
    await stage.clock.advance(1_000);
    expect(stage.requests).toEqual([]);
    expect(stage.ended.length).toBe(3);
  });
});

describe('what people can do with the queue', () => {
  it('shows what is spoken, for how long already, and what waits by whom', async () => {
    const stage = createStage(() => ({ lengthMs: 2_000 }));
    stage.playback.add(itemOf('hello', { by: anna }));
    stage.playback.add(itemOf('there', { by: ben }));
    stage.playback.add(itemOf('asked', { by: ben, kind: 'say' }));
    await stage.clock.advance(500);
    stage.playback.add(itemOf('notice', { kind: 'notice' }));
    const view = stage.playback.queue();
    expect(view).toMatchObject({
      isPaused: false,
      playedMs: 500,
      playing: [{ text: 'hello', by: anna }],
      waiting: [{ text: 'notice' }, { text: 'asked', by: ben }, { text: 'there', by: ben }],
    });
    expect(view.waiting.every(({ aboutMs }) => aboutMs > 200 && aboutMs < 1_000)).toBe(true);
    await stage.playback[Symbol.asyncDispose]();
  });

  it('skips within one packet, tells what, and ends the request under way', async () => {
    const stage = createStage(({ text }) => ({
      lengthMs: 4_000,
      ...(text.includes('one') ? { hangsAfter: 60 } : {}),
    }));
    stage.playback.add(itemOf('one', { kind: 'say' }));
    stage.playback.add(itemOf('two', { kind: 'say' }));
    await stage.clock.advance(500);
    expect(stage.playback.skip()).toMatchObject([{ text: 'one' }]);
    await stage.clock.advance(100);
    expect(stage.played.filter(({ text, atMs }) => text === 'one' && atMs > 500)).toEqual([]);
    expect(stage.spoken()).toMatchObject([{ text: 'one' }, { text: 'two', atMs: 500 }]);
    expect(stage.aborted).toContain('one');
    await stage.clock.advance(10_000);
    expect(stage.playback.skip()).toEqual([]);
    expect(stage.alive()).toEqual(nothing);
  });

  it('stops everything, and speaks again what comes then', async () => {
    const stage = createStage(({ text }) =>
      text.includes('made') ? { latencyMs: 700 } : { lengthMs: 3_000 },
    );
    for (const text of ['spoken', 'made', 'waiting', 'too'])
      stage.playback.add(itemOf(text, { by: { id: text, name: text } }));
    await stage.clock.advance(500);
    stage.playback.pause();
    expect(stage.playback.stop()).toBe(4);
    await stage.clock.advance(100);
    expect(stage.alive()).toEqual(nothing);
    expect(stage.playback.queue()).toMatchObject({ isPaused: false, playing: [], waiting: [] });
    stage.playback.add(itemOf('new'));
    await stage.clock.advance(5_000);
    expect(stage.said().at(-1)).toBe('new');
    expect(stage.dropped).toEqual([]);
    expect(stage.failed).toEqual([]);
  });

  it('pauses where it is and goes on there; what waited too long meanwhile is dropped', async () => {
    const stage = createStage(() => ({ lengthMs: 1_000 }));
    stage.playback.add(itemOf('one', { kind: 'say' }));
    stage.playback.add(itemOf('two', { kind: 'say' }));
    stage.playback.add(itemOf('chatter', { id: 'chatter' }));
    await stage.clock.advance(500);
    stage.playback.pause();
    await stage.clock.advance(30_000);
    const before = stage.played.length;
    expect(before).toBeLessThan(28);
    expect(stage.playback.queue().isPaused).toBe(true);
    stage.playback.resume();
    await stage.clock.advance(5_000);
    expect(stage.played.filter(({ text }) => text === 'one').length).toBe(50);
    expect(stage.said()).toEqual(['one', 'two']);
    expect(stage.dropped).toMatchObject([{ ids: ['chatter'], reason: 'late' }]);
  });

  it('loses nothing of long speech that was made meanwhile', async () => {
    const stage = createStage(() => ({ lengthMs: 70_000 }));
    stage.playback.add(itemOf('long', { kind: 'say' }));
    await stage.clock.advance(500);
    stage.playback.pause();
    await stage.clock.advance(30_000);
    stage.playback.resume();
    await stage.clock.advance(80_000);
    expect(stage.failed).toEqual([]);
    expect(stage.played).toHaveLength(3_500);
  });

  it('starts nothing while it is paused', async () => {
    const stage = createStage();
    stage.playback.pause();
    stage.playback.add(itemOf('later', { kind: 'say' }));
    await stage.clock.advance(5_000);
    expect(stage.requests).toEqual([]);
    stage.playback.resume();
    await stage.clock.advance(1_000);
    expect(stage.said()).toEqual(['later']);
  });

  it('can be skipped while it is paused', async () => {
    const stage = createStage(() => ({ lengthMs: 1_000 }));
    stage.playback.add(itemOf('one', { kind: 'say' }));
    stage.playback.add(itemOf('two', { kind: 'say' }));
    await stage.clock.advance(500);
    stage.playback.pause();
    await stage.clock.advance(100);
    stage.playback.skip();
    await stage.clock.advance(1_000);
    expect(stage.alive()).toMatchObject({ playing: 0, streams: 0 });
    stage.playback.resume();
    await stage.clock.advance(2_000);
    expect(stage.said()).toEqual(['one', 'two']);
  });
});

describe('a notice', () => {
  const open = async () => {
    const stage = createStage(() => ({ lengthMs: 1_000 }));
    stage.playback.add(itemOf('told', { kind: 'notice' }));
    await stage.clock.advance(500);
    return stage;
  };
  const packets = (stage: Awaited<ReturnType<typeof open>>, wanted: string): number =>
    stage.played.filter(({ text }) => text === wanted).length;

  it('is not skipped, nor is what waits behind it', async () => {
    const stage = await open();
    stage.playback.add(itemOf('next', { kind: 'say' }));
    await stage.clock.advance(100);
    expect(stage.playback.skip()).toEqual([]);
    await stage.clock.advance(5_000);
    expect([packets(stage, 'told'), packets(stage, 'next')]).toEqual([50, 50]);
  });

  it('is said to its end, wherever it is when everything else is stopped', async () => {
    const stage = await open();
    for (const text of ['also', 'last']) stage.playback.add(itemOf(text, { kind: 'notice' }));
    for (const text of ['one', 'two']) stage.playback.add(itemOf(text, { kind: 'say' }));
    await stage.clock.advance(100);
    expect(stage.playback.stop()).toBe(2);
    expect(stage.playback.stop()).toBe(0);
    await stage.clock.advance(10_000);
    expect(stage.said()).toEqual(['told', 'also', 'last']);
    expect(packets(stage, 'told')).toBe(50);
    expect(stage.ended.length).toBe(5);
    expect(stage.alive()).toEqual(nothing);
  });

  it('that waits behind something else is said after that was stopped', async () => {
    const stage = createStage(() => ({ lengthMs: 1_000 }));
    stage.playback.add(itemOf('one', { kind: 'say' }));
    await stage.clock.advance(500);
    stage.playback.add(itemOf('told', { kind: 'notice' }));
    expect(stage.playback.stop()).toBe(1);
    await stage.clock.advance(5_000);
    expect(stage.said()).toEqual(['one', 'told']);
    expect(packets(stage, 'told')).toBe(50);
  });

  it('is said to its end before a pause', async () => {
    const stage = await open();
    stage.playback.add(itemOf('next', { kind: 'say' }));
    stage.playback.pause();
    await stage.clock.advance(5_000);
    expect(stage.said()).toEqual(['told']);
    expect(packets(stage, 'told')).toBe(50);
    stage.playback.resume();
    await stage.clock.advance(5_000);
    expect(stage.said()).toEqual(['told', 'next']);
  });

  it('ends with the room all the same', async () => {
    const stage = await open();
    stage.playback.add(itemOf('also', { kind: 'notice' }));
    await stage.playback[Symbol.asyncDispose]();
    await stage.clock.advance(0);
    expect(stage.alive()).toEqual(nothing);
    expect(stage.said()).toEqual(['told']);
  });
});

describe('somebody who is forgotten', () => {
  it('is not spoken for any more: neither at this moment, nor of what is made ahead or waits', async () => {
    const stage = createStage(() => ({ lengthMs: 1_000 }));
    for (const [text, by] of [
      ['a1', anna],
      ['a2', anna],
      ['b1', ben],
      ['a3', anna],
      ['b2', ben],
    ] as const)
      stage.playback.add(itemOf(text, { by, kind: 'say' }));
    await stage.clock.advance(500);
    stage.playback.forget(anna.id);
    expect(stage.playback.queue().waiting.map(({ text }) => text)).toEqual(['b1', 'b2']);
    const before = stage.played.length;
    await stage.clock.advance(10_000);
    expect(stage.played.slice(before).map(({ text }) => text)).not.toContain('Anna says: a1');
    expect(stage.said()).toEqual(['Anna says: a1', 'Ben says: b1', 'b2']);
    expect(stage.ended.length).toBe(5);
    expect(stage.dropped).toEqual([]);
    expect(stage.alive()).toEqual(nothing);
  });

  it('takes nothing of others along, and ends no pause', async () => {
    const stage = createStage(() => ({ lengthMs: 1_000 }));
    stage.playback.add(itemOf('b1', { by: ben }));
    stage.playback.add(itemOf('told', { kind: 'notice' }));
    await stage.clock.advance(500);
    stage.playback.pause();
    stage.playback.forget(anna.id);
    expect(stage.playback.queue()).toMatchObject({ isPaused: true, playing: [{ text: 'b1' }] });
    stage.playback.resume();
    await stage.clock.advance(5_000);
    expect(stage.said()).toEqual(['Ben says: b1', 'told']);
  });
});

describe('while somebody speaks', () => {
  it('is lowered from the next packet on, and at full loudness again afterwards', async () => {
    const stage = createStage(() => ({ lengthMs: 2_000 }));
    stage.playback.add(itemOf('hello', { kind: 'say' }));
    const untilPlayed = async (count: number): Promise<void> => {
      while (stage.played.length < count) await stage.clock.advance(20);
    };
    await untilPlayed(20);
    stage.playback.duck(true);
    await untilPlayed(50);
    stage.playback.duck(false);
    await untilPlayed(99);
    // What is not told by its bytes any more was encoded anew.
    const isUntouched = stage.played.map(({ text }) => text === 'hello');
    expect(isUntouched.slice(0, 20)).not.toContain(false);
    expect(isUntouched.slice(21, 50)).not.toContain(true);
    expect(isUntouched.slice(52)).not.toContain(false);
    await stage.playback[Symbol.asyncDispose]();
  });

  it('gives the codecs back when it is skipped', async () => {
    const stage = createStage(() => ({ lengthMs: 2_000 }));
    stage.playback.duck(true);
    stage.playback.add(itemOf('hello', { kind: 'say' }));
    while (stage.played.length < 20) await stage.clock.advance(20);
    const places = Array.from({ length: 16 }, () => encoderGate.tryEnter());
    for (const place of places) place?.[Symbol.dispose]();
    expect(places.filter(Boolean).length).toBe(15);
    stage.playback.skip();
    await stage.clock.advance(100);
    const after = Array.from({ length: 16 }, () => encoderGate.tryEnter());
    for (const place of after) place?.[Symbol.dispose]();
    expect(after.filter(Boolean).length).toBe(16);
  });
});

describe('announcements', () => {
  const names = (said: readonly string[]) =>
    said.map((text) => /^(.*) says:/.exec(text)?.[1] ?? '');

  it('are made once a run, and again after another person or a minute', async () => {
    const stage = createStage(() => ({ lengthMs: 400 }));
    const say = async (by: SpeechItem['by'], kind: SpeechItem['kind'] = 'read', waitMs = 1_000) => {
      stage.playback.add(itemOf(`text ${stage.requests.length}`, { kind, ...(by ? { by } : {}) }));
      await stage.clock.advance(waitMs);
    };
    await say(anna);
    await say(anna, 'say');
    await say(undefined, 'notice');
    await say(ben, 'answer');
    await say(anna, 'read', 61_000);
    await say(anna);
    await say(ben);
    await say(anna);
    await say(anna);
    expect(names(stage.said())).toEqual(['Anna', '', '', '', '', 'Anna', 'Ben', 'Anna', '']);
  });

  it('are made anew for what was made ahead when somebody else came between', async () => {
    const stage = createStage(() => ({ lengthMs: 1_000 }));
    stage.playback.add(itemOf('one', { by: anna }));
    await stage.clock.advance(100);
    stage.playback.add(itemOf('two', { by: anna }));
    await stage.clock.advance(100);
    stage.playback.add(itemOf('urgent', { by: ben, kind: 'say' }));
    await stage.clock.advance(5_000);
    expect(stage.said()).toEqual(['Anna says: one', 'Ben says: urgent', 'Anna says: two']);
  });

  it('say somebody for a name that cannot be spoken', async () => {
    const stage = createStage();
    stage.playback.add(itemOf('hi', { by: { id: '9', name: '🔥✨__' } }));
    await stage.clock.advance(1_000);
    expect(stage.said()).toEqual(['Somebody says: hi']);
  });
});

describe('when speech fails', () => {
  it('tells it and goes on', async () => {
    const stage = createStage(({ text }) =>
      text === 'bad' ? { latencyMs: 50, fails: new AppError('unavailable', 'x') } : {},
    );
    const bad = itemOf('bad', { kind: 'say' });
    stage.playback.add(bad);
    stage.playback.add(itemOf('good', { kind: 'say' }));
    await stage.clock.advance(3_000);
    expect(stage.failed).toEqual([{ id: bad.id, code: 'unavailable' }]);
    expect(stage.said()).toEqual(['good']);
  });

  it('speaks what came of it first', async () => {
    const stage = createStage(({ text }) =>
      text === 'broken' ? { breaksAfter: 20, lengthMs: 2_000 } : {},
    );
    stage.playback.add(itemOf('broken', { kind: 'say' }));
    stage.playback.add(itemOf('next', { kind: 'say' }));
    await stage.clock.advance(3_000);
    expect(stage.played.filter(({ text }) => text === 'broken').length).toBeGreaterThanOrEqual(18);
    expect(stage.failed).toMatchObject([{ code: 'unavailable' }]);
    expect(stage.said()).toEqual(['broken', 'next']);
  });

  it.each([{ hangs: true }, { hangsAfter: 30 }])(
    'gives up a service that hangs (%j)',
    async (manner) => {
      const stage = createStage(({ text }) =>
        text === 'stuck' ? { ...manner, lengthMs: 2_000 } : {},
      );
      stage.playback.add(itemOf('stuck', { kind: 'say' }));
      stage.playback.add(itemOf('next', { kind: 'say' }));
      await stage.clock.advance(30_000);
      expect(stage.failed).toMatchObject([{ code: 'timeout' }]);
      expect(stage.said().at(-1)).toBe('next');
      expect(stage.alive()).toEqual(nothing);
    },
  );

  it('drops chatter whose speech comes too late', async () => {
    const stage = createStage(() => ({ latencyMs: 5_000 }));
    stage.playback.add(itemOf('late', { id: 'late', longestWaitMs: 4_000 }));
    await stage.clock.advance(20_000);
    expect(stage.said()).toEqual([]);
    expect(stage.dropped).toMatchObject([{ ids: ['late'], reason: 'late' }]);
    expect(stage.alive()).toEqual(nothing);
  });

  it('ends for good when the room is gone', async () => {
    const stage = createStage(() => ({ lengthMs: 1_000 }));
    for (const text of ['one', 'two', 'three']) stage.playback.add(itemOf(text, { kind: 'say' }));
    await stage.clock.advance(500);
    stage.leaveRoom();
    await stage.clock.advance(5_000);
    expect(stage.said()).toEqual(['one']);
    stage.playback.add(itemOf('more', { kind: 'say' }));
    await stage.clock.advance(5_000);
    expect(stage.requests.length).toBe(2);
    expect(stage.failed).toEqual([]);
    expect(stage.alive()).toEqual(nothing);
  });

  it('leaves nothing alive when it is disposed of', async () => {
    const stage = createStage(({ text }) =>
      text === 'hangs' ? { hangs: true } : { lengthMs: 900 },
    );
    for (const text of ['one', 'hangs', 'three']) stage.playback.add(itemOf(text, { kind: 'say' }));
    await stage.clock.advance(100);
    await stage.playback[Symbol.asyncDispose]();
    await stage.clock.advance(0);
    expect(stage.alive()).toEqual(nothing);
  });
});
