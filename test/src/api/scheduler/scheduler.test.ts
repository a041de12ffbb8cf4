import { describe, expect, it } from 'vitest';
import {
  NotSentError,
  createRequestScheduler,
  type Permit,
  type Request,
  createConcurrency,
} from '../../../../src/api/scheduler/scheduler.ts';
import type { Lane } from '../../../../src/model/service.ts';
import { createTestClock } from '../../../fakes/clock.ts';

const NEVER = new AbortController().signal;
const FOUR: readonly Lane[] = ['live', 'interactive', 'ambient', 'batch'];

/** A scheduler whose permits are kept in the order in which they were given. */
const setUp = () => {
  const clock = createTestClock(0);
  const scheduler = createRequestScheduler({ clock, random: () => 0.5 });
  const sent: { readonly name: string; readonly permit: Permit }[] = [];
  const refused: { readonly name: string; readonly error: unknown }[] = [];
  const ask = (name: string, request: Partial<Request> = {}): void => {
    const whole = {
      lane: 'ambient',
      space: 'a',
      signal: NEVER,
      leftMs: 60_000,
      ...request,
    } as const;
    scheduler.admit(whole).then(
      (permit) => sent.push({ name, permit }),
      (error: unknown) => refused.push({ name, error }),
    );
  };
  const settled = async (): Promise<void> => clock.advance(0);
  const answerAll = async (): Promise<void> => {
    for (const { permit } of sent) permit.settle({ kind: 'answered' });
    await settled();
  };
  /** Takes all places, so that what is asked next has to wait. */
  const fill = async (): Promise<void> => {
    for (let index = 0; index < 16; index += 1) ask(`filler ${index}`, { lane: 'live' });
    await settled();
    expect(sent).toHaveLength(16);
    for (const { permit } of sent.splice(0).slice(1)) fillers.push(permit);
  };
  const fillers: Permit[] = [];
  const names = (): string[] => sent.map(({ name }) => name);
  return { clock, scheduler, sent, refused, ask, settled, answerAll, fill, fillers, names };
};

/** Tells the scheduler that the service allows about one request a second. */
const learnLimit = async ({ ask, settled, sent, clock }: ReturnType<typeof setUp>) => {
  ask('first');
  await settled();
  sent.shift()!.permit.settle({ kind: 'refused', retryAfterMs: 1_000 });
  await clock.advance(1_000);
};

