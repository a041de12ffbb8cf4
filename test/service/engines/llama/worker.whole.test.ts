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
    expect((await ask(more)).reply).toMatchObject({ kind });
    expect((await ask()).reply).toMatchObject({ kind: 'completed', promptTokens: 6 });
  });

  it('never writes beyond its context', async () => {
    const messages = [{ role: 'user' as const, content: 'x'.repeat(2_000) }];
    expect((await ask({ messages })).reply).toMatchObject({ finish: 'length', replyTokens: 47 });
  });

  const vector = (text: string, wanted = signal, model = MODEL) =>
    processes.call(model, { kind: 'vector', text }, wanted);
  const tooLong = (mostTokens: number) => ({ kind: 'too-long', mostTokens });

  it('makes vectors of texts that it reads in parts', async () => {
    expect(await vector('three')).toEqual({ kind: 'vector', vector: [6, 6], tokens: 6 });
    expect(await vector('x'.repeat(2_046))).toMatchObject({ vector: [2_047, 2_047] });
    const { batch, parts } = (await asked()) as { batch: number; parts: number };
    expect(batch).toBe(128);
    expect(parts).toBeGreaterThan(16);
  });

  it('stops in the middle of a text of which nobody wants the vector any more', async () => {
    const { parts: before } = (await asked()) as { parts: number };
    const own = new AbortController();
    const left = vector('a'.repeat(2_000), own.signal);
    setTimeout(() => own.abort(new Error('left')), 3);
    await expect(left).rejects.toThrow('left');
    // A turn after it, for the process goes on until it hears of that.
    await vector('next');
    const { parts } = (await asked()) as { parts: number };
    expect(parts - before).toBeLessThan(16);
  });

  it('tells how long a text may be before it makes the first vector', async () => {
    const measure = (text: string) => processes.call(MODEL, { kind: 'measure', text }, signal);
    expect(await measure('x'.repeat(2_046))).toEqual({ kind: 'measured' });
    expect(await measure('x'.repeat(2_047))).toEqual(tooLong(2_047));
    expect(await measure('x'.repeat(1_000_000))).toEqual(tooLong(2_047));
    expect(await vector('x'.repeat(2_047))).toEqual(tooLong(2_047));
  });

  it('takes shorter texts for vectors where it cannot be interrupted', async () => {
    const bothWays = languageModel('both-ways', { trainedTokens: 2_048 });
    const made = await vector('x'.repeat(1_022), signal, bothWays);
    expect(made).toMatchObject({ vector: [1_023, 1_024] });
    expect(await vector('x'.repeat(1_023), signal, bothWays)).toEqual(tooLong(1_023));
  });

  it('ends where its model cannot be loaded, and tells why', async () => {
    const broken = languageModel('broken');
    await expect(processes.call(broken, saying('hi'), signal)).rejects.toThrow('crashed');
    expect(processes.faultOf(broken)).toContain('(no such architecture)');
  });
});
