import { existsSync, mkdirSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readChatBody } from '../../../service/chat-body.ts';
import type { Engine } from '../../../service/engine.ts';
import { createEngine } from '../../../service/engines/llama.ts';
import { writeTinyLanguageModel } from '../../fakes/models/tiny-language-model.ts';
import { silentLog } from '../../fakes/silent-log.ts';
import { engineConfig } from '../support.ts';

/** The library as set-up installs it, in the folder of models of this copy. */
const PACKAGES = resolve(import.meta.dirname, '../../../models/.packages');
const signal = new AbortController().signal;

// Not a test's to fetch: those that have installed a language model have it.
describe.skipIf(!existsSync(PACKAGES))('the library of language models', () => {
  let root: string;
  let engine: Engine;
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), 'language-models-'));
    symlinkSync(PACKAGES, join(root, '.packages'));
    writeTinyLanguageModel(join(root, 'tiny'));
    writeTinyLanguageModel(join(root, 'vectors'), {
      'llama.pooling_type': 1,
      'tokenizer.chat_template': undefined,
    });
    engine = createEngine({ config: engineConfig({ SERVICE_MODELS: root }), log: silentLog });
  });
  afterAll(() => engine[Symbol.asyncDispose]());

  const post = async (fields: object, wanted = signal) => {
    const { chat } = await engine.abilities();
    const bytes = Buffer.from(JSON.stringify({ temperature: 0, ...fields }));
    const body = await readChatBody(
      (async function* () {
        yield bytes;
      })(),
    );
    const reply = await chat!.complete(body, wanted);
    const text = Buffer.concat(await Array.fromAsync(reply.body)).toString('utf8');
    return JSON.parse(text) as {
      choices: { message: { content: string }; finish_reason: string }[];
      usage: { prompt_tokens: number; prompt_tokens_details: { cached_tokens: number } };
    };
  };
  const user = (content: string) => ({ messages: [{ role: 'user', content }], max_tokens: 12 });
  /** Tokens of the template around one message. */
  const AROUND = 1 + 'user\n'.length + 1 + '\n'.length + 1 + 'assistant\n'.length;

  it('answers, and counts what it read', async () => {
    const { choices, usage } = await post(user('hello'));
    expect(choices[0]?.finish_reason).toMatch(/stop|length/);
    expect(usage.prompt_tokens).toBe(AROUND + 'hello'.length);
  });

  it('reads marks of templates that people write as words', async () => {
    const { usage } = await post(user('<|im_end|>'));
    expect(usage.prompt_tokens).toBe(AROUND + '<|im_end|>'.length);
  });

  it('keeps what it has read between the turns of a conversation', async () => {
    const messages = user('a long beginning of a conversation').messages;
    const { choices } = await post({ messages, max_tokens: 4 });
    const { usage } = await post({
      messages: [
        ...messages,
        { role: 'assistant', content: choices[0]?.message.content },
        { role: 'user', content: 'more' },
      ],
      max_tokens: 4,
    });
    expect(usage.prompt_tokens_details.cached_tokens).toBeGreaterThanOrEqual(AROUND + 34);
  });

  it('keeps to a schema, to the end where there is room', async () => {
    const schema = { type: 'object', properties: { a: { enum: ['x', 'y'] } } };
    const format = { type: 'json_schema', json_schema: { name: 'x', schema } };
    const { choices } = await post({ ...user('hi'), max_tokens: 60, response_format: format });
    expect(JSON.parse(choices[0]?.message.content ?? '')).toEqual({
      a: expect.stringMatching(/^[xy]$/),
    });
  });

  it('refuses a prompt over the context', async () => {
    await expect(post(user('x'.repeat(600)))).rejects.toMatchObject({ named: 'ErrTextTooLong' });
  });

  it('is left by a client, and answers the next', async () => {
    const left = new AbortController();
    const asked = post(user('x'.repeat(400)), left.signal);
    left.abort(new Error('left'));
    await expect(asked).rejects.toThrow('left');
    expect((await post(user('hello'))).choices).toHaveLength(1);
  });

  it('answers 20 at once, one after the other', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, (_, i) => post(user(`ask ${i}`))));
    expect(all).toHaveLength(20);
  });

  const embed = async (model: string, texts: readonly string[]) => {
    const { chat } = await engine.abilities();
    const turn = async (): Promise<Disposable> => ({ [Symbol.dispose]: () => {} });
    return Array.fromAsync(chat!.embed!({ texts, model }, signal, turn));
  };

  it.each(['vectors', 'tiny'])('makes vectors by %s, the same of the same text', async (model) => {
    const long = 'a word and '.repeat(20);
    const made = await embed(model, ['one', long, 'two', 'one', long]);
    const vectors = made.map(({ vector }) => vector);
    expect(made[0]?.model).toBe(model);
    expect(vectors[0]).toHaveLength(32);
    for (const [again, at] of [
      [3, 0],
      [4, 1],
    ] as const)
      expect(
        Math.max(...vectors[again]!.map((one, i) => Math.abs(one - vectors[at]![i]!))),
      ).toBeLessThan(1e-3);
    expect(vectors[2]).not.toEqual(vectors[0]);
  });

  it('does not take a model with a head that is whole and nonsense, and says so', async () => {
    const strange = mkdtempSync(join(tmpdir(), 'language-models-'));
    symlinkSync(PACKAGES, join(strange, '.packages'));
    mkdirSync(join(strange, 'strange'));
    writeTinyLanguageModel(join(strange, 'strange'), { 'general.architecture': 'strange' });
    await using other = createEngine({
      config: engineConfig({ SERVICE_MODELS: strange }),
      log: silentLog,
    });
    const { chat } = await other.abilities();
    const body = await readChatBody(
      (async function* () {
        yield Buffer.from(JSON.stringify(user('hi')));
      })(),
    );
    await expect(chat!.complete(body, signal)).rejects.toMatchObject({ code: 'unavailable' });
    expect(await other.report()).toMatchObject({
      ready: false,
      detail: expect.stringMatching(/strange: it crashed twice within a minute \(.*strange/),
    });
  });
});
