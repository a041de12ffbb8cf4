import { describe, expect, it } from 'vitest';
import type { Api } from '../../../../adapters/slack/api.ts';
import { createLookBack, watchedChannels } from '../../../../adapters/slack/inbound/look-back.ts';
import { MINUTE_MS } from '../../../../src/async/clock.ts';
import { createLog } from '../../../../src/telemetry/log.ts';
import { createTestClock } from '../../../fakes/clock.ts';

const SPACE = { platform: 'slack', id: 'T1' };

const open = () => {
  const clock = createTestClock();
  const startMs = clock.nowMs();
  const asked: number[] = [];
  const missed: string[] = [];
  const safety: number[] = [];
  const logged: string[] = [];
  const stopping = new AbortController();
  const api = {
    call: async () => ({ channels: [{ id: 'C1' }, { id: 'C2' }] }),
    isTokenGood: () => true,
  } as unknown as Api;
  const listener = { follows: ({ id }: { readonly id: string }) => id === 'C1' };
  const lookBack = createLookBack({
    note: async (space, withinMs) => {
      if (withinMs > 0) {
        safety.push(withinMs / MINUTE_MS);
        return;
      }
      asked.push((clock.nowMs() - startMs) / MINUTE_MS);
      missed.push(...(await watchedChannels(api, listener, space)).map(({ id }) => id));
    },
    log: createLog('warn', { write: (line) => void logged.push(line) }),
    clock,
    speed: 1,
    stopped: stopping.signal,
  });
  return { clock, asked, missed, safety, logged, lookBack, stopping };
};

/** Slack tells of it each minute, for so many minutes. */
const limitedFor = async (
  { clock, lookBack }: Pick<ReturnType<typeof open>, 'clock' | 'lookBack'>,
  minutes: number,
): Promise<void> => {
  for (let minute = 0; minute < minutes; minute += 1) {
    lookBack.eventsDropped(SPACE);
    await clock.advance(MINUTE_MS);
  }
};

describe('events that are left out', () => {
  it('are not read of a workspace that removes the app meanwhile', async () => {
    const scene = open();
    scene.lookBack.eventsDropped(SPACE);
    scene.lookBack.forgetSpace(SPACE);
    await scene.clock.advance(MINUTE_MS);
    expect(scene.asked).toEqual([]);
  });

  it('are read once the minute in which they are is over', async () => {
    const scene = open();
    await limitedFor(scene, 1);
    expect(scene.asked).toEqual([1]);
    expect(scene.missed).toEqual(['C1']);
    // By another process, where this one ends before.
    expect(scene.safety).toEqual([60]);
    await scene.clock.advance(120 * MINUTE_MS);
    expect(scene.asked).toEqual([1]);
  });

  it('are read more and more rarely while Slack leaves some out, and once after that', async () => {
    const scene = open();
    await limitedFor(scene, 60);
    await scene.clock.advance(60 * MINUTE_MS);
    const waits = scene.asked.map((at, index) => at - (scene.asked[index - 1] ?? 0));
    expect(scene.asked.length).toBeLessThanOrEqual(8);
    expect(waits).toEqual(waits.toSorted((a, b) => a - b));
    // The last word came in the 59th minute.
    expect(scene.asked.at(-1)).toBeGreaterThanOrEqual(60);
  });

  it('are told to the operator at most once a minute', async () => {
    const scene = open();
    for (let each = 0; each < 10; each += 1)
      scene.lookBack.eventsDropped({ ...SPACE, id: `T${each}` });
    expect(scene.logged).toHaveLength(1);
    await scene.clock.advance(MINUTE_MS);
    scene.lookBack.eventsDropped(SPACE);
    expect(scene.logged).toHaveLength(2);
  });

  it('are not read once the program ends', async () => {
    const scene = open();
    scene.lookBack.eventsDropped(SPACE);
    scene.stopping.abort();
    await scene.clock.advance(60 * MINUTE_MS);
    expect(scene.asked).toEqual([]);
    expect(scene.clock.waiting).toBe(0);
  });
});
