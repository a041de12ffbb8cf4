import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFakeOpenai, type FakeOpenai } from '../../fakes/openai.ts';
import requests from '../../fixtures/clients/requests.json' with { type: 'json' };
import { failure, startTestService, type TestService } from '../support.ts';

interface Recorded {
  readonly client: string;
  readonly asks: string;
  readonly path: string;
  readonly json?: object;
  /** Fields, of which `file` names one of the recordings. */
  readonly form?: Readonly<Record<string, string>>;
  /** Words of the sentence with which it is refused. */
  readonly refused?: string;
}

const formOf = (fields: Readonly<Record<string, string>>): FormData => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields))
    if (name === 'file')
      form.set(name, new File([readFileSync(join('test/fixtures/audio', value))], value));
    else form.set(name, value);
  return form;
};

/** Reads what each path answers, as far as clients rely on it. */
const CHECKS: Readonly<Record<string, (reply: Response, asked: Recorded) => Promise<void>>> = {
  '/models': async (reply) => {
    const { object, data } = (await reply.json()) as { object: string; data: { id: string }[] };
    expect([object, data.map(({ id }) => id)]).toEqual(['list', ['talk-1']]);
  },
  '/chat/completions': async (reply, { json }) => {
    const { stream, stream_options: options } = json as {
      stream: boolean;
      stream_options?: object;
    };
    const text = await reply.text();
    if (!stream) {
      const { choices } = JSON.parse(text) as { choices: { message: { content: string } }[] };
      expect(choices[0]?.message.content).toBe('Hello, world');
      return;
    }
    const events = text.trim().split('\n\n');
    expect(events.at(-1)).toBe('data: [DONE]');
    expect(text.includes('"usage":{')).toBe(options !== undefined);
  },
  '/embeddings': async (reply, { json }) => {
    const { data } = (await reply.json()) as { data: { embedding: unknown }[] };
    expect(data).toHaveLength(2);
    const inBase64 = 'encoding_format' in json!;
    expect(typeof data[0]?.embedding).toBe(inBase64 ? 'string' : 'object');
  },
  '/audio/transcriptions': async (reply) => {
    expect(((await reply.json()) as { text: string }).text).toMatch(/^hello there/);
  },
  '/audio/speech': async (reply) => {
    expect(reply.headers.get('content-type')).toBe('audio/mpeg');
    expect((await reply.arrayBuffer()).byteLength).toBeGreaterThan(1_000);
  },
};

describe('the recorded requests', () => {
  let backEnd: FakeOpenai;
  let service: TestService;
  beforeAll(async () => {
    const models = ['talk-1', 'nomic-embed-text', 'whisper-1', 'tts-1'];
    backEnd = await startFakeOpenai({ models });
    service = await startTestService({ SERVICE_OPENAI_URL: backEnd.url });
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await backEnd[Symbol.asyncDispose]();
  });

  it.each(
    (requests as readonly Recorded[]).map((asked) => [asked.client, asked.asks, asked] as const),
  )('of %s are answered: it asks %s', async (_client, _asks, asked) => {
    const { path, json, form, refused } = asked;
    if (path === '/embeddings' && refused === undefined)
      backEnd.fail(path, {
        kind: 'json',
        value: { data: [0, 1].map((index) => ({ index, embedding: [0.5, 1] })) },
      });
    const url = `/openai/v1${path}`;
    const reply = json
      ? await service.postJson(url, json)
      : await service.request(url, form ? { method: 'POST', body: formOf(form) } : {});
    if (refused !== undefined)
      return expect(await failure(reply)).toMatchObject({
        status: 400,
        error: expect.stringContaining(refused) as string,
      });
    expect(reply.status).toBe(200);
    return CHECKS[path]!(reply, asked);
  });
});