describe('what waits for a place', () => {
  it('is sent by lane, the most urgent first', async () => {
    const { ask, settled, fill, fillers, names } = setUp();
    await fill();
    for (const lane of FOUR.toReversed()) ask(lane, { lane });
    await settled();
    for (const permit of fillers) permit.settle({ kind: 'answered' });
    await settled();
    expect(names()).toEqual(FOUR);
  });

  it('of one space delays that of another by one request at most', async () => {
    const { ask, settled, fill, fillers, names } = setUp();
    await fill();
    for (let index = 0; index < 100; index += 1) ask(`a${index}`, { lane: 'live' });
    ask('b', { lane: 'live', space: 'b' });
    await settled();
    for (const permit of fillers.slice(0, 2)) permit.settle({ kind: 'answered' });
    await settled();
    expect(names()).toContain('b');
  });

  it('is not starved by more urgent lanes', async () => {
    const { ask, settled, fill, fillers, names, sent } = setUp();
    await fill();
    ask('patient', { lane: 'batch', space: 'b' });
    for (let index = 0; index < 60; index += 1) ask(`live ${index}`, { lane: 'live' });
    await settled();
    fillers[0]!.settle({ kind: 'left' });
    for (let turn = 0; turn < 30 && !names().includes('patient'); turn += 1) {
      await settled();
      sent.at(-1)?.permit.settle({ kind: 'left' });
    }
    expect(names().indexOf('patient')).toBe(20);
  });

  it('leaves places for more urgent lanes', async () => {
    const { ask, settled, names } = setUp();
    for (let index = 0; index < 20; index += 1) ask(`ambient ${index}`);
    await settled();
    expect(names()).toHaveLength(12);
    ask('live', { lane: 'live' });
    await settled();
    expect(names().at(-1)).toBe('live');
  });

  it('gives its place up at once when its asker leaves', async () => {
    const { ask, settled, fill, fillers, names, refused } = setUp();
    await fill();
    const asker = new AbortController();
    ask('gone', { lane: 'live', signal: asker.signal });
    ask('next', { lane: 'live' });
    await settled();
    asker.abort(new Error('gone'));
    fillers[0]!.settle({ kind: 'answered' });
    await settled();
    expect(names()).toEqual(['next']);
    expect(refused).toMatchObject([{ name: 'gone', error: { message: 'gone' } }]);
  });

  it('takes the place of a request whose asker left while it was under way', async () => {
    const { ask, settled, names } = setUp();
    const askers = Array.from({ length: 16 }, () => new AbortController());
    for (const { signal } of askers) ask('under way', { lane: 'live', signal });
    ask('next', { lane: 'live' });
    await settled();
    expect(names()).not.toContain('next');
    askers[3]!.abort();
    await settled();
    expect(names().at(-1)).toBe('next');
  });

  it('is dropped by what ended its deadline, unsent', async () => {
    const { ask, settled, fill, refused, names, answerAll } = setUp();
    await fill();
    const late = new AbortController();
    ask('late', { signal: late.signal });
    await settled();
    late.abort(new DOMException('late', 'TimeoutError'));
    await answerAll();
    expect(names()).toEqual([]);
    expect(refused).toMatchObject([{ name: 'late', error: { name: 'TimeoutError' } }]);
  });

  it('is rejected when nothing is sent any more', async () => {
    const { scheduler, ask, settled, fill, refused } = setUp();
    await fill();
    ask('one');
    ask('two', { lane: 'live' });
    await settled();
    scheduler.shed(new Error('down'));
    await settled();
    expect(refused.map(({ name }) => name).toSorted()).toEqual(['one', 'two']);
  });
});

describe('a service that refuses', () => {
  it('gets nothing for as long as it says, then the same request first', async () => {
    const { ask, settled, sent, clock, names } = setUp();
    ask('first');
    await settled();
    sent.shift()!.permit.settle({ kind: 'refused', retryAfterMs: 1_720 });
    ask('other');
    ask('first', { wasRefused: true });
    await clock.advance(1_719);
    expect(names()).toEqual([]);
    await clock.advance(1);
    expect(names()).toEqual(['first']);
  });

  it('and names no wait is asked again after a second, then after a second and a half each time', async () => {
    const { ask, settled, sent, clock, names } = setUp();
    ask('first');
    await settled();
    for (const waitMs of [1_000, 1_500, 1_500]) {
      sent.shift()!.permit.settle({ kind: 'refused', retryAfterMs: undefined });
      ask('first', { wasRefused: true });
      await clock.advance(waitMs - 1);
      expect(names()).toEqual([]);
      await clock.advance(1);
      expect(names()).toEqual(['first']);
    }
  });
});

