import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { silentLog } from '../../fakes/silent-log.ts';
import type { Tenure } from '../../../src/ports/processes.ts';
import { slotOf } from '../../../src/store/rows.ts';
import type { Row } from '../../../src/store/inbox/row.ts';
import { createScheduler, type Scheduler } from '../../../src/autotranslate/scheduler.ts';

const PARTITION = 'test:channel:c';
const REF = { channel: { space: { platform: 'test', id: 's' }, id: 'c' }, id: '1' };

let scheduler: Scheduler;
/** The tenure of every slot; undefined where another process has them. */
let tenure: Tenure | undefined;
let told: string[];
/** Makes something that was begun. */
const createJob = () => {
  const abort = new AbortController();
  const made = { abort, registered: { [Symbol.dispose]: () => undefined } } as never;
  return { made, isDropped: () => abort.signal.aborted };
};
const job = createJob().made;
const createTenure = (epoch: number): Tenure => ({
  name: 'slot:1',
  epoch,
  signal: new AbortController().signal,
  isHeld: () => true,
  assertHeld: () => undefined,
  release: async () => undefined,
});
let work: Parameters<Scheduler['start']>[0];

beforeEach(() => {
  told = [];
  tenure = createTenure(1);
  work = async () => undefined;
  scheduler = createScheduler({
    slots: { tenureOf: () => tenure, tell: (kind, key) => void told.push(`${kind} ${key}`) },
    log: silentLog,
    now: () => Date.now(),
  });
  scheduler.start((...given) => work(...given));
});
afterEach(async () => {
  await scheduler[Symbol.asyncDispose]();
  vi.useRealTimers();
});

describe('partitions', () => {
  it('of a platform that does not answer keep none of another one waiting', async () => {
    const worked: string[] = [];
    const answer = Promise.withResolvers<void>();
    work = async ({ partition }) => {
      worked.push(partition);
      if (partition.startsWith('far:') || partition.endsWith('>far c')) await answer.promise;
      return undefined;
    };
    for (let at = 0; at < 300; at += 1) {
      scheduler.wake(`far:channel:${at}`);
      scheduler.wake(`group:${at}>far c`);
      scheduler.wake(`pause:${at}>near b>far c`);
    }
    const others = ['near:channel:c', 'group:g', 'group:g>near c', 'pause:g>far c>near c'];
    others.forEach(scheduler.wake);
    await setImmediate();
    expect(worked).toEqual(expect.arrayContaining(others));
    expect(worked.length).toBeLessThan(900);
    answer.resolve();
    await scheduler.idle();
    expect(worked).toHaveLength(904);
  });

  it('that are on hold are looked at only when nothing holds them any more', async () => {
    let rounds = 0;
    work = async () => {
      rounds += 1;
      return undefined;
    };
    scheduler.wake(PARTITION);
    const [first, second] = [scheduler.hold(PARTITION), scheduler.hold(PARTITION)];
    await scheduler.idle();
    const before = rounds;
    scheduler.wake(PARTITION);
    first[Symbol.dispose]();
    first[Symbol.dispose]();
    await scheduler.idle();
    expect([rounds - before, scheduler.isOnHold(PARTITION)]).toEqual([0, true]);
    second[Symbol.dispose]();
    await scheduler.idle();
    expect([rounds - before, scheduler.isOnHold(PARTITION)]).toEqual([1, false]);
  });

  it('are looked at again when something comes while they are worked on', async () => {
    let rounds = 0;
    work = async () => {
      rounds += 1;
      if (rounds === 1) scheduler.wake(PARTITION);
      return undefined;
    };
    scheduler.wake(PARTITION);
    await scheduler.idle();
    expect(rounds).toBe(2);
  });

  it('are looked at again when they are due, and after a fault of ours', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    let rounds = 0;
    work = async () => {
      rounds += 1;
      if (rounds === 1) return { atMs: Date.now() + 1_000, isStored: true };
      if (rounds === 2) throw new Error('no disk');
      return undefined;
    };
    scheduler.wake(PARTITION);
    await scheduler.idle();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(rounds).toBe(2);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(rounds).toBe(3);
  });

  it('keep what they have begun from round to round', async () => {
    const sizes: number[] = [];
    work = async ({ jobs }) => {
      sizes.push(jobs.size);
      jobs.set('begun', job);
      return undefined;
    };
    for (const _ of [1, 2]) {
      scheduler.wake(PARTITION);
      await scheduler.idle();
    }
    expect(sizes).toEqual([0, 1]);
  });

  it('end what is made of a message that changed, and of no other', async () => {
    const aborts = [new AbortController(), new AbortController()];
    const ended = Promise.withResolvers<void>();
    work = async (_, register) => {
      for (const [index, abort] of aborts.entries())
        register({ ref: { ...REF, id: `${index}` } } as Row, abort);
      await ended.promise;
      return undefined;
    };
    scheduler.wake(PARTITION);
    await setImmediate();
    scheduler.interrupt({ ...REF, id: '1' });
    expect(aborts.map(({ signal }) => signal.aborted)).toEqual([false, true]);
    ended.resolve();
  });

  it('that another process has are told to it, and not worked on', async () => {
    let rounds = 0;
    work = async () => {
      rounds += 1;
      return undefined;
    };
    tenure = undefined;
    scheduler.wake(PARTITION);
    await scheduler.idle();
    expect([rounds, told]).toEqual([0, [`inbox ${PARTITION}`]]);
  });

  it('of a slot that is given away end what is under way, and are not worked on again', async () => {
    let rounds = 0;
    const ended = Promise.withResolvers<void>();
    work = async ({ jobs }) => {
      rounds += 1;
      jobs.set('begun', job);
      await ended.promise;
      return { atMs: Date.now(), isStored: true };
    };
    scheduler.wake(PARTITION);
    await setImmediate();
    const lost = tenure!;
    tenure = undefined;
    const ending = scheduler.endSlot(slotOf(PARTITION), lost, 3_000);
    ended.resolve();
    await ending;
    await scheduler.idle();
    expect([rounds, scheduler.isKnown(PARTITION, Infinity)]).toEqual([1, false]);
  });

  it('keep what was begun after their slot was lost and came again, while earlier work ends', async () => {
    const slow = Array.from({ length: 1_000 }, (_, index) => `test:channel:${index}`).find(
      (partition) => slotOf(partition) === slotOf(PARTITION),
    )!;
    const ended = Promise.withResolvers<void>();
    const jobs = [createJob(), createJob()];
    work = async ({ partition, tenure: under, jobs: begun }) => {
      if (partition === slow) await ended.promise;
      else begun.set('begun', jobs[under.epoch - 1]!.made);
      return undefined;
    };
    for (const partition of [slow, PARTITION]) scheduler.wake(partition);
    await setImmediate();
    const lost = tenure!;
    tenure = undefined;
    const ending = scheduler.endSlot(slotOf(PARTITION), lost, 3_000);
    tenure = createTenure(2);
    scheduler.wake(PARTITION);
    await setImmediate();
    ended.resolve();
    await ending;
    expect(jobs.map(({ isDropped }) => isDropped())).toEqual([true, false]);
  });

  it('are ended only when nothing of them is under way any more', async () => {
    const ended = Promise.withResolvers<void>();
    let isEnded = false;
    work = async () => {
      await ended.promise;
      return undefined;
    };
    scheduler.wake(PARTITION);
    const end = async (): Promise<void> => {
      await scheduler[Symbol.asyncDispose]();
      isEnded = true;
    };
    const ending = end();
    await setImmediate();
    expect(isEnded).toBe(false);
    ended.resolve();
    await ending;
  });
});
