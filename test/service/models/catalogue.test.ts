import { describe, expect, it } from 'vitest';
import { bytesOf, loadCatalogue } from '../../../service/models/catalogue.ts';
import { chooseForLanguages } from '../../../service/models/choose.ts';

const models = await loadCatalogue();

/** Voices whose checksum no public document states: they are trusted at first use. */
const WITHOUT_CHECKSUM = ['piper-tr-tr-dfki', 'piper-uk-ua-ukrainian_tts'];

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

  it('takes files from the projects themselves, and language models from those that convert them, at a fixed version where there is one', () => {
    const sherpa =
      /^https:\/\/github\.com\/k2-fsa\/sherpa-onnx\/releases\/download\/(?:asr|tts)-models\//;
    const places = {
      translation:
        /^https:\/\/github\.com\/mozilla\/firefox-translations-models\/raw\/[0-9a-f]{40}\/models\//,
      chat: /^https:\/\/huggingface\.co\/[\w.-]+\/[\w.-]+\/resolve\/[0-9a-f]{40}\/[\w.-]+\.gguf$/,
    } as const;
    for (const { files, ability } of models)
      for (const { url } of files)
        expect(url).toMatch(Object.hasOwn(places, ability) ? places[ability as 'chat'] : sherpa);
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

  it('holds nothing over two gigabytes, but for language models, whose memory it tells', () => {
    for (const model of models)
      if (model.ability === 'chat') expect(model.memoryBytes).toBeGreaterThan(bytesOf(model));
      else expect(bytesOf(model)).toBeLessThan(2e9);
  });

  it.each(['ar', 'de', 'es', 'fr', 'hi', 'id', 'ja', 'ko', 'pt', 'zh'])(
    'serves %s together with English',
    (language) => {
      expect(chooseForLanguages(models, ['en', language]).gaps).toEqual([]);
    },
  );

  it.each(['th', 'he', 'fa'])('has no voice for %s, and says so', (language) => {
    expect(chooseForLanguages(models, [language]).gaps).toEqual([{ need: 'speech', language }]);
  });

  it('has the model of 1,600 languages for those alone that no other understands', () => {
    const { languages = [] } = models.find(({ name }) => name === 'omnilingual') ?? {};
    const chosen = chooseForLanguages(models, ['en', 'zu'], 'fitting').models;
    expect(languages).toContain('zu');
    expect(chosen.map(({ name }) => name).slice(0, 2)).toEqual(['parakeet-v3', 'omnilingual']);
  });
});