describe('too much that waits', () => {
  it('has ambient and batch requests refused with the time to wait, and live ones never', async () => {
    const all = setUp();
    const { ask, settled, refused } = all;
    await learnLimit(all);
    for (let index = 0; index < 100; index += 1) ask('batch', { lane: 'batch' });
    for (let index = 0; index < 100; index += 1) ask('ambient');
    for (let index = 0; index < 100; index += 1) ask('interactive', { lane: 'interactive' });
    for (let index = 0; index < 1_000; index += 1) ask('live', { lane: 'live' });
    await settled();
    const count = (name: string): number => refused.filter((one) => one.name === name).length;
    expect(count('batch')).toBeGreaterThan(count('ambient'));
    expect(count('ambient')).toBeGreaterThan(count('interactive'));
    expect(count('live')).toBe(0);
    for (const { error } of refused) {
      expect(error).toBeInstanceOf(NotSentError);
      expect(error).toMatchObject({ code: 'rate-limited', retryable: true });
      expect((error as NotSentError).retryAfterMs).toBeGreaterThanOrEqual(1_000);
    }
  });

  it('has all of its places back after probes that it refused', async () => {
    const { clock, sent, ask, settled } = setUp();
    ask('probe', { lane: 'live' });
    for (let probe = 0; probe < 20; probe += 1) {
      await clock.advance(2_000);
      sent.shift()!.permit.settle({ kind: 'refused', retryAfterMs: 1_000 });
      ask('probe', { lane: 'live', wasRefused: true });
    }
    await clock.advance(2_000);
    sent.shift()!.permit.settle({ kind: 'answered' });
    for (let index = 0; index < 16; index += 1) ask(`line ${index}`, { lane: 'live' });
    await settled();
    expect(sent).toHaveLength(16);
  });

  it('of one space has nothing of another refused', async () => {
    const all = setUp();
    const { ask, settled, refused } = all;
    await learnLimit(all);
    for (let index = 0; index < 1_000; index += 1) ask('a');
    ask('b', { space: 'b' });
    await settled();
    expect(refused.map(({ name }) => name)).toContain('a');
    expect(refused.map(({ name }) => name)).not.toContain('b');
  });

  it('always leaves a few places to wait for each lane', async () => {
    const all = setUp();
    const { ask, settled, refused } = all;
    await learnLimit(all);
    for (let index = 0; index < 1_000; index += 1) ask('live', { lane: 'live' });
    for (let index = 0; index < 20; index += 1) ask('batch', { lane: 'batch' });
    await settled();
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThanOrEqual(12);
  });

  it('because of a pause beyond its deadline is told at once', async () => {
    const { ask, settled, sent, refused } = setUp();
    ask('first');
    await settled();
    sent.shift()!.permit.settle({ kind: 'refused', retryAfterMs: 3_600_000 });
    ask('next', { lane: 'interactive' });
    await settled();
    expect(refused).toMatchObject([{ name: 'next', error: { retryAfterMs: 3_600_000 } }]);
  });
});

describe('the limit of requests under way', () => {
  it('doubles with each round at first, up to the connections there are', () => {
    const concurrency = createConcurrency();
    expect(concurrency.limit()).toBe(16);
    for (let answer = 0; answer < 16; answer += 1) concurrency.answered(16);
    expect(concurrency.limit()).toBe(32);
    for (let answer = 0; answer < 200; answer += 1) concurrency.answered(64);
    expect(concurrency.limit()).toBe(64);
  });

  it('does not grow where it is not used', () => {
    const concurrency = createConcurrency();
    for (let answer = 0; answer < 100; answer += 1) concurrency.answered(2);
    expect(concurrency.limit()).toBe(16);
  });

  it('is halved once by a round that fails, and then grows by one a round', () => {
    const concurrency = createConcurrency();
    for (let failed = 0; failed < 16; failed += 1) concurrency.overloaded(100, 50, 'failed', 16);
    expect(concurrency.limit()).toBe(8);
    for (let answer = 0; answer < 9; answer += 1) concurrency.answered(8);
    expect(concurrency.limit()).toBe(9);
  });

  it('is lowered a little by refusals, and not below what is under way', () => {
    const concurrency = createConcurrency();
    concurrency.overloaded(100, 50, 'refused', 2);
    expect(concurrency.limit()).toBe(14);
    for (let nowMs = 200; nowMs < 300; nowMs += 1)
      concurrency.overloaded(nowMs, nowMs, 'refused', 5);
    expect(concurrency.limit()).toBe(5);
  });

  it('never falls below two', () => {
    const concurrency = createConcurrency();
    for (let nowMs = 0; nowMs < 100; nowMs += 1) concurrency.overloaded(nowMs, nowMs, 'failed', 1);
    expect(concurrency.limit()).toBe(2);
  });
});
