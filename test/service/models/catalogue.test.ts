import { describe, expect, it } from 'vitest';
import { bytesOf, loadCatalogue, chooseForLanguages } from '../../../service/models/catalogue.ts';

const models = await loadCatalogue();

/** Voices whose checksum no public document states: they are trusted at first use. */
const WITHOUT_CHECKSUM = ['piper-tr-tr-dfki', 'piper-uk-ua-ukrainian_tts'];

const choose = (...languages: readonly string[]): string[] =>
  chooseForLanguages(models, languages).models.map(({ name }) => name);

describe('the catalogue of models', () => {
  it('names each model once, and each of its files once', () => {
    const names = models.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { files } of models)
      expect(new Set(files.map(({ url }) => url)).size).toBe(files.length);
  });

  it('has the checksum of every file, but for two voices', () => {
    const without = models.filter(({ files }) => files.some(({ sha256 }) => sha256 === undefined));
    expect(without.map(({ name }) => name)).toEqual(WITHOUT_CHECKSUM);
  });

  it('takes files only from the projects themselves, at a fixed version where there is one', () => {
    for (const { files, ability } of models)
      for (const { url } of files)
        expect(url).toMatch(
          ability === 'translation'
            ? /^https:\/\/github\.com\/mozilla\/firefox-translations-models\/raw\/[0-9a-f]{40}\/models\//
            : /^https:\/\/github\.com\/k2-fsa\/sherpa-onnx\/releases\/download\/(?:asr|tts)-models\//,
        );
  });

  it('has of each translation model what the engine needs, from or to English', () => {
    for (const { name, ability, files, languages } of models) {
      if (ability !== 'translation') continue;
      expect(name).toBe(`bergamot-${languages.join('-')}`);
      expect(languages).toContain('en');
      const parts = files
        .map(({ url }) => url.split('/').at(-1)?.split('.')[0] ?? '')
        .toSorted((a, b) => a.localeCompare(b, 'en'));
      expect([
        ['lex', 'model', 'vocab'],
        ['lex', 'model', 'srcvocab', 'trgvocab'],
      ]).toContainEqual(parts);
    }
  });

  it('holds nothing over a gigabyte', () => {
    for (const model of models) expect(bytesOf(model)).toBeLessThan(1e9);
  });

  it.each(['de', 'es', 'fr', 'ja', 'ko', 'pt', 'zh'])(
    'serves %s together with English',
    (language) => {
      const { missing } = chooseForLanguages(models, ['en', language]);
      const voiceless = ['ja', 'ko'].includes(language) ? [`a voice for ${language}`] : [];
      expect(missing).toEqual(voiceless);
    },
  );
});

describe('the models for languages', () => {
  it('are one recogniser, a voice each and both directions', () => {
    expect(choose('en', 'es')).toEqual([
      'parakeet-v3',
      'piper-en-us-kristin',
      'piper-es-es-davefx',
      'bergamot-es-en',
      'bergamot-en-es',
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
    [['es', 'ja'], 'whisper-small'],
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
    const { models: small } = chooseForLanguages(models, ['es'], true);
    expect(small.map(({ name }) => name)).toContain('whisper-tiny');
  });

  it('need no translation for one language', () => {
    expect(choose('en')).toEqual(['parakeet-v3', 'piper-en-us-kristin']);
  });

  it('that are not there are named', () => {
    expect(chooseForLanguages(models, ['en', 'eo']).missing).toEqual([
      'recognition of eo',
      'a voice for eo',
      'translation from eo',
      'translation into eo',
    ]);
  });
});
