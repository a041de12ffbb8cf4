import { describe, expect, it } from 'vitest';
import type { SpeechItem } from '../../../../src/voice/tts/speech-item.ts';
import { anna, ben, createStage, itemOf, nothing } from './playback-harness.ts';

describe('chatter', () => {
  const backlog = (count: number): SpeechItem[] =>
    Array.from({ length: count }, (_, index) =>
      itemOf(`message number ${index}`, {
        id: `m${index}`,
        by: { id: `${index % 5}`, name: `P${index % 5}` },
      }),
    );

  it('never starts after its longest wait in a backlog of 40; each dropped item is reported once', async () => {
    const stage = createStage(() => ({ latencyMs: 400, lengthMs: 3_000 }));
    for (const item of backlog(40)) stage.playback.add(item);
    await stage.clock.advance(200_000);
    const starts = stage.spoken().map(({ atMs }) => atMs);
    expect(stage.began.length).toBeGreaterThanOrEqual(7);
    expect(Math.max(...starts)).toBeLessThanOrEqual(20_000);
    expect(new Set(stage.dropped.map(({ reason }) => reason))).toEqual(new Set(['late']));
    const told = [...stage.began.map(({ id }) => id), ...stage.dropped.flatMap(({ ids }) => ids)];
    expect(told).toHaveLength(40);
    expect(new Set(told).size).toBe(40);
    expect(stage.alive()).toEqual(nothing);
  });

  it('is at most half late again once some was left out, however long people go on', async () => {
    const stage = createStage(() => ({ lengthMs: 3_000 }));
    const addedMs = new Map<string, number>();
    for (const item of backlog(90)) {
      addedMs.set(item.id, stage.clock.nowMs());
      stage.playback.add(item);
      await stage.clock.advance(1_000);
    }
    await stage.clock.advance(30_000);
    const waits = stage.began.map(({ id, atMs }) => atMs - addedMs.get(id)!);
    expect(Math.max(...waits)).toBeLessThanOrEqual(20_000);
    const average = waits.reduce((sum, wait) => sum + wait, 0) / waits.length;
    expect(average).toBeLessThan(16_000);
  });

  it('stays when something else is late', async () => {
    const stage = createStage(() => ({ lengthMs: 12_000 }));
    stage.playback.add(itemOf('long', { kind: 'notice' }));
    await stage.clock.advance(20);
    stage.playback.add(itemOf('asked', { kind: 'say', id: 'asked', longestWaitMs: 11_000 }));
    stage.playback.add(itemOf('chatter'));
    await stage.clock.advance(40_000);
    expect(stage.said()).toEqual(['long', 'chatter']);
    expect(stage.dropped.map(({ ids }) => ids)).toEqual([['asked']]);
  });

  it('of one person in a row is spoken in one go, with one announcement', async () => {
    const stage = createStage(() => ({ lengthMs: 1_000 }));
    stage.playback.add(itemOf('first', { by: ben }));
    await stage.clock.advance(100);
    stage.playback.add(itemOf('next', { by: ben }));
    for (const text of ['a1', 'a2', 'a3']) stage.playback.add(itemOf(text, { by: anna }));
    stage.playback.add(itemOf('b1', { by: ben }));
    await stage.clock.advance(10_000);
    expect(stage.said()).toEqual([
      'Ben says: first',
      'next',
      'Anna says: a1\na2\na3',
      'Ben says: b1',
    ]);
  });

  it('is not merged over what differs: voice, language, person, length', async () => {
    const stage = createStage(() => ({ lengthMs: 500 }));
    stage.playback.add(itemOf('start', { kind: 'notice' }));
    await stage.clock.advance(20);
    stage.playback.add(itemOf('ahead', { by: ben }));
    stage.playback.add(itemOf('one', { by: anna, voice: { named: 'x' } }));
    stage.playback.add(itemOf('two', { by: anna, voice: { named: 'y' } }));
    stage.playback.add(itemOf('three', { by: anna, voice: { named: 'y' }, readAs: 'ja' }));
    stage.playback.add(
      itemOf('four '.repeat(100), { by: anna, voice: { named: 'y' }, readAs: 'ja' }),
    );
    await stage.clock.advance(15_000);
    expect(stage.said().slice(2, 5)).toEqual(['Anna says: one', 'two', 'three']);
  });

  it('is shortened where it is long, and says so', async () => {
    const stage = createStage();
    stage.playback.add(itemOf('word '.repeat(200)));
    await stage.clock.advance(60_000);
    const text = stage.said().join(' ');
    expect(text.length).toBeLessThan(520);
    expect(text).toMatch(/word and so on$/);
  });

  it('is left out when it is the same for the third time in a row', async () => {
    const stage = createStage();
    for (let i = 0; i < 4; i += 1) stage.playback.add(itemOf('spam', { by: anna }));
    stage.playback.add(itemOf('other', { by: anna }));
    stage.playback.add(itemOf('spam', { by: anna }));
    await stage.clock.advance(10_000);
    const count = stage.requests.flatMap(({ text }) => text.match(/spam/g) ?? []).length;
    expect(count).toBe(3);
    expect(stage.dropped.map(({ ids, reason }) => [ids.length, reason])).toEqual([[2, 'repeated']]);
  });

  it('may be the same again after a minute', async () => {
    const stage = createStage();
    for (let i = 0; i < 4; i += 1) {
      stage.playback.add(itemOf('good morning', { by: anna }));
      await stage.clock.advance(61_000);
    }
    expect(stage.requests).toHaveLength(4);
    expect(stage.dropped).toEqual([]);
  });

  it('that is spoken in one go begins with its first sound, all of it, and in time for each', async () => {
    const began: string[] = [];
    const late: string[] = [];
    const stage = createStage(() => ({ lengthMs: 1_000 }), {
      listener: {
        began: ({ text }) => began.push(text),
        ended: () => undefined,
        dropped: (items) => late.push(...items.map(({ text }) => text)),
        failed: () => undefined,
      },
    });
    stage.playback.add(itemOf('first', { by: ben }));
    await stage.clock.advance(100);
    stage.playback.add(itemOf('next', { by: ben }));
    stage.playback.add(itemOf('a1', { by: anna }));
    stage.playback.add(itemOf('a2', { by: anna }));
    stage.playback.add(itemOf('b1', { by: ben }));
    stage.playback.add(itemOf('b2', { by: ben, longestWaitMs: 2_500 }));
    await stage.clock.advance(10_000);
    expect(began).toEqual(['first', 'next', 'a1', 'a2']);
    expect(late).toEqual(['b1', 'b2']);
  });

  it('gives way, the oldest first, when more than a hundred wait', async () => {
    const stage = createStage(() => ({ lengthMs: 60_000 }));
    stage.playback.add(itemOf('now', { kind: 'say' }));
    await stage.clock.advance(20);
    stage.playback.add(itemOf('ahead', { kind: 'say' }));
    const items = backlog(100);
    for (const item of items) stage.playback.add(item);
    stage.playback.add(itemOf('asked', { kind: 'say', id: 'asked' }));
    stage.playback.add(itemOf('more', { id: 'more' }));
    expect(stage.playback.queue().waiting.length).toBe(101);
    await stage.clock.advance(1_100);
    expect(stage.dropped).toMatchObject([{ ids: ['m0', 'm1'], reason: 'full' }]);
    await stage.playback[Symbol.asyncDispose]();
  });
});
