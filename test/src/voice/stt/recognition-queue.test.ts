import { describe, expect, it } from 'vitest';
import { AppError } from '../../../../src/errors.ts';
import {
  createRecognitionQueue,
  type RecognitionQueueOptions,
  type RecognitionTask,
} from '../../../../src/voice/stt/recognition-queue.ts';
import { sleep } from '../../../../src/async/clock.ts';
import { createTestClock } from '../../../fakes/clock.ts';

const DEADLINE_MS = 45_000;

/** A service that answers, after so long, or does not. */
const setUp = (options: Partial<RecognitionQueueOptions<string, RecognitionTask<string>>> = {}) => {
  const clock = createTestClock();
  const service = { turnAfterMs: 0, answersAfterMs: 200 as number | undefined, isDown: false };
  const outcomes: string[] = [];
  const delayed: string[] = [];
  /** When each run began, and how many go on. */
  const runs: { readonly name: string; readonly atMs: number }[] = [];
  let underWay = 0;
  let most = 0;
  const queue = createRecognitionQueue<string>(clock, {
    deadlineMs: DEADLINE_MS,
    atOnce: 4,
    mostWaiting: 100,
    ...options,
  });
  const startMs = clock.nowMs();

  const run = async (name: string, leftMs: number, stopped: AbortSignal): Promise<string> => {
    runs.push({ name, atMs: clock.nowMs() - startMs });
    underWay += 1;
    most = Math.max(most, underWay);
    let isOver = false;
    const end = (): void => {
      if (!isOver) underWay -= 1;
      isOver = true;
    };
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const { answersAfterMs, isDown } = service;
    if (isDown) reject(new AppError('unavailable', 'down', { retryable: true }));
    else if (answersAfterMs !== undefined) clock.after(answersAfterMs, () => resolve(name));
    clock.after(leftMs, () => reject(new AppError('timeout', 'late', { retryable: true })));
    stopped.addEventListener('abort', () => {
      end();
      reject(stopped.reason);
    });
    return promise.finally(end);
  };
  const taskOf = (name: string, ownerId: string): RecognitionTask<string> => {
    const stop = new AbortController();
    return {
      ownerId,
      lengthMs: 0,
      attempt: async (leftMs, signal, tell) => {
        const both = AbortSignal.any([stop.signal, signal]);
        tell(service.turnAfterMs === 0);
        await sleep(clock, service.turnAfterMs, both);
        tell(true);
        return run(name, leftMs, both);
      },
      delayed: ({ code }) => void delayed.push(code),
      stop: (reason) => stop.abort(reason),
      done: (outcome) =>
        void outcomes.push(outcome.error ? `${name}: ${outcome.error.code}` : outcome.result),
    };
  };
  const add = (name: string, ownerId = name): void => queue.add(taskOf(name, ownerId));
  /** Lets time pass as the pipeline does. */
  const pass = async (ms: number): Promise<void> => {
    const untilMs = clock.nowMs() + ms;
    for (;;) {
      await clock.advance(0);
      const atMs = queue.nextTickMs ?? Infinity;
      if (atMs >= untilMs) break;
      await clock.advance(Math.max(1, atMs - clock.nowMs()));
      queue.tick(clock.nowMs());
    }
    await clock.advance(untilMs - clock.nowMs());
    queue.tick(clock.nowMs());
    await clock.advance(0);
  };
  return {
    clock,
    service,
    outcomes,
    delayed,
    runs,
    queue,
    taskOf,
    add,
    pass,
    most: () => most,
    underWay: () => underWay,
  };
};

const NAMES = Array.from({ length: 12 }, (_, at) => `line ${at}`);

describe('a service of which nothing comes back', () => {
  it('loses no utterance when it is back after half a minute', async () => {
    const { service, outcomes, add, pass, queue } = setUp();
    service.answersAfterMs = undefined;
    for (const [at, name] of NAMES.entries()) add(name, `speaker ${at % 3}`);
    await pass(30_000);
    expect(outcomes).toEqual([]);
    service.answersAfterMs = 200;
    await pass(12_000);
    expect(outcomes.toSorted()).toEqual(NAMES.toSorted());
    expect(queue.nextTickMs).toBeUndefined();
  });

  it('is tried by one at a time, again and again', async () => {
    const { service, add, pass, runs, most } = setUp();
    service.answersAfterMs = undefined;
    for (const name of NAMES) add(name);
    await pass(30_000);
    expect(runs.slice(0, 4).map(({ atMs }) => atMs)).toEqual([0, 0, 0, 0]);
    const probes = runs.slice(4).map(({ atMs }) => atMs);
    expect(probes).toEqual([8_000, 16_000, 24_000]);
    expect(most()).toBe(4);
  });

  it('is outcomes of soon', async () => {
    const { service, add, pass, delayed } = setUp();
    service.answersAfterMs = undefined;
    add('line');
    await pass(7_999);
    expect(delayed).toEqual([]);
    await pass(1);
    expect(delayed).toEqual(['timeout']);
  });

  it('costs what is late, and nothing is under way any more', async () => {
    const { service, outcomes, add, pass, queue, underWay } = setUp();
    service.answersAfterMs = undefined;
    add('line');
    await pass(DEADLINE_MS);
    expect(outcomes).toEqual(['line: timeout']);
    await queue.stopped();
    expect(underWay()).toBe(0);
  });

  it('is left alone for whom nobody waits any more', async () => {
    const { service, outcomes, add, pass, queue, runs, underWay } = setUp();
    service.answersAfterMs = undefined;
    add('line', 'ann');
    await pass(9_000);
    expect(runs).toHaveLength(2);
    queue.forget('ann');
    await queue.stopped();
    expect(underWay()).toBe(0);
    await pass(60_000);
    expect(runs).toHaveLength(2);
    expect(outcomes).toEqual([]);
  });
});

