import { describe, expect, it } from 'vitest';
import { createConcurrency } from '../../../../src/api/scheduler/concurrency.ts';

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
