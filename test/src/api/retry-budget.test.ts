import { describe, expect, it } from 'vitest';
import { createRetryBudget } from '../../../src/api/retry-budget.ts';

const takeAll = (budget: ReturnType<typeof createRetryBudget>): number => {
  let taken = 0;
  while (budget.take()) taken += 1;
  return taken;
};

describe('the budget of retries', () => {
  it('has a few for small use, and gets them back with time', () => {
    let nowMs = 0;
    const budget = createRetryBudget(() => nowMs);
    expect(takeAll(budget)).toBe(10);
    nowMs = 30_000;
    expect(takeAll(budget)).toBe(3);
    nowMs = 10_000_000;
    expect(takeAll(budget)).toBe(10);
  });

  it('grows by a tenth of the calls', () => {
    const budget = createRetryBudget(() => 0);
    takeAll(budget);
    for (let call = 0; call < 500; call += 1) budget.called();
    expect(takeAll(budget)).toBeGreaterThanOrEqual(49);
    expect(takeAll(budget)).toBe(0);
  });

  it('saves up no more than a hundred', () => {
    const budget = createRetryBudget(() => 0);
    for (let call = 0; call < 10_000; call += 1) budget.called();
    expect(takeAll(budget)).toBe(100);
  });
});
