import { describe, expect, it } from 'vitest';
import { PATHS } from '../../src/api/contract.ts';
import { startFakeOpenai } from '../fakes/openai.ts';
import { failure, startTestService } from './support.ts';
import { shared } from '../fakes/opened.ts';

const TALK = { messages: [{ role: 'user', content: 'hi' }] };

describe('chat over HTTP', () => {
  const openai = shared(() => startFakeOpenai({ models: ['talk-1', 'talk-2'] }));
  const service = shared(() =>
    startTestService({ SERVICE_OPENAI_URL: openai.url.replace('/v1', '/') }),
  );
  const chat = (fields: object = {}, signal?: AbortSignal): Promise<Response> =>
    service.postJson(PATHS.chat, { ...TALK, ...fields }, signal);

  it('passes the whole reply through', async () => {
    const reply = await chat({ temperature: 0.3, tools: [] });
    expect(await reply.json()).toMatchObject({
      object: 'chat.completion',
      choices: [{ message: { content: 'Hello, world' } }],
    });
    expect(openai.requests.at(-1)?.body).toEqual({
      ...TALK,
      temperature: 0.3,
      tools: [],
      model: 'talk-1',
    });
  });

  it('answers 400 for JSON nested deeper than can be written', async () => {
    const deep = `${'['.repeat(500_000)}${']'.repeat(500_000)}`;
    const body = `{"messages":[{"role":"user","content":"hi"}],"x":${deep}}`;
    expect(await failure(await service.postJson(PATHS.chat, body))).toMatchObject({
      status: 400,
      name: 'ErrInvalidRequest',
    });
  });

  it('answers 400 for a body that is too long', async () => {
    const content = 'x'.repeat(8 * 1024 * 1024);
    expect(await failure(await chat({ messages: [{ role: 'user', content }] }))).toMatchObject({
      status: 400,
      name: 'ErrRequestTooLarge',
    });
  });

  it('passes a stream through byte by byte', async () => {
    const reply = await chat({ stream: true });
    expect(reply.headers.get('content-type')).toBe('text/event-stream');
    const direct = await fetch(`${openai.url}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...TALK, stream: true, model: 'talk-1' }),
    });
    expect(await reply.text()).toBe(await direct.text());
  });

  it('does not wait for the end of a stream', async () => {
    const release = openai.hold();
    const reader = (await chat({ stream: true })).body!.getReader();
    const first = new TextDecoder().decode((await reader.read()).value);
    expect(first).toContain('Hello');
    expect(first).not.toContain('DONE');
    release();
    await reader.cancel();
  });

  it.each([
    ['talk-2', 'talk-2'],
    ['svc-ai/other', 'talk-1'],
  ])('asks for the model %s by %s', async (wished, asked) => {
    await chat({ model: wished });
    expect(openai.requests.at(-1)?.body?.['model']).toBe(asked);
  });

  it('aborts the engine when the client leaves in the middle of a stream', async () => {
    const release = openai.hold();
    const leaving = new AbortController();
    const reply = await chat({ stream: true }, leaving.signal);
    await reply.body?.getReader().read();
    leaving.abort();
    expect(await openai.requests.at(-1)?.aborted).toBe(true);
    release();
  });

  it.each([
    ['a body that is not JSON', 'hello'],
    ['no messages', {}],
    ['empty messages', { messages: [] }],
    ['a message without a role', { messages: [{ content: 'x' }] }],
  ])('answers 400 for %s', async (_, body) => {
    expect((await service.postJson(PATHS.chat, body)).status).toBe(400);
  });

  it.each([
    [{ kind: 'html' }, 502],
    [{ kind: 'status', status: 503 }, 502],
    [{ kind: 'status', status: 429 }, 429],
  ] as const)('turns %j into the error object', async (fault, status) => {
    openai.fail('/chat/completions', fault);
    expect(await failure(await chat({ stream: true }))).toMatchObject({ status, context: ['llm'] });
  });

  it('answers 429 with the time to wait when too many wait', async () => {
    const release = openai.hold();
    const leaving = new AbortController();
    // One more than are let in, 16, and may wait, 32.
    const replies = Array.from({ length: 49 }, async () => {
      const reply = await chat({ stream: true }, leaving.signal);
      if (reply.status !== 429) throw new Error('let in');
      return reply;
    });
    const refused = await Promise.any(replies);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await failure(refused)).toMatchObject({ name: 'ErrRateLimited', context: ['limit'] });
    leaving.abort();
    release();
    expect((await chat()).status).toBe(200);
  });

  it('answers 502 when nobody listens there', async () => {
    await using lonely = await startTestService({
      SERVICE_OPENAI_URL: 'http://127.0.0.1:9',
      SERVICE_OPENAI_CHAT_MODEL: 'talk-1',
    });
    expect(await failure(await lonely.postJson(PATHS.chat, TALK))).toMatchObject({
      status: 502,
      name: 'ErrBackendUnreachable',
    });
  });
});
