import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { createEngine } from '../../../service/engines/llama.ts';
import { libraryAdvice } from '../../../service/engines/llama/library.ts';
import { llamaPackage } from '../../../service/models/packages.ts';
import { writeTinyLanguageModel } from '../../fakes/models/tiny-language-model.ts';
import { silentLog } from '../../fakes/silent-log.ts';
import { engineConfig } from '../support.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'language-models-'));
});
const open = () => createEngine({ config: engineConfig({ SERVICE_MODELS: root }), log: silentLog });

/** As if the library were installed. */
const addLibrary = (): void => {
  const { name } = llamaPackage();
  mkdirSync(join(root, '.packages', `${name}-3.22.1`, 'node_modules', name), { recursive: true });
};

it('without a model, nothing is offered, and the way to one is said', async () => {
  await using engine = open();
  expect(await engine.abilities()).toEqual({});
  expect(await engine.report()).toMatchObject({ ready: false, detail: 'npm run setup' });
  expect(engine.remedy({ ability: 'chat' })).toBe('run npm run setup');
});

it('without the library, nothing is offered, and the command that brings it is said', async () => {
  writeTinyLanguageModel(join(root, 'tiny'));
  await using engine = open();
  expect(await engine.abilities()).toEqual({});
  expect(await engine.report()).toMatchObject({
    ready: false,
    detail: expect.stringContaining('node-llama-cpp'),
  });
});

it('where there is no library for the system, another way is said', () => {
  expect(libraryAdvice(undefined)).toMatch(/musl.*SERVICE_OPENAI_URL/);
  expect(libraryAdvice('@node-llama-cpp/linux-x64')).toContain('npm run setup');
});

it('a model is offered before it is loaded, and what is wrong with others is said', async () => {
  addLibrary();
  writeTinyLanguageModel(join(root, 'tiny'));
  writeTinyLanguageModel(join(root, 'base'), { 'tokenizer.chat_template': undefined });
  await using engine = open();
  const { chat, translation } = await engine.abilities();
  expect(chat?.models).toEqual(['tiny']);
  expect(translation).toBeUndefined();
  expect(await engine.report()).toMatchObject({
    ready: true,
    serves: ['chat'],
    detail: expect.stringMatching(/^tiny; .*tiny\.gguf has no chat template/),
  });
});

it('a model that this machine has no memory for is not offered, and the sentence says how much it takes', async () => {
  addLibrary();
  writeTinyLanguageModel(join(root, 'wide'), { 'llama.attention.key_length': 1_000_000_000 });
  await using engine = open();
  expect(await engine.abilities()).toEqual({});
  expect(await engine.report()).toMatchObject({
    ready: false,
    detail: expect.stringMatching(/^wide: it needs \d+ [MG]B of memory, and \d+ [MG]B are free$/),
  });
});
