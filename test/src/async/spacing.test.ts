import { expect, test } from 'vitest';
import { createSpacing } from '../../../src/async/spacing.ts';

test('turns of a key come in a burst, then evenly apart; a time without any gives them back', () => {
  let at = 1_000;
  const turn = createSpacing(() => at, { everyMs: 100, burst: 3 });
  expect(Array.from({ length: 6 }, () => turn('a'))).toEqual([0, 0, 0, 100, 200, 300]);
  at += 50;
  expect([turn('a'), turn('b')]).toEqual([350, 0]);
  at += 10_000;
  expect(Array.from({ length: 4 }, () => turn('a'))).toEqual([0, 0, 0, 100]);
});
