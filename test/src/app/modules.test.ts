import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { discover, createRunningAdapters } from '../../../src/app/modules.ts';
import type { Adapter, AdapterModule, Core } from '../../../src/adapter.ts';
import type { Role } from '../../../src/cluster/roles.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dragoman-discover-'));
});

const write = (path: string, content: string): void => {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), content);
};
const found = () =>
  discover<string>(folder, (value) => (value === 'bad' ? 'it is bad' : undefined));

describe('discovery', () => {
  it('finds files, and folders by their index, in the order of their names', async () => {
    write('second/index.ts', "export default 'second';");
    write('first.ts', "export default 'first';");
    expect(await found()).toEqual(['first', 'second']);
  });

  it('passes over a folder without an index', async () => {
    write('library/parse.ts', "export default 'parse';");
    expect(await found()).toEqual([]);
  });

  it('names the file that cannot be loaded, and the one that is wrong', async () => {
    write('broken/index.ts', "throw new Error('no luck');");
    await expect(found()).rejects.toThrow('broken/index.ts cannot be loaded: no luck');
    rmSync(join(folder, 'broken'), { recursive: true });
    write('bad.ts', "export default 'bad';");
    await expect(found()).rejects.toThrow('bad.ts: it is bad');
  });
});

/** Adapters that note what is done with them. `change` is made to the one of that name. */
const open = (
  change: Readonly<Record<string, Partial<Adapter> | 'off'>> = {},
  roles: readonly Role[] = ['gateway', 'web'],
) => {
  const done: string[] = [];
  const stopping = new AbortController();
  const modules = ['discord', 'slack', 'web'].map(
    (name): Pick<AdapterModule, 'name' | 'create'> => ({
      name,
      create: async (config: unknown) => {
        done.push(`make ${name} ${String(config)}`);
        const changed = change[name] ?? {};
        if (changed === 'off') return undefined;
        return {
          platform: { name } as Adapter['platform'],
          start: async () => ({ where: `at ${name}` }),
          ready: () => true,
          drain: () => void done.push(`drain ${name}`),
          [Symbol.asyncDispose]: async () => void done.push(`end ${name}`),
          ...changed,
        };
      },
    }),
  );
  const adapters = createRunningAdapters({
    modules,
    config: { discord: 1, slack: 2, web: 3 },
    roles: new Set(roles),
    core: {} as Core,
    attach: ({ platform }) => void done.push(`attach ${platform.name}`),
    stopping: stopping.signal,
    started: (name, where) => void done.push(`${name}: ${where}`),
  });
  return { adapters, done, stopping };
};

describe('the adapters of a process', () => {
  it('are made, attached, started, drained and ended, each where it is on', async () => {
    const { adapters, done } = open({ slack: 'off' });
    await adapters.open();
    await adapters.start();
    adapters.drain();
    await adapters[Symbol.asyncDispose]();
    expect(done).toEqual([
      'make discord 1',
      'attach discord',
      'make slack 2',
      'make web 3',
      'attach web',
      'discord: at discord',
      'web: at web',
      'drain discord',
      'drain web',
      'end web',
      'end discord',
    ]);
  });

  it.each<[Role, readonly string[]]>([
    ['gateway', ['discord', 'slack']],
    ['worker', ['discord', 'slack']],
    ['web', ['web']],
    ['service', []],
  ])('are those that the role needs: %s', async (role, names) => {
    const { adapters, done } = open({}, [role]);
    await adapters.open();
    expect(done.filter((line) => line.startsWith('attach'))).toEqual(
      names.map((name) => `attach ${name}`),
    );
  });

  it('start at once: a slow one delays no other', async () => {
    const slow = Promise.withResolvers<{ where: string }>();
    const { adapters, done } = open({ discord: { start: async () => slow.promise } });
    await adapters.open();
    const started = adapters.start();
    await expect.poll(() => done).toContain('web: at web');
    slow.resolve({ where: 'late' });
    await started;
    expect(done.at(-1)).toBe('discord: late');
  });

  it('are made no more once the program stops, and what was made is ended', async () => {
    const { adapters, done, stopping } = open();
    const opening = adapters.open();
    stopping.abort();
    await expect(opening).rejects.toBe(stopping.signal.reason);
    expect(done).toEqual(['make discord 1']);
    await adapters[Symbol.asyncDispose]();
    expect(done).toEqual(['make discord 1', 'end discord']);
  });

  it('tell nothing of a start that ends after them', async () => {
    const late = Promise.withResolvers<{ where: string }>();
    const { adapters, done } = open({ discord: { start: async () => late.promise } }, ['gateway']);
    await adapters.open();
    const started = adapters.start();
    await adapters[Symbol.asyncDispose]();
    late.resolve({ where: 'late' });
    await started;
    expect(done).not.toContain('discord: late');
  });
});
