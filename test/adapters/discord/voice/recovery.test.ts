import { describe, expect, it } from 'vitest';
import { createBudget } from '../../../../adapters/discord/voice/recovery.ts';

describe('a budget', () => {
  it('allows so many within its window, and more once they are over', () => {
    let now = 0;
    const budget = createBudget(2, 1_000, () => now);
    expect([budget.take(), budget.take(), budget.take()]).toEqual([true, true, false]);
    now = 999;
    expect(budget.take()).toBe(false);
    now = 1_000;
    expect([budget.take(), budget.take(), budget.take()]).toEqual([true, true, false]);
  });
});
