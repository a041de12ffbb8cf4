import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { createBackfill } from '../../../src/autotranslate/backfill.ts';
import { GENERAL, holdOf, withBackfill } from './backfill-support.ts';

const scene = withBackfill();
const { follow, parts } = scene;

describe('catching up in linked channels', () => {
  it('reads nothing until all processes heed that linked channels wait', async () => {
    const inEffect = Promise.withResolvers<void>();
    const hold = () => holdOf(inEffect.promise);
    await using backfill = createBackfill({ ...parts(), hold });
    scene.place.say(GENERAL, 'missed');
    void backfill.missed(GENERAL, undefined);
    for (let turn = 0; turn < 10; turn += 1) await setImmediate();
    expect(scene.place.calls).toEqual([]);
    inEffect.resolve();
    await backfill.idle();
    expect(scene.taken).toEqual(['missed']);
  });

  it('ends though it waits for other processes', async () => {
    const hold = () => holdOf(Promise.withResolvers<void>().promise);
    await using backfill = createBackfill({ ...parts(), hold });
    void backfill.missed(GENERAL, undefined);
  });

  it('reports nothing of a linked channel until all processes heed a hold of the others', async () => {
    await follow();
    const inEffect = Promise.withResolvers<void>();
    await using backfill = createBackfill({ ...parts(), inEffect: () => inEffect.promise });
    let isReported = false;
    const reported = backfill.report(GENERAL, async () => {
      isReported = true;
    });
    for (let turn = 0; turn < 10; turn += 1) await setImmediate();
    expect(isReported).toBe(false);
    inEffect.resolve();
    await reported;
  });

  it.each([
    ['looks for it later where no report comes', false, ['reported', 'last']],
    ['and not again once it was reported', true, []],
  ])(
    'leaves what came after the gap of a linked channel to its reports, %s',
    async (_, areAllReported, foundLater) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      try {
        scene.aheadMs = -60_000;
        const hold = () => holdOf(Promise.resolve());
        await using backfill = createBackfill({ ...parts(), hold });
        const { position } = scene.place.say(GENERAL, 'missed');
        const later = ['reported', 'last'].map((text) => scene.place.say(GENERAL, text));
        scene.recent = later;
        const reported = areAllReported ? later : later.slice(0, 1);
        const read = backfill.missed(GENERAL, position);
        for (const message of reported)
          void backfill.report(GENERAL, async () => undefined, message.position);
        expect(await read).toBe(true);
        await backfill.idle();
        expect(scene.taken).toEqual(['missed']);
        expect(scene.deleted).toEqual([]);
        scene.taken.length = 0;
        await vi.advanceTimersByTimeAsync(11_000);
        await backfill.idle();
        expect(scene.taken).toEqual(foundLater);
      } finally {
        vi.useRealTimers();
      }
    },
  );

  it('holds linked channels until the reports that waited for the history are handled', async () => {
    const noted: string[] = [];
    const end = async (isRead: boolean): Promise<void> => void noted.push(`end ${isRead}`);
    const hold = () => holdOf(Promise.resolve(), end);
    await using backfill = createBackfill({ ...parts(), hold });
    void backfill.missed(GENERAL, undefined);
    for (const number of [1, 2])
      void backfill.report(GENERAL, async () => {
        await setImmediate();
        noted.push(`report ${number}`);
      });
    await backfill.idle();
    expect(noted).toEqual(['report 1', 'report 2', 'end true']);
  });

  it('leaves the history owed where the program ends before it is read', async () => {
    const noted: boolean[] = [];
    const end = async (isRead: boolean): Promise<void> => void noted.push(isRead);
    scene.gate = Promise.withResolvers<void>().promise;
    const hold = () => holdOf(Promise.withResolvers<void>().promise, end);
    const backfill = createBackfill({ ...parts(), hold });
    void backfill.missed(GENERAL, undefined);
    await backfill[Symbol.asyncDispose]();
    expect(noted).toEqual([false]);
  });
});
