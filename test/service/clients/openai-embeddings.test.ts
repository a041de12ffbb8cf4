import OpenAI from 'openai';
import { beforeEach, describe, expect, it } from 'vitest';
import { startFakeOpenai } from '../../fakes/openai.ts';
import { failure, KEY, startTestService } from '../support.ts';
import { shared } from '../../fakes/opened.ts';

const PATH = '/openai/v1/embeddings';
const VECTORS = [
  [0.25, -1, 3.5],
  [1, 2, 4],
];

const MADE = {
  kind: 'json',
  value: {
    model: 'nomic',
    data: VECTORS.map((embedding, index) => ({ index, embedding })).toReversed(),
    usage: { prompt_tokens: 7, total_tokens: 7 },
  },
} as const;

describe('vectors of texts', () => {
  const backEnd = shared(() => startFakeOpenai({ models: ['talk-1', 'nomic-embed-text'] }));
  const service = shared(() => startTestService({ SERVICE_OPENAI_URL: backEnd.url }));
  beforeEach(() => {
    backEnd.fail('/embeddings', MADE);
  });

  it('come for a list, as the package `openai` asks for them, in base64', async () => {
    const client = new OpenAI({ baseURL: `${service.service.url}/openai/v1`, apiKey: KEY });
    const { data, model, usage } = await client.embeddings.create({
      model: 'any',
      input: ['one', 'two'],
    });
    expect(data.map(({ embedding }) => [...embedding])).toEqual(VECTORS);
    expect({ model, usage }).toEqual({
      model: 'nomic',
      usage: { prompt_tokens: 7, total_tokens: 7 },
    });
    expect(backEnd.requests.at(-1)?.body).toEqual({
      model: 'nomic-embed-text',
      input: ['one', 'two'],
      encoding_format: 'float',
    });
  });

  it('are made of a few texts at a time, so that others get their turn between', async () => {
    const input = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(4_000));
    backEnd.fail('/embeddings', MADE);
    const before = backEnd.requests.length;
    const reply = await service.postJson(PATH, { input });
    expect(await reply.json()).toEqual({
      object: 'list',
      data: [...VECTORS, ...VECTORS].map((embedding, index) => ({
        object: 'embedding',
        index,
        embedding,
      })),
      model: 'nomic',
      usage: { prompt_tokens: 14, total_tokens: 14 },
    });
    const asked = backEnd.requests
      .slice(before)
      .map(({ body }) => (body as { input: object }).input);
    expect(asked).toEqual(expect.arrayContaining([input.slice(0, 2), input.slice(2)]));
  });

  it('come as they are made', async () => {
    const own = new AbortController();
    backEnd.fail('/embeddings', { kind: 'silent' });
    const input = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(4_000));
    const reply = await service.postJson(PATH, { input }, own.signal);
    const { value } = await reply.body!.getReader().read();
    expect(Buffer.from(value ?? []).toString()).toContain(`"index":0,"embedding":[0.25,-1,3.5]}`);
    own.abort();
  });

  it('break off where the engine does, so that nobody takes a part for the whole', async () => {
    const input = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(4_000));
    backEnd.fail('/embeddings', { kind: 'status', status: 500 });
    const reply = await service.postJson(PATH, { input });
    expect(reply.status).toBe(200);
    await expect(reply.text()).rejects.toThrow();
  });

  it('are refused for fewer than there are texts', async () => {
    const reply = await service.postJson(PATH, { input: 'one', encoding_format: 'float' });
    expect(await failure(reply)).toMatchObject({ status: 502 });
  });

  it.each([
    ['tokens', { input: [9906, 1917] }, 'send texts'],
    ['lists of tokens, as LangChain sends them', { input: [[9906, 1917]] }, 'send texts'],
    ['nothing', { input: [] }, 'input'],
    ['a blank text', { input: ['one', ' '] }, 'input.1: is blank'],
    ['another length', { input: 'one', dimensions: 256 }, 'dimensions'],
  ])('are refused for %s', async (_, body, words) => {
    const refused = await failure(await service.postJson(PATH, body));
    expect(refused).toMatchObject({ status: 400, error: expect.stringContaining(words) });
  });

  it('need an engine that makes them', async () => {
    await using other = await startFakeOpenai();
    await using without = await startTestService({ SERVICE_OPENAI_URL: other.url });
    expect(await failure(await without.postJson(PATH, { input: 'one' }))).toMatchObject({
      status: 404,
      error: 'No engine here makes vectors of texts.',
    });
  });
});
