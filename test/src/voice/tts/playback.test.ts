import { describe, expect, it } from 'vitest';
import { encoderLimit } from '../../../../src/audio/opus/encoder.ts';
import { AppError } from '../../../../src/errors.ts';
import { anna, createStage, itemOf, nothing } from './playback-harness.ts';

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

  it('speaks with the preferred voice, and with any of the language where that is gone', async () => {
    const stage = createStage(({ named }) =>
      named === 'gone' ? { fails: new AppError('not-found', 'no voice') } : {},
    );
    stage.playback.add(itemOf('hello', { voice: { named: 'gone' }, readAs: 'en' }));
    stage.playback.add(itemOf('again', { voice: { named: 'gone' } }));
    await stage.clock.advance(2_000);
    expect(stage.requests.map(({ named, language }) => [named, language])).toEqual([
      ['gone', undefined],
      [undefined, 'en'],
      ['gone', undefined],
    ]);
    expect(stage.failed.map(({ code }) => code)).toEqual(['not-found']);
  });

  it('skips items with nothing to speak', async () => {
    const stage = createStage();
    for (const text of ['', '...', ' ']) stage.playback.add(itemOf(text, { by: anna }));
    await stage.clock.advance(1_000);
    expect(stage.requests).toEqual([]);
    expect(stage.ended.length).toBe(3);
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
    const places = Array.from({ length: 16 }, () => encoderLimit.tryAcquire());
    for (const place of places) place?.[Symbol.dispose]();
    expect(places.filter(Boolean).length).toBe(15);
    stage.playback.skip();
    await stage.clock.advance(100);
    const after = Array.from({ length: 16 }, () => encoderLimit.tryAcquire());
    for (const place of after) place?.[Symbol.dispose]();
    expect(after.filter(Boolean).length).toBe(16);
  });
});
