import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { discover } from '../../../src/app/discover.ts';

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
