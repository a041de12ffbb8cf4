import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { makeTempFolder, sweepTempFolders } from '../../../adapters/web/temp-store.ts';
import { startWeb } from './start-web.ts';

const makeParent = (): string => {
  const parent = mkdtempSync(join(tmpdir(), 'dragoman-test-'));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  return parent;
};

/** The id of a process that has ended. */
const deadPid = (): number => spawnSync(process.execPath, ['--version']).pid;

const leave = (parent: string, name: string): string => {
  const folder = join(parent, name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'file'), 'bytes');
  return folder;
};

test('removes what dead processes left, and nothing else', async () => {
  const parent = makeParent();
  const own = await makeTempFolder(parent);
  const dead = leave(parent, `dragoman-web-${deadPid()}-1-abcdef`);
  const reborn = leave(parent, `dragoman-web-${process.pid}-1-abcdef`);
  const others = [`dragoman-web-${process.ppid}-1-abcdef`, 'dragoman-web-abcdef', 'something'];
  for (const name of others) leave(parent, name);
  await sweepTempFolders(parent);
  expect(existsSync(own)).toBe(true);
  expect([dead, reborn].some(existsSync)).toBe(false);
  expect(readdirSync(parent)).toEqual(expect.arrayContaining(others));
});

test('the start of the page sweeps the temporary folder', async () => {
  const parent = makeParent();
  leave(parent, `dragoman-web-${deadPid()}-1-abcdef`);
  vi.stubEnv('TMPDIR', parent);
  onTestFinished(() => void vi.unstubAllEnvs());
  await startWeb();
  expect(readdirSync(parent)).toEqual([]);
});
