import { mkdtempSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LlamaProcesses } from '../../../../service/engines/llama/processes.ts';
import type { LlamaCompletion, LlamaReply } from '../../../../service/engines/llama/protocol.ts';
import { writeTinyLlamaLibrary } from '../../../fakes/models/tiny-llama-library.ts';
import { fakeProcesses, languageModel, saying } from './scene.ts';

const signal = new AbortController().signal;
const MODEL = languageModel('tiny', { trainedTokens: 2_048 });

describe('the process of a language model', () => {
  let processes: LlamaProcesses;
  beforeAll(() => {
    const worker = new URL('../../../../service/engines/llama/worker.ts', import.meta.url);
    processes = fakeProcesses({ worker });
    processes.keep([], writeTinyLlamaLibrary(mkdtempSync(join(tmpdir(), 'llama-library-'))));
  });
  afterAll(() => processes[Symbol.asyncDispose]());

  const ask = async (more: Partial<LlamaCompletion> = {}) => {
    let words = '';
    const request = { ...saying('hello', 9_999), ...more };
    const reply = await processes.call(MODEL, request, signal, (text) => (words += text));
    return { reply, words };
  };
  const asked = async (more: Partial<LlamaCompletion> = {}): Promise<unknown> =>
    JSON.parse((await ask(more)).words);

  it('runs what is installed, builds and fetches nothing, and uses no graphics card', async () => {
    expect(await asked()).toMatchObject({
      llama: { build: 'never', skipDownload: true, gpu: false },
      model: { modelPath: MODEL.path, gpuLayers: 0 },
    });
  });

  it('leaves a core and the right of way to others', async () => {
    const threads = Math.max(1, availableParallelism() - 1);
    expect(await asked()).toMatchObject({
      context: { threads: { ideal: threads, min: threads }, sequences: 1 },
      priority: 10,
    });
  });

  it('keeps to the context that its model was trained for, and can go back to any point of it', async () => {
    expect(await asked()).toMatchObject({ context: { contextSize: 2_048, swaFullCache: true } });
  });

  it('uses the template of the file, with thinking switched off', async () => {
    expect(await asked()).toMatchObject({
      wrapper: { template: 'the template of the file', enable_thinking: false },
    });
  });

  it('keeps to a form of JSON', async () => {
    const form = { type: 'object' };
    expect(await asked({ format: 'json' })).toMatchObject({
      sampling: { grammarEvaluationState: { grammar: 'json' } },
    });
    expect(await asked({ format: form })).toMatchObject({
      sampling: { grammarEvaluationState: { grammar: form } },
    });
  });

  it.each<[LlamaReply['kind'], Partial<LlamaCompletion>]>([
    ['bad-format', { format: { bad: true } }],
    ['bad-messages', { messages: [{ role: 'user', content: 'disorder' }] }],
    ['too-long', { messages: [{ role: 'user', content: 'x'.repeat(2_048) }] }],
  ])('refuses, and goes on: %s', async (kind, more) => {
    expect((await ask(more)).reply).toEqual({ kind });
    expect((await ask()).reply).toMatchObject({ kind: 'completed', promptTokens: 6 });
  });

  it('never writes beyond its context', async () => {
    const messages = [{ role: 'user' as const, content: 'x'.repeat(2_000) }];
    expect((await ask({ messages })).reply).toMatchObject({ finish: 'length', replyTokens: 47 });
  });

  it('makes vectors, and refuses a text that is too long for them', async () => {
    const vectors = (texts: readonly string[]) =>
      processes.call(MODEL, { kind: 'vectors', texts }, signal);
    expect(await vectors(['one', 'three'])).toEqual({
      kind: 'vectors',
      vectors: [[3], [5]],
      tokens: 8,
    });
    expect(await vectors(['x'.repeat(2_048)])).toEqual({ kind: 'too-long' });
  });

  it('ends where its model cannot be loaded, and tells why', async () => {
    const broken = languageModel('broken');
    await expect(processes.call(broken, saying('hi'), signal)).rejects.toThrow('crashed');
    expect(processes.faultOf(broken)).toContain('(no such architecture)');
  });
});
