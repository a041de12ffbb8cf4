import { cpSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../../service/engine.ts';
import { createEngine } from '../../../service/engines/bergamot.ts';
import {
  findTranslationModel,
  type TranslationModel,
  findRoute,
} from '../../../service/engines/bergamot/model.ts';
import { translateKeeping } from '../../../service/translation/pieces.ts';
import { createLog } from '../../../src/telemetry/log.ts';
import { testContract } from '../../contracts/contract.ts';
import { translationEngineContract } from '../../contracts/translation-engine.ts';
import { writeTinyTranslation } from '../../fakes/models/tiny-translation.ts';
import { engineConfig, lineOf } from '../support.ts';

const signal = new AbortController().signal;
const SPANISH = { hello: 'hola', world: 'mundo', the: 'el', cat: 'gato', fox: 'zorro', '<': '<' };
const GERMAN = { hola: 'hello', mundo: 'world', el: 'the', gato: 'cat' };
const FRENCH = { hello: 'bonjour', world: 'monde', the: 'le', cat: 'chat' };

let root: string;
let engine: Engine;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'dragoman-bergamot-'));
  engine = createEngine({
    config: engineConfig({ SERVICE_MODELS: root }),
    log: createLog('silent'),
  });
});
afterAll(async () => {
  await engine[Symbol.asyncDispose]();
  rmSync(root, { recursive: true });
});

const install = (name: string, from: string, to: string, words: Record<string, string>): void => {
  writeTinyTranslation(join(root, '.new', name), from, to, words);
  renameSync(join(root, '.new', name), join(root, name));
};

const translate = async (
  text: string,
  from = 'en',
  to = 'es',
  keywords: readonly string[] = [],
): Promise<string> => {
  const { translation } = await engine.abilities();
  let translated = '';
  const request = { text, from, to, tokens: new Map(), keywords, context: '' };
  for await (const piece of translateKeeping(translation!, request, signal))
    translated += piece.text;
  return translated;
};

describe('without an installed model', () => {
  it('nothing is translated, and the way to a model is said', async () => {
    expect(await engine.abilities()).toEqual({});
    expect(await lineOf(engine)).toMatchObject({ ready: false, detail: 'npm run setup' });
    expect(engine.remedy({ ability: 'translation', from: 'en', to: 'es' })).toBe(
      'run npm run setup',
    );
  });
});

describe('an installed translation model', () => {
  beforeAll(() => {
    install('en-es', 'en', 'es', SPANISH);
    install('es-en', 'es', 'en', GERMAN);
    install('en-fr', 'en', 'fr', FRENCH);
  });

  it('is served at once', async () => {
    expect(await lineOf(engine)).toMatchObject({ ready: true, detail: 'en-es, en-fr, es-en' });
  });

  it('translates', async () => {
    expect(await translate('hello world')).toBe('hola mundo');
    expect(await translate('the cat')).toBe('el gato');
  });

  it('keeps lines and the white space around them', async () => {
    expect(await translate('  hello world\n\n\tthe cat\n')).toBe('  hola mundo\n\n\tel gato\n');
  });

  it('is joined with another through English', async () => {
    expect(await translate('el gato', 'es', 'fr')).toBe('le chat');
  });

  it('keeps terms that must stay, and what looks like markup', async () => {
    expect(await translate('hello Acme world', 'en', 'es', ['Acme'])).toMatch(/^hola Acme ?mundo$/);
    expect(await translate('⟦7⟧ hello < cat')).toMatch(/^⟦7⟧ ?hola < gato$/);
  });

  it('that turns out damaged is an error of each call, and no other model’s', async () => {
    cpSync(join(root, 'en-es'), join(root, '.new/en-it'), { recursive: true });
    renameSync(join(root, '.new/en-it/model.enes.bin'), join(root, '.new/en-it/model.enit.bin'));
    cpSync(join(root, 'en-es/srcvocab.enes.spm'), join(root, '.new/en-it/model.enit.bin'));
    renameSync(join(root, '.new/en-it'), join(root, 'en-it'));
    await expect(translate('the cat', 'en', 'it')).rejects.toMatchObject({ name: 'AppError' });
    expect(await translate('the cat')).toBe('el gato');
    rmSync(join(root, 'en-it'), { recursive: true });
  });

  it('without a vocabulary is named in the table', async () => {
    cpSync(join(root, 'en-es'), join(root, '.new/en-pt'), { recursive: true });
    rmSync(join(root, '.new/en-pt/trgvocab.enes.spm'));
    renameSync(join(root, '.new/en-pt'), join(root, 'en-pt'));
    expect((await lineOf(engine)).detail).toContain('en-pt: a vocabulary (.spm) is missing');
    rmSync(join(root, 'en-pt'), { recursive: true });
  });

  it('is used with the arithmetic that its name says', async () => {
    const precisionOf = async (file: string): Promise<string | undefined> => {
      const path = join(root, '.new/named');
      cpSync(join(root, 'en-es'), path, { recursive: true });
      renameSync(join(path, 'model.enes.bin'), join(path, file));
      const found = await findTranslationModel({ path, record: undefined });
      rmSync(path, { recursive: true });
      return found?.precision;
    };
    expect(await precisionOf('model.enes.intgemm.alphas.bin')).toBe('int8shiftAlphaAll');
    expect(await precisionOf('model.enes.intgemm8.bin')).toBe('int8shiftAll');
    expect(await precisionOf('model.enes.bin')).toBe('float32');
  });

  testContract('as translation', translationEngineContract, async () => ({
    port: (await engine.abilities()).translation!,
    from: 'en',
    to: 'es',
  }));
});

describe('the route of a pair', () => {
  const pair = (from: string, to: string): TranslationModel => ({
    from,
    to,
    model: '',
    vocabularies: [],
    shortlist: undefined,
    precision: 'float32',
  });
  const models = [pair('en', 'zh'), pair('es', 'en'), pair('nb', 'en'), pair('en', 'es')];

  it.each([
    ['en', 'es', 'en-es'],
    ['en-US', 'es-MX', 'en-es'],
    ['es', 'zh', 'es-en en-zh'],
    ['no', 'es', 'nb-en en-es'],
    ['es', 'zh-Hant', undefined],
    ['es', 'zh-TW', undefined],
    ['es', 'en-XA', undefined],
    ['en', 'en-GB', undefined],
    ['zh', 'es', undefined],
    ['not a code', 'es', undefined],
  ])('%s to %s is %s', (from, to, route) => {
    const found = findRoute(models, from, to)
      ?.map((one) => `${one.from}-${one.to}`)
      .join(' ');
    expect(found).toBe(route);
  });
});
