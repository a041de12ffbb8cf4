import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { adapterFault } from '../src/adapter.ts';
import { commandFault, type Command } from '../src/command/command.ts';

/** A tree in which the files of the recipes stand beside what they import. */
const folder = mkdtempSync(join(tmpdir(), 'dragoman-recipes-'));

/** Links what is in a folder of the project, but for the folders in which recipes have files. */
const linkAll = (from: string, without: readonly string[]): void => {
  mkdirSync(join(folder, from), { recursive: true });
  for (const name of readdirSync(from))
    if (!without.includes(name)) symlinkSync(resolve(from, name), join(folder, from, name));
};
for (const name of ['src', 'node_modules']) symlinkSync(resolve(name), join(folder, name));
linkAll('service', ['engines']);
linkAll('test', ['adapters', 'commands', 'service']);
linkAll('test/service', ['engines']);

for (const page of readdirSync('docs/develop')) {
  const text = readFileSync(join('docs/develop', page), 'utf8');
  for (const [, path = '', code = ''] of text.matchAll(/^`(\S+\.ts)`:\n\n```ts\n([^]*?)^```$/gm)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), code);
  }
}
const load = async (path: string): Promise<Readonly<Record<string, unknown>>> =>
  (await import(pathToFileURL(join(folder, path)).href)) as Record<string, unknown>;

describe('the recipe for a platform', () => {
  it('makes an adapter', async () => {
    const module = await load('adapters/terminal/index.ts');
    expect(adapterFault(module['default'], 'terminal')).toBeUndefined();
  });
});

describe('the recipe for a command', () => {
  it('makes a command that answers', async () => {
    const { default: made } = await load('commands/spell.ts');
    expect(commandFault(made, 'spell')).toBeUndefined();
    const shown: unknown[] = [];
    const context = {
      options: { word: 'été' },
      locale: 'fr',
      t: (key: string, params: object) => ({ key, params }),
      reply: async ({ text }: { text: unknown }) => void shown.push(text),
    };
    await (made as Command).actions['']?.run(context as never);
    const params = { count: 3, spelled: 'É · T · É' };
    expect(shown).toEqual([{ key: 'spell.letters', params }]);
  });
});

// The contract suites of the recipes.
await load('test/adapters/terminal/platform.test.ts');
await load('test/service/engines/own.test.ts');
