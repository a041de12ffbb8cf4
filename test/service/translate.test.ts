import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXTRA_FIELDS, EXTRA_FIELDS_HEADER, translateReply } from '../../src/api/contract.ts';
import type { EngineTranslationRequest, TranslationEngine } from '../../service/engine.ts';
import { createRequestLimiter } from '../../service/request-limiter.ts';
import { translate } from '../../service/routes/translate.ts';
import { startFakeOpenai, type FakeOpenai } from '../fakes/openai.ts';
import { failure, offering, startTestService, type TestService } from './support.ts';

const FIELDS = { text: 'The fox ⟦1⟧', source_lang: 'en', target_lang: 'ja' };

const LONG =
  'The fox is sound asleep in the woods. It is a very quiet night. The moon is up, the wind is still, and nobody is about but an old owl, who sits in a tree and looks for mice. The end.';
const BEGINNING =
  'キツネが森の中でぐっすりと眠っています。とても静かな夜です。月が昇り、風は静かです。';

describe('translation over HTTP', () => {
  let openai: FakeOpenai;
  let service: TestService;
  beforeAll(async () => {
    const chat = (messages: readonly { content: string }[]) =>
      messages.at(-1)?.content === LONG
        ? [BEGINNING, '木の上で年老いたフクロウがネズミを探しているだけです。おしまい。']
        : ['キツ', 'ネ ', '⟦1⟧'];
    openai = await startFakeOpenai({ chat, key: 'sk-1' });
    service = await startTestService({
      SERVICE_OPENAI_URL: openai.url,
      SERVICE_OPENAI_KEY: 'sk-1',
    });
  });
  afterAll(async () => {
    await service[Symbol.asyncDispose]();
    await openai[Symbol.asyncDispose]();
  });

  it('answers with the completion of section 2.2', async () => {
    const reply = await service.translate({ ...FIELDS, stream: 'false', model: 'svc-ai/chotto' });
    expect(reply.headers.get('content-type')).toMatch(/^application\/json/);
    const body: unknown = await reply.json();
    expect(translateReply.parse(body)).toEqual(body);
    expect(body).toMatchObject({
      id: expect.stringMatching(/^trans_/),
      object: 'translation.completion',
      model: 'talk-1-2026',
      choices: [
        { index: 0, message: { role: 'assistant', content: 'キツネ ⟦1⟧' }, finish_reason: 'stop' },
      ],
      transcription: 'The fox ⟦1⟧',
      source_lang: 'en',
      target_lang: 'ja',
      usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
    });
  });

  it('streams exactly the events of section 6', async () => {
    const reply = await service.translate({ ...FIELDS, stream: 'true' });
    expect(reply.headers.get('content-type')).toBe('text/event-stream');
    const text = await reply.text();
    const id = /trans_[0-9a-f]+/.exec(text)?.[0] ?? 'no id';
    const chunk = (content: string, more = ''): string =>
      `data: {"id":"${id}","object":"translation.completion.chunk","choices":[{"delta":{"content":"${content}"},"index":0}]${more}}\n\n`;
    expect(text).toBe(
      [
        chunk('', ',"transcription":"The fox ⟦1⟧","source_lang":"en","target_lang":"ja"'),
        chunk('キツネ ⟦1⟧', ',"model":"talk-1-2026"'),
        chunk('', ',"usage":{"prompt_tokens":11,"completion_tokens":7,"total_tokens":18}'),
        'data: [DONE]\n\n',
      ].join(''),
    );
  });

  it('takes the path without its slash, and finds the language of a text', async () => {
    const body = new FormData();
    for (const [name, value] of Object.entries({ ...FIELDS, text: LONG, source_lang: 'auto' }))
      body.append(name, value);
    const reply = await service.request('/translate', { method: 'POST', body });
    expect(await reply.json()).toMatchObject({ source_lang: 'auto', target_lang: 'ja' });
    expect(reply.status).toBe(200);
    const uncertain = await service.translate({ ...FIELDS, text: '42', source_lang: 'auto' });
    expect(await failure(uncertain)).toMatchObject({ status: 400, name: 'ErrInvalidParameter' });
  });

  it.each(['false', 'true'])(
    'returns a text that is in the language already (stream %s)',
    async (stream) => {
      const asked = openai.requests.length;
      const reply = await service.translate({ ...FIELDS, target_lang: 'en', stream });
      expect(reply.status).toBe(200);
      expect(await reply.text()).toContain(`"content":"${FIELDS.text}"`);
      expect(openai.requests).toHaveLength(asked);
    },
  );

  it('sends a piece on before the next one is there', async () => {
    const release = openai.hold();
    // The first piece is long enough to be judged.
    const reply = await service.translate({ ...FIELDS, text: LONG, stream: 'true' });
    const reader = reply.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('キツ')) text += (await reader.read()).value;
    expect(text).not.toContain('[DONE]');
    release();
    for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value;
    expect(text).toContain('[DONE]');
  });

  it('gives glossary and context to the model, and the text alone as the message', async () => {
    await service.translate({ ...FIELDS, keywords: ['Acme', 'Zürich'], context: 'Earlier talk.' });
    const { body, authorization } = openai.requests.at(-1)!;
    const messages = body?.['messages'] as { role: string; content: string }[];
    expect(authorization).toBe('Bearer sk-1');
    expect(body).toMatchObject({ temperature: 0, model: 'talk-1' });
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(messages[0]?.content).toMatch(/English \(en\) to Japanese \(ja\)[^]*"Acme", "Zürich"/);
    expect(messages[0]?.content).toContain('Earlier talk.');
    expect(messages[1]?.content).toBe(FIELDS.text);
  });

  it('aborts the engine when the client leaves', async () => {
    openai.fail('/chat/completions', { kind: 'silent' });
    const leaving = new AbortController();
    const before = openai.requests.length;
    const reply = service.translate(FIELDS, leaving.signal);
    reply.catch(() => undefined);
    await expect.poll(() => openai.requests.length).toBe(before + 1);
    leaving.abort();
    await expect(reply).rejects.toThrow();
    expect(await openai.requests.at(-1)?.aborted).toBe(true);
  });

  it('breaks a stream whose engine broke off, without the closing event', async () => {
    const event = JSON.stringify({ choices: [{ delta: { content: BEGINNING } }] });
    openai.fail('/chat/completions', { kind: 'events', body: `data: ${event}\n\n` });
    const reply = await service.translate({ ...FIELDS, text: LONG, stream: 'true' });
    let text = '';
    const read = async (): Promise<void> => {
      for await (const part of reply.body!.pipeThrough(new TextDecoderStream())) text += part;
    };
    await expect(read()).rejects.toThrow();
    expect(text).toContain(BEGINNING);
    expect(text).not.toContain('[DONE]');
  });

  it('answers 502 when the engine breaks off before its first words can be judged', async () => {
    openai.fail('/chat/completions', { kind: 'cut' });
    expect(await failure(await service.translate({ ...FIELDS, stream: 'true' }))).toMatchObject({
      status: 502,
    });
  });

  it.each(['\n', ''])('takes a stream as whole whose closing mark ends with %j', async (end) => {
    const chunk = JSON.stringify({
      id: 'x',
      model: 'm',
      choices: [{ delta: { content: 'Hola' }, finish_reason: 'stop' }],
    });
    const body = `data: ${chunk}\n\ndata: [DONE]${end}`;
    openai.fail('/chat/completions', { kind: 'events', body });
    const reply = await service.translate({ ...FIELDS, stream: 'true' });
    expect(await reply.text()).toContain('data: [DONE]');
  });

  it('leaves its place to others when the client has left before it read anything', async () => {
    const limiter = createRequestLimiter({ concurrent: 1, waiting: 0 });
    const part: TranslationEngine = {
      translates: () => true,
      translate: async function* () {
        yield { text: 'a', model: 'm' };
        yield { text: 'b', model: 'm' };
      },
    };
    const body = new FormData();
    for (const [name, value] of Object.entries({ ...FIELDS, stream: 'true' }))
      body.set(name, value);
    const reply = await translate.handle({
      ...offering('one', part, limiter),
      request: new Request('http://localhost/', { method: 'POST', body }),
    });
    await reply.body?.cancel();
    await expect(limiter.acquire(new AbortController().signal)).resolves.toBeDefined();
  });

  it('lets a short text pass a long one between two pieces of an engine', async () => {
    const limiter = createRequestLimiter({ concurrent: 1, waiting: 1 });
    let admitted = 0;
    const counted = {
      ...limiter,
      admit: (...given: Parameters<typeof limiter.admit>) => {
        admitted += 1;
        return limiter.admit(...given);
      },
    };
    const read: string[] = [];
    const first = Promise.withResolvers<void>();
    const byLine: TranslationEngine = {
      translates: () => true,
      takesTurns: true,
      translate: async function* ({ text }, wanted, turn) {
        for (const line of text.split('|')) {
          wanted.throwIfAborted();
          using _ = await turn?.();
          read.push(line);
          if (line === 'one') await first.promise;
          yield { text: `${line} `, model: 'm' };
        }
      },
    };
    const ask = (text: string): Promise<Response> => {
      const body = new FormData();
      for (const [name, value] of Object.entries({ ...FIELDS, text })) body.set(name, value);
      return translate.handle({
        ...offering('one', byLine, counted),
        request: new Request('http://localhost/', { method: 'POST', body }),
      });
    };
    const long = ask('one|two|three');
    await expect.poll(() => read).toEqual(['one']);
    const short = ask('other');
    await expect.poll(() => admitted).toBe(2);
    first.resolve();
    await Promise.all([long, short]);
    expect(read).toEqual(['one', 'other', 'two', 'three']);
  });

  it('says which fields beyond the contract it understands, and gives them to the engine', async () => {
    let seen: EngineTranslationRequest | undefined;
    const part: TranslationEngine = {
      translates: () => true,
      translate: async function* (request) {
        seen = request;
        yield { text: 'a', model: 'm' };
      },
    };
    const body = new FormData();
    const tokens = '{"1":{"word":"Ana"}}';
    for (const [name, value] of Object.entries({ ...FIELDS, tokens })) body.set(name, value);
    await translate.handle({
      ...offering('one', part, createRequestLimiter({ concurrent: 1, waiting: 0 })),
      request: new Request('http://localhost/', { method: 'POST', body }),
    });
    expect(seen?.tokens).toEqual(new Map([[1, { word: 'Ana' }]]));
    const reply = await service.translate(FIELDS);
    expect(reply.headers.get(EXTRA_FIELDS_HEADER)).toContain(EXTRA_FIELDS.translateTokens);
  });

  it('answers 502 when the engine breaks off before a whole reply', async () => {
    openai.fail('/chat/completions', { kind: 'cut' });
    expect(await failure(await service.translate(FIELDS))).toMatchObject({
      status: 502,
      name: 'ErrBackendUnreachable',
    });
  });

  it.each([
    ['HTML', { kind: 'html' }, 502, 'ErrBackendFailed'],
    ['another shape', { kind: 'json', value: { choices: 'none' } }, 502, 'ErrBackendFailed'],
    ['500', { kind: 'status', status: 500 }, 502, 'ErrBackendFailed'],
    ['401', { kind: 'status', status: 401 }, 502, 'ErrBackendFailed'],
    ['400', { kind: 'status', status: 400 }, 400, 'ErrInvalidRequest'],
    ['429', { kind: 'status', status: 429, retryAfter: '7' }, 429, 'ErrRateLimited'],
  ] as const)('turns %s of the engine into the error object', async (_, fault, status, name) => {
    openai.fail('/chat/completions', fault);
    const reply = await service.translate({ ...FIELDS, stream: 'true' });
    expect(reply.headers.get('retry-after')).toBe(status === 429 ? '7' : null);
    expect(await failure(reply)).toMatchObject({ status, name, context: ['translation'] });
  });

  it.each([
    ['no text', { text: [] }, 'ErrInvalidParameter'],
    ['no source language', { source_lang: [] }, 'ErrInvalidParameter'],
    ['no target language', { target_lang: [] }, 'ErrInvalidParameter'],
    ['no language', { target_lang: 'klingonese' }, 'ErrInvalidParameter'],
    ['an unknown language', { target_lang: 'xx' }, 'ErrInvalidParameter'],
    ['another value of stream', { stream: 'yes' }, 'ErrInvalidParameter'],
    ['10,001 code points', { text: '😀'.repeat(10_001) }, 'ErrTextTooLong'],
    ['a context that is too long', { context: 'c'.repeat(2_001) }, 'ErrTextTooLong'],
    ['21 keywords', { keywords: Array(21).fill('x') as string[] }, 'ErrInvalidParameter'],
    ['tokens that are no JSON', { tokens: '{' }, 'ErrInvalidParameter'],
    ['tokens without numbers', { tokens: '{"x":{}}' }, 'ErrInvalidParameter'],
    [
      'a word that is too long',
      { tokens: `{"1":{"word":"${'w'.repeat(101)}"}}` },
      'ErrInvalidParameter',
    ],
    ['a keyword of 102 bytes', { keywords: ['語'.repeat(34)] }, 'ErrInvalidParameter'],
  ])('answers 400 for %s', async (_, fields, name) => {
    expect(await failure(await service.translate({ ...FIELDS, ...fields }))).toMatchObject({
      status: 400,
      name,
    });
  });

  it('takes every field at its limit', async () => {
    const reply = await service.translate({
      ...FIELDS,
      text: `⟦1⟧${'😀'.repeat(9_997)}`,
      context: '語'.repeat(2_000),
      keywords: Array(20).fill('k'.repeat(100)) as string[],
    });
    expect(reply.status).toBe(200);
  });

  it('answers 400 for JSON and for a form that is cut', async () => {
    const json = await service.postJson('/translate/', FIELDS);
    expect(await failure(json)).toMatchObject({ status: 400, name: 'ErrInvalidRequest' });
    const cut = await service.request('/translate/', {
      method: 'POST',
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
      body: '--x\r\nContent-Disposition: form-data; name="text"\r\n\r\nfox',
    });
    expect(await failure(cut)).toMatchObject({ status: 400, name: 'ErrInvalidRequest' });
  });

  it('translates to the pseudo-locale without asking anyone', async () => {
    const before = openai.requests.length;
    const reply = await service.translate({ ...FIELDS, source_lang: 'ja', target_lang: 'en-XA' });
    const { model, choices } = translateReply.parse(await reply.json());
    expect(model).toBe('pseudo');
    expect(choices[0]?.message.content).toContain('⟦1⟧');
    expect(openai.requests.length).toBe(before);
  });
});
