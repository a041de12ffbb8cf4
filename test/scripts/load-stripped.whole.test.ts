import { execFile, execFileSync } from 'node:child_process';
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
const load = (...words: readonly string[]): string =>
  execFileSync(process.execPath, ['--import', TELLING, ...words], {
    cwd: ROOT,
    env: {},
    encoding: 'utf8',
  });

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
  ])('has in %s neither what strips types nor what compiling keeps', (_, words) => {
    const loaded = load(...words);
    expect(loaded).toContain('internal/modules/typescript');
    expect(loaded).not.toContain('amaro');
  });

  it('strips at a first start, in a process of its own', () => {
    load('scripts/run.mjs', LOADED);
    rmSync(kept());
    expect(load('scripts/run.mjs', LOADED)).not.toContain('amaro');
    expect(kept()).not.toBe(ROOT);
  });

  it('removes at the next strip what was written long ago, by processes at the same time', async () => {
    load('scripts/run.mjs', LOADED);
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
    const strip = async () => promisify(execFile)(process.execPath, ['scripts/strip-types.mjs']);
    await Promise.all([strip(), strip()]);
    expect(old.filter((file) => existsSync(file))).toEqual([]);
    expect([young, kept()].every((file) => existsSync(file))).toBe(true);
    rmSync(young);
    rmSync(other, { recursive: true });
  });

  it('strips again what a loss of power has cut off', () => {
    load('scripts/run.mjs', LOADED);
    truncateSync(kept(), 10);
    load('scripts/run.mjs', LOADED);
    expect(readFileSync(kept(), 'utf8')).toHaveLength(
      readFileSync(join(ROOT, LOADED), 'utf8').length,
    );
  });
});
