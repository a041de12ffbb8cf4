import { describe, expect, it } from 'vitest';
import { AppError } from '../../../../src/errors.ts';
import { createStage, itemOf, nothing } from './playback-harness.ts';

describe('when speech fails', () => {
  it('reports it and goes on', async () => {
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
    async (behaviour) => {
      const stage = createStage(({ text }) =>
        text === 'stuck' ? { ...behaviour, lengthMs: 2_000 } : {},
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

  it('reports what could not be played, and goes on', async () => {
    const stage = createStage(() => ({ lengthMs: 1_000 }));
    const [one, two] = ['one', 'two'].map((text) => itemOf(text, { kind: 'say' }));
    for (const item of [one!, two!]) stage.playback.add(item);
    await stage.clock.advance(500);
    stage.failPlaying(new AppError('forbidden', 'we may not speak'));
    await stage.clock.advance(5_000);
    expect(stage.said()).toEqual(['one', 'two']);
    expect(stage.played.filter(({ text }) => text === 'two')).toHaveLength(50);
    expect(stage.failed).toEqual([{ id: one!.id, code: 'forbidden' }]);
    expect(stage.ended).toEqual([two!.id]);
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
    stage.playback.add(itemOf('more', { kind: 'say' }));
    await stage.clock.advance(5_000);
    expect(stage.requests.length).toBe(2);
    expect(stage.ended).toHaveLength(4);
  });
});
