import { expect, it } from 'vitest';
import {
  isRunning,
  makeProcessFolder,
  sweepProcessFolders,
} from '../../../src/process/process-folder.ts';
import { DEAD_PID } from '../../fakes/dead-pid.ts';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

it('a process runs until it has ended', () => {
  expect(isRunning(process.pid)).toBe(true);
  expect(isRunning(process.ppid)).toBe(true);
  expect(isRunning(DEAD_PID)).toBe(false);
});

it('removes the folders of dead processes, and nothing else', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'dragoman-test-'));
  const leave = (name: string): string => {
    const left = join(parent, name);
    mkdirSync(left);
    writeFileSync(join(left, 'file'), 'bytes');
    return left;
  };
  const own = await makeProcessFolder(parent, '.mine-');
  const dead = leave(`.mine-${DEAD_PID}-1-abcdef`);
  const reborn = leave(`.mine-${process.pid}-1-abcdef`);
  const others = [
    `.mine-${process.ppid}-1-abcdef`,
    `.other-${DEAD_PID}-1-abcdef`,
    '.mine-abcdef',
    'something',
  ];
  for (const name of others) leave(name);
  await sweepProcessFolders(parent, '.mine-');
  expect(existsSync(own)).toBe(true);
  expect([dead, reborn].some(existsSync)).toBe(false);
  expect(readdirSync(parent)).toEqual(expect.arrayContaining(others));
});
