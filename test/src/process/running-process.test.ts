import { expect, it } from 'vitest';
import { isRunning } from '../../../src/process/running-process.ts';
import { DEAD_PID } from '../../fakes/dead-pid.ts';

it('a process runs until it has ended', () => {
  expect(isRunning(process.pid)).toBe(true);
  expect(isRunning(process.ppid)).toBe(true);
  expect(isRunning(DEAD_PID)).toBe(false);
});
