import { describe, expect, it } from 'vitest';
import { smallModels } from '../../../src/translation/small-models.ts';

describe('a small model', () => {
  it.each([
    ['bergamot-en-pt', ['Bergamot']],
    ['bergamot-pt-en+apertium-eng-spa', ['Bergamot', 'Apertium']],
    ['bergamot-pt-en+bergamot-en-es', ['Bergamot']],
    ['smollm2-135m-instruct', ['smollm2-135m-instruct']],
    ['gemma3:1b', ['gemma3:1b']],
    ['Qwen/Qwen3-0.6B-GGUF', ['Qwen/Qwen3-0.6B-GGUF']],
    ['translategemma-4b-it+apertium-eng-spa', ['translategemma-4b-it', 'Apertium']],
  ])('is found in %s', (model, names) => {
    expect(smallModels([model])).toEqual(names);
    expect(smallModels(['large', model, model])).toEqual(names);
  });

  it.each([
    'svc-ai/chotto',
    'gpt-5.2',
    'Hy-MT2-7B',
    'llama3:70b',
    'mb-2',
    'talk-1-2026',
    'constructor-large',
    '__proto__',
    '',
  ])('is not in %j', (model) => {
    expect(smallModels([model])).toEqual([]);
  });
});
