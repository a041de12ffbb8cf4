import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createBot } from '../fakes/bot.ts';

/** Writes down the address of each module that a process loads. */
const writingDown = (file: string): string => {
  const program = `import{appendFileSync}from"node:fs";import{registerHooks}from"node:module";registerHooks({load(url,context,next){appendFileSync(${JSON.stringify(file)},url+"\\n");return next(url,context)}})`;
  return `--import=data:text/javascript,${encodeURIComponent(program)}`;
};

/** Packages of what is not set up here, or only used at times. */
const UNUSED = [
  '@browsermt/bergamot-translator',
  '@resvg/resvg-js',
  '@slack/bolt',
  '@slack/oauth',
  '@slack/web-api',
  'jschardet',
  'lindera-wasm-nodejs-ipadic',
  'pg',
  'sherpa-onnx-node',
  'tar-stream',
  'yauzl',
];

it('loads no package of what is not set up or only used at times', async () => {
  await using bot = await createBot();
  const file = join(mkdtempSync(join(tmpdir(), 'loaded-')), 'modules');
  await bot.start({ NODE_OPTIONS: writingDown(file) });
  const loaded = readFileSync(file, 'utf8').match(/node_modules\/.+(?=\/)/g) ?? [];
  const nameOf = (folder: string): string =>
    /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(folder)?.[1] ?? '';
  const packages = new Set(loaded.map(nameOf));
  expect(packages).toContain('discord.js');
  expect(UNUSED.filter((name) => packages.has(name))).toEqual([]);
});
