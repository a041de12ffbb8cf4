import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import {
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { LOADING } from '../../src/process/loading.ts';

const ROOT = join(import.meta.dirname, '../..');
const LOADED = 'src/async/clock.ts';
/** Tells which modules of Node.js a process has loaded at its end. */
const TELLING =
  'data:text/javascript,process.once("exit",()=>console.log(process.moduleLoadList.join()))';

/** Loads a file of the program; resolves with what was told. */
const load = async (...words: readonly string[]): Promise<string> =>
  (
    await promisify(execFile)(process.execPath, ['--import', TELLING, ...words], {
      cwd: ROOT,
      env: {},
    })
  ).stdout;

/** What was stripped of the file. */
const kept = (): string => {
  const [file = ''] = globSync(
    `node_modules/.cache/stripped/*/${hash('sha1', readFileSync(join(ROOT, LOADED)))}`,
    { cwd: ROOT },
  );
  return join(ROOT, file);
};

describe('loading TypeScript', () => {
  it.each([
    ['a program', ['scripts/run.mjs', LOADED]],
    ['a child', [...LOADING, LOADED]],
  ])('has in %s neither what strips types nor what compiling keeps', async (_, words) => {
    const loaded = await load(...words);
    expect(loaded).toContain('internal/modules/typescript');
    expect(loaded).not.toContain('amaro');
  });

  it('strips at a first start, in a process of its own, and removes then what was written long ago, in programs at the same time', async () => {
    await load('scripts/run.mjs', LOADED);
    const folder = dirname(kept());
    const other = join(folder, '../v0.0.0');
    mkdirSync(other, { recursive: true });
    const agedBy = (name: string, days: number): string => {
      const file = join(folder, name);
      writeFileSync(file, '');
      const at = Date.now() / 1_000 - days * 86_400;
      utimesSync(file, at, at);
      return file;
    };
    const old = ['old', 'old.1', '../v0.0.0/old'].map((name) => agedBy(name, 31));
    const young = agedBy('young', 29);
    rmSync(kept());
    const first = async () => expect(await load('scripts/run.mjs', LOADED)).not.toContain('amaro');
    await Promise.all([first(), first()]);
    expect(old.filter((file) => existsSync(file))).toEqual([]);
    expect([young, kept()].every((file) => existsSync(file))).toBe(true);
    rmSync(young);
    rmSync(other, { recursive: true });
  });

  it('strips again what a loss of power has cut off', async () => {
    await load('scripts/run.mjs', LOADED);
    truncateSync(kept(), 10);
    await load('scripts/run.mjs', LOADED);
    expect(readFileSync(kept(), 'utf8')).toHaveLength(
      readFileSync(join(ROOT, LOADED), 'utf8').length,
    );
  });
});
