import { expect, test } from 'vitest';
import { createLogBackoff } from '../../../../adapters/discord/inbound/client.ts';

test('a fault that lasts is logged at once and then more and more rarely', () => {
  let ms = 1_000_000;
  const shouldLog = createLogBackoff(() => ms);
  const countIn = (minutes: number, fault: string): number => {
    let logged = 0;
    for (let half = 0; half < minutes * 120; half += 1) {
      if (shouldLog(fault)) logged += 1;
      ms += 500;
    }
    return logged;
  };
  expect(shouldLog('reconnecting 0')).toBe(true);
  expect(shouldLog('error 0')).toBe(true);
  expect(countIn(10, 'error 0')).toBeLessThan(10);
  expect(countIn(60, 'error 0')).toBeLessThan(14);
  ms += 60_000;
  expect(shouldLog('error 0')).toBe(true);
});
