import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLog } from '../../../src/log.ts';
import type { Row } from '../../../src/store/inbox/row.ts';
import {
  createScheduler,
  type Scheduler,
  type SchedulerDeps,
} from '../../../src/autotranslate/scheduler.ts';

const LANE = { platform: 'test', lane: 'lane' };
const REF = { channel: { space: { platform: 'test', id: 's' }, id: 'c' }, id: '1' };

let lanes: Scheduler;
let work: SchedulerDeps['work'];

beforeEach(() => {
  work = async () => undefined;
  lanes = createScheduler({
    log: createLog('silent'),
    now: () => Date.now(),
    work: (...given) => work(...given),
  });
});
afterEach(async () => {
  await lanes[Symbol.asyncDispose]();
  vi.useRealTimers();
});

describe('lanes', () => {
  it('are looked at again when something comes while they are worked on', async () => {
    let rounds = 0;
    work = async () => {
      rounds += 1;
      if (rounds === 1) lanes.wake(LANE);
      return undefined;
    };
    lanes.wake(LANE);
    await lanes.idle();
    expect(rounds).toBe(2);
  });

  it('are looked at again when they are due, and after a fault of ours', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    let rounds = 0;
    work = async () => {
      rounds += 1;
      if (rounds === 1) return Date.now() + 1_000;
      if (rounds === 2) throw new Error('no disk');
      return undefined;
    };
    lanes.wake(LANE);
    await lanes.idle();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(rounds).toBe(2);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(rounds).toBe(3);
  });

  it('keep what they have begun from round to round', async () => {
    const sizes: number[] = [];
    work = async (_, jobs) => {
      sizes.push(jobs.size);
      jobs.set('begun', {} as never);
      return undefined;
    };
    for (const _ of [1, 2]) {
      lanes.wake(LANE);
      await lanes.idle();
    }
    expect(sizes).toEqual([0, 1]);
  });

  it('end what is made of a message that changed, and of no other', async () => {
    const aborts = [new AbortController(), new AbortController()];
    const ended = Promise.withResolvers<void>();
    work = async (_lane, _jobs, _signal, register) => {
      for (const [index, abort] of aborts.entries())
        register({ ref: { ...REF, id: `${index}` } } as Row, abort);
      await ended.promise;
      return undefined;
    };
    lanes.wake(LANE);
    lanes.interrupt({ ...REF, id: '1' });
    expect(aborts.map(({ signal }) => signal.aborted)).toEqual([false, true]);
    ended.resolve();
  });

  it('are ended only when nothing of them is under way any more', async () => {
    const ended = Promise.withResolvers<void>();
    let isEnded = false;
    work = async () => {
      await ended.promise;
      return undefined;
    };
    lanes.wake(LANE);
    const end = async (): Promise<void> => {
      await lanes[Symbol.asyncDispose]();
      isEnded = true;
    };
    const ending = end();
    await setImmediate();
    expect(isEnded).toBe(false);
    ended.resolve();
    await ending;
  });
});
