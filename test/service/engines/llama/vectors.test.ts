import { expect, it } from 'vitest';
import type { Llama, LlamaModel } from '../../../../service/engines/llama/library.ts';
import { createVectors } from '../../../../service/engines/llama/vectors.ts';

it('makes vectors again once there is memory for it', async () => {
  const { signal } = new AbortController();
  let isFull = true;
  const model = {
    tokenizer: (text: string) => text.split(' '),
    fileInfo: { architectureMetadata: { pooling_type: 1 } },
    createEmbeddingContext: async () => {
      if (isFull) throw new Error('out of memory');
      return {
        _prepareInput: () => {},
        getEmbeddingFor: async () => ({ vector: [1] }),
        dispose: async () => undefined,
      };
    },
  } as unknown as LlamaModel;
  const vectors = createVectors(Promise.resolve({ llama: {} as Llama, model }), 100, () => 1);
  const answer = () => vectors.answer({ kind: 'vector', text: 'a b' }, signal);
  await expect(answer()).rejects.toThrow('out of memory');
  isFull = false;
  expect(await answer()).toEqual({ kind: 'vector', vector: [1], tokens: 2 });
});