describe('a service that is slow', () => {
  it('is not one whose turns are waited for', async () => {
    const { service, delayed, add, pass, most } = setUp();
    service.turnAfterMs = 7_000;
    for (const name of NAMES) add(name);
    await pass(30_000);
    expect(most()).toBe(4);
    service.turnAfterMs = 0;
    service.answersAfterMs = undefined;
    for (const name of NAMES) add(name);
    await pass(6_000);
    expect(most()).toBe(4);
    expect(delayed).toEqual(['timeout']);
  });

  it('is not asked twice for what it is only slow to answer, once that is known', async () => {
    const { service, outcomes, delayed, add, pass, runs } = setUp();
    service.answersAfterMs = 6_000;
    add('first');
    await pass(6_000);
    service.answersAfterMs = 20_000;
    add('second');
    await pass(20_000);
    expect(outcomes).toEqual(['first', 'second']);
    expect(runs).toHaveLength(2);
    expect(delayed).toEqual([]);
  });

  it('is believed to be fast again after a while', async () => {
    const { service, add, pass, runs } = setUp();
    service.answersAfterMs = 7_000;
    add('slow');
    await pass(7_000);
    service.answersAfterMs = 100;
    for (const name of NAMES) {
      add(name);
      await pass(1_000);
    }
    service.answersAfterMs = undefined;
    add('hangs');
    await pass(8_000);
    expect(runs.filter(({ name }) => name === 'hangs')).toHaveLength(2);
  });

  it('never has the same sound twice at once', async () => {
    const { service, outcomes, add, pass, runs, most } = setUp();
    service.answersAfterMs = 9_000;
    add('line');
    await pass(8_000);
    expect(runs).toHaveLength(2);
    await pass(30_000);
    expect([outcomes, most()]).toEqual([['line'], 1]);
  });

  it('gets what waits of one person as one, in its order, and of others by itself', async () => {
    const names = new Map<RecognitionTask<string>, string>();
    const nameOf = (task: RecognitionTask<string>): string => names.get(task) ?? '';
    let make: ((name: string, ownerId: string) => RecognitionTask<string>) | undefined;
    const { service, outcomes, pass, queue, runs, taskOf } = setUp({
      join: (first, next) => make?.(nameOf(first) + nameOf(next), first.ownerId),
    });
    make = taskOf;
    service.answersAfterMs = 1_000;
    for (const name of ['a1', 'a2', 'a3', 'a4', 'b1']) {
      const task = taskOf(name, name[0]!);
      names.set(task, ` ${name}`);
      queue.add(task);
    }
    await pass(3_000);
    expect(runs.map(({ name }) => name)).toEqual(['a1', 'a2', 'b1', ' a3 a4']);
    expect(outcomes.filter((name) => name.includes('a'))).toEqual(['a1', 'a2', ' a3 a4']);
  });

  it('is asked as much at once as before after results that it did not give', async () => {
    const { service, add, pass, runs } = setUp({ isAnswer: (name) => !name.startsWith('noise') });
    service.answersAfterMs = 1_000;
    for (const name of NAMES.slice(0, 8)) add(name);
    await pass(3_000);
    service.answersAfterMs = 1;
    for (const name of NAMES) add(`noise ${name}`);
    await pass(1_000);
    service.answersAfterMs = 1_000;
    for (const round of [1, 2, 3]) for (const name of NAMES.slice(0, 4)) add(`${round} ${name}`);
    await pass(4_000);
    for (const round of [1, 2, 3])
      expect(
        new Set(runs.filter(({ name }) => name.startsWith(`${round} `)).map(({ atMs }) => atMs))
          .size,
      ).toBe(1);
  });

  it('has next who has least under way', async () => {
    const { service, add, pass, runs } = setUp({ atOnce: 2 });
    service.answersAfterMs = 1_000;
    for (const [name, owner] of [
      ['a1', 'a'],
      ['a2', 'a'],
      ['a3', 'a'],
      ['b1', 'b'],
    ] as const)
      add(name, owner);
    await pass(3_000);
    expect(runs.map(({ name }) => name)).toEqual(['a1', 'a2', 'b1', 'a3']);
  });
});

describe('one that hangs', () => {
  it('is run again as soon as another one is answered, and its owner is not kept waiting', async () => {
    const { service, outcomes, add, pass, runs } = setUp();
    service.answersAfterMs = undefined;
    add('first', 'ann');
    await pass(7_000);
    service.answersAfterMs = 100;
    add('second', 'ann');
    await pass(100);
    expect(runs.map(({ name }) => name)).toEqual(['first', 'second', 'first']);
    await pass(100);
    expect(outcomes).toEqual(['first', 'second']);
  });

  it('is not lost when the try beside it fails', async () => {
    const { service, outcomes, add, pass, runs } = setUp();
    service.answersAfterMs = undefined;
    add('line');
    await pass(7_999);
    service.isDown = true;
    await pass(8_000);
    expect(runs.length).toBeGreaterThan(1);
    expect(outcomes).toEqual([]);
    service.isDown = false;
    service.answersAfterMs = 100;
    await pass(9_000);
    expect(outcomes).toEqual(['line']);
  });
});
