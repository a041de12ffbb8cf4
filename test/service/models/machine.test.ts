import { mkdtempSync, rmSync } from 'node:fs';
import { totalmem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { recogniserThreads, speakersText, thisMachine } from '../../../service/models/machine.ts';

it('a machine is asked for its room before there is a folder of models', async () => {
  const home = mkdtempSync(join(tmpdir(), 'dragoman-machine-'));
  const machine = await thisMachine(join(home, 'not/there/yet'));
  expect(machine.freeBytes).toBeGreaterThan(0);
  expect(machine.memoryBytes).toBeLessThanOrEqual(totalmem());
  rmSync(home, { recursive: true });
});

it.each([
  [0.1, 'follows 8 speakers at once'],
  [0.5, 'follows 1 speaker'],
  [0.9, 'falls behind a speaker who makes no pause'],
])('recognition at %s of real time %s', (realTimeFactor, text) => {
  expect(speakersText(realTimeFactor)).toBe(text);
});

it('a recogniser works with at most four cores, one that streams with two', () => {
  const cores = [1, 2, 8];
  expect(cores.map((count) => recogniserThreads(false, count))).toEqual([1, 2, 4]);
  expect(cores.map((count) => recogniserThreads(true, count))).toEqual([1, 2, 2]);
});
