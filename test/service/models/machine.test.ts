import { mkdtempSync, rmSync } from 'node:fs';
import { totalmem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { speakersText, thisMachine } from '../../../service/models/machine.ts';

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
