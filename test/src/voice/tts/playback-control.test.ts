import { describe, expect, it } from 'vitest';
import { spokenMs } from '../../../../src/voice/tts/speech-item.ts';
import { anna, ben, createStage, itemOf, nothing } from './playback-harness.ts';

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
    const aboutMs = view.waiting.map(({ text }) => spokenMs(text));
    expect(aboutMs.every((ms) => ms > 200 && ms < 1_000)).toBe(true);
    await stage.playback[Symbol.asyncDispose]();
  });

  it('skips within one packet, and ends the request under way', async () => {
    const stage = createStage(({ text }) => ({
      lengthMs: 4_000,
      ...(text.includes('one') ? { hangsAfter: 60 } : {}),
    }));
    stage.playback.add(itemOf('one', { kind: 'say' }));
    stage.playback.add(itemOf('two', { kind: 'say' }));
    await stage.clock.advance(500);
    expect(stage.playback.skip()).toBe(true);
    await stage.clock.advance(100);
    expect(stage.played.filter(({ text, atMs }) => text === 'one' && atMs > 500)).toEqual([]);
    expect(stage.spoken()).toMatchObject([{ text: 'one' }, { text: 'two', atMs: 500 }]);
    expect(stage.aborted).toContain('one');
    await stage.clock.advance(10_000);
    expect(stage.playback.skip()).toBe(false);
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
    expect(stage.playback.skip()).toBe(false);
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
