import { describe, expect, it } from 'vitest';
import { loadCatalogue, type CatalogueModel } from '../../../service/models/catalogue.ts';
import { chooseForLanguages, memoryOf } from '../../../service/models/choose.ts';
import type { ModelSize } from '../../../src/model/local-models.ts';
import { model } from './scene.ts';

const models = await loadCatalogue();

const choose = (...languages: readonly string[]): string[] =>
  chooseForLanguages(models, languages).models.map(({ name }) => name);

describe('the models for languages', () => {
  it('are a recogniser for recordings, one that streams, a voice each, both directions and a model that answers', () => {
    expect(choose('en', 'es')).toEqual([
      'parakeet-v3',
      'nemotron-560ms',
      'piper-en-us-kristin',
      'piper-es-es-davefx',
      'bergamot-es-en',
      'bergamot-en-es',
      'qwen3.5-4b',
    ]);
  });

  it('go through English between others', () => {
    expect(choose('de', 'fr').filter((name) => name.startsWith('bergamot'))).toEqual([
      'bergamot-de-en',
      'bergamot-en-de',
      'bergamot-fr-en',
      'bergamot-en-fr',
    ]);
  });

  it.each([
    [['en', 'ja'], 'sense-voice'],
    [['es', 'ja'], 'qwen3-asr'],
    [['en', 'sw'], 'whisper-small'],
  ])('%j are understood by %s', (languages, name) => {
    expect(choose(...languages)).toContain(name);
  });

  it('have the voice of the region that is asked for', () => {
    expect(choose('es-MX')).toContain('piper-es-mx-claude');
    expect(choose('en-GB')).toContain('piper-en-gb-alba');
    expect(choose('es-AR')).toContain('piper-es-es-davefx');
  });

  it('are the smallest when that is asked for', () => {
    const { models: small } = chooseForLanguages(models, ['es'], 'small');
    expect(small.map(({ name }) => name)).toContain('whisper-tiny');
  });

  it('need no translation for one language', () => {
    expect(choose('en')).toEqual(['parakeet-v3', 'kroko-en', 'piper-en-us-kristin', 'qwen3.5-4b']);
  });

  it('that are not there are named', () => {
    expect(chooseForLanguages(models, ['en', 'vo']).gaps).toEqual(
      ['recognition', 'speech', 'translation-from', 'translation-into'].map((need) => ({
        need,
        language: 'vo',
      })),
    );
  });
});

describe('the memory of a model that the catalogue has no figure of', () => {
  it.each([
    ['recognition', 'Whisper base', 208e6, 548e6],
    ['speech', 'a Piper voice', 63e6, 285e6],
    ['speech', 'a Piper voice, int8', 19e6, 232e6],
    ['translation', 'Firefox’s English to Portuguese', 25.9e6, 341e6],
    ['chat', 'Gemma 3 270M', 253e6, 550e6],
    ['chat', 'SmolLM2 135M', 98e6, 375e6],
  ] as const)('is about what was measured: %s, %s', (ability, name, bytes, measuredBytes) => {
    const file = { url: 'https://models.invalid/m', bytes };
    const share = memoryOf(model(name, ability, ['en'], file)) / measuredBytes;
    expect(share).toBeGreaterThan(0.85);
    expect(share).toBeLessThan(1.15);
  });
});

describe('the models for a machine', () => {
  const file = { url: 'https://models.invalid/m', bytes: 1 };
  const one = (name: string, memoryBytes: number, more: Partial<CatalogueModel> = {}) => ({
    ...model(name, 'recognition', ['en', 'es'], file),
    memoryBytes,
    ...more,
  });
  const all = [
    one('large', 4e9, { realTimeFactor: 0.9 }),
    one('slow', 1e9, { realTimeFactor: 1.5 }),
    one('middle', 1e9, { realTimeFactor: 0.3 }),
    one('little', 2e8),
    one('stream-en', 3e8, { languages: ['en'], isStreaming: true }),
    one('stream-all', 1.5e9, { isStreaming: true }),
    one('talk-slow', 3e9, { ability: 'chat' }),
    one('talk', 6e8, { ability: 'chat' }),
  ];
  const forMachine = (memoryBytes: number, size: ModelSize = 'fitting', languages = ['en']) =>
    chooseForLanguages(all, languages, size, {
      cores: 2,
      memoryBytes,
      freeBytes: 1e12,
    }).models.map(({ name }) => name);

  it('are the best that it can carry together, one that streams among them', () => {
    expect(forMachine(16e9)).toEqual(['large', 'stream-en', 'talk']);
    expect(forMachine(4e9)).toEqual(['middle', 'stream-en', 'talk']);
    expect(forMachine(2e9)).toEqual(['middle']);
    expect(forMachine(5e8)).toEqual(['little']);
  });

  it('are the smallest or the best where that is asked for', () => {
    expect(forMachine(16e9, 'small')).toEqual(['little', 'stream-en', 'talk']);
    expect(forMachine(1e9, 'best')).toEqual(['large', 'stream-en', 'talk-slow']);
  });

  it('stream in all the languages where one model does', () => {
    expect(forMachine(16e9, 'fitting', ['en', 'es'])).toEqual(['large', 'stream-all', 'talk']);
  });

  it('are several recognisers where none understands all languages', () => {
    const some = [one('a', 1e8, { languages: ['en', 'de'] }), one('b', 1e8, { languages: ['ja'] })];
    const { models: chosen, gaps } = chooseForLanguages(some, ['en', 'ja', 'sw']);
    expect(chosen.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(gaps).toContainEqual({ need: 'recognition', language: 'sw' });
  });

  it('are translated by a language model where no other translates', () => {
    const translator = one('translator', 1e9, { ability: 'chat', isForTranslation: true });
    const { models: chosen, gaps } = chooseForLanguages([translator], ['en', 'es']);
    expect(chosen).toEqual([translator]);
    expect(gaps.filter(({ need }) => need.startsWith('translation'))).toEqual([]);
  });

  it('are a language model that answers beside one that translates, where there is memory for both', () => {
    const some = [
      one('ears', 1e8),
      one('translator', 4e9, { ability: 'chat', isForTranslation: true }),
      one('talk', 3e9, { ability: 'chat' }),
    ];
    const chosen = (memoryBytes: number) =>
      chooseForLanguages(some, ['en', 'es'], 'fitting', {
        cores: 8,
        memoryBytes,
        freeBytes: 1e12,
      }).models.map(({ name }) => name);
    expect(chosen(16e9)).toEqual(['ears', 'translator', 'talk']);
    expect(chosen(10e9)).toEqual(['ears', 'translator']);
  });
});
