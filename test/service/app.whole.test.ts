import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { PATHS } from '../../src/api/contract.ts';
import { createTestClock } from '../fakes/clock.ts';
import { failure, KEY, startTestService } from './support.ts';
import { shared } from '../fakes/opened.ts';

const ALL_PATHS = Object.values(PATHS);

describe('the service without engines that need anything', () => {
  const service = shared(() => startTestService());

  const INVALID = {
    status: 401,
    context: ['auth'],
    code: 104,
    name: 'ErrAuthenticationFailed',
    error: 'Authentication error: Invalid token',
  };

  it.each(ALL_PATHS)('%s answers 401 in the error object without a key', async (path) => {
    const reply = await service.request(path, { key: null, method: 'POST' });
    expect(await failure(reply)).toEqual(INVALID);
  });

  it.each([
    ['unknown', 'svck:unknown-0123456789abcdef'],
    ['without its prefix', 'test-0123456789abcdef'],
    ['empty', ''],
    ['cut', 'svck:test-0123456789abcde'],
  ])('answers 401 to a key that is %s', async (_, key) => {
    expect(await failure(await service.request(PATHS.voices, { key }))).toEqual(INVALID);
  });

  it('answers 401 to a key that is no bearer token', async () => {
    const headers = { authorization: 'Basic svck:test-0123456789abcdef' };
    const reply = await service.request(PATHS.voices, { key: null, headers });
    expect(await failure(reply)).toEqual(INVALID);
  });

  it('lets any of its keys in', async () => {
    const key = 'svck:another-0123456789abcdef';
    expect((await service.request(PATHS.voices, { key })).status).toBe(200);
  });

  it.each(['/', '/tts/', '/translate', '/openai/v1/images/generations', '/ws/other'])(
    'answers 404 for %s',
    async (path) => {
      expect(await failure(await service.request(path))).toMatchObject({
        status: 404,
        name: 'ErrUnsupportedEndpoint',
        error: 'Unsupported API endpoint',
      });
    },
  );

  it.each([
    [PATHS.tts, 'GET', 'POST'],
    [PATHS.voices, 'POST', 'GET'],
    [PATHS.translate, 'PUT', 'POST'],
  ])('answers 405 for %s with %s', async (path, method, allowed) => {
    const reply = await service.request(path, { method });
    expect(reply.headers.get('allow')).toBe(allowed);
    expect(await failure(reply)).toMatchObject({ status: 405, name: 'ErrMethodNotAllowed' });
  });

  it.each([
    [PATHS.chat, { messages: [{ role: 'user', content: 'hi' }] }, 'No engine chats.'],
    [PATHS.asr, { audio: 'AAAA' }, 'No engine recognises speech.'],
  ])('%s says what is missing and how to add it', async (path, body, lack) => {
    const { error, ...rest } = await failure(await service.postJson(path, body));
    expect(rest).toMatchObject({ status: 404, name: 'ErrServiceNotRegistered' });
    expect(error).toContain(`${lack} Add one: `);
    expect(error).toContain('set SERVICE_OPENAI_URL');
  });

  it('names the Debian package of a language pair', async () => {
    const fields = { text: 'fox', source_lang: 'en', target_lang: 'es' };
    expect(await failure(await service.translate(fields))).toMatchObject({
      status: 404,
      error:
        'No engine translates en to es. Add one: apt-get install -y apertium-eng-spa, or run npm run setup, or set SERVICE_OPENAI_URL.',
    });
  });

  it('answers 400 for a body that says it is too long', async () => {
    const reply = await service.postJson(PATHS.tts, { text: 'x'.repeat(200_000) });
    expect(await failure(reply)).toMatchObject({ status: 400, name: 'ErrTextTooLong' });
  });

  it('answers 400 for a streamed body once it is too long', async () => {
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(16_384)),
    });
    const init = { method: 'POST', body, duplex: 'half' } as {
      method: string;
      body: ReadableStream;
    };
    const reply = await service.request(PATHS.tts, init);
    expect(await failure(reply)).toMatchObject({ status: 400, name: 'ErrTextTooLong' });
  });

  it('answers 400 for a form that is too long', async () => {
    const reply = await service.translate({
      text: 'x'.repeat(200_000),
      source_lang: 'en',
      target_lang: 'en-XA',
    });
    expect(await failure(reply)).toMatchObject({ status: 400, name: 'ErrTextTooLong' });
  });

  it('closes although a client has sent half a request', async () => {
    const own = await startTestService();
    const socket = connect(Number(new URL(own.service.url).port), '127.0.0.1');
    socket.on('error', () => {});
    const gone = once(socket, 'close');
    socket.write(`POST ${PATHS.tts} HTTP/1.1\r\nHost: x\r\n`);
    // Answered after the half request has come in.
    expect((await own.request('/')).status).toBe(404);
    await own[Symbol.asyncDispose]();
    await gone;
  });

  it('ends a connection on which half of a request’s head is sent', async () => {
    const socket = connect(Number(new URL(service.service.url).port), '127.0.0.1');
    socket.write(`POST ${PATHS.tts} HTTP/1.1\r\nHost: x\r\n`);
    expect(await text(socket)).toContain(' 408 ');
  });

  it('reports every engine but those for developers, with the line that adds each missing one', async () => {
    const lines = await service.service.engines();
    expect(lines.map(({ name }) => name).toSorted()).toEqual([
      'apertium',
      'bergamot',
      'deepl',
      'espeak-ng',
      'libretranslate',
      'llama',
      'openai',
      'sherpa-onnx',
    ]);
    for (const line of lines) expect(line.detail).not.toBe('');
    expect(lines.find(({ name }) => name === 'sherpa-onnx')).toMatchObject({
      ready: false,
      detail: 'npm run setup',
    });
  });
});

describe('the service at its end', () => {
  it('waits for running requests as long as it is told to, and cuts them off then', async () => {
    const clock = createTestClock();
    await using test = await startTestService({}, undefined, undefined, { clock });
    const { hostname, port } = new URL(test.service.url);
    const socket = connect(Number(port), hostname);
    const cut = once(socket, 'close');
    socket.write(
      `POST ${PATHS.translate} HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer ${KEY}\r\n` +
        'Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 10\r\nExpect: 100-continue\r\n\r\n',
    );
    const [reply] = (await once(socket, 'data')) as [Buffer];
    expect(String(reply)).toContain('100 Continue');
    let isClosed = false;
    const closed = test.service.close(30_000).then(() => (isClosed = true));
    await expect.poll(() => clock.waiting).toBe(1);
    await clock.advance(29_999);
    expect([isClosed, socket.destroyed]).toEqual([false, false]);
    await clock.advance(1);
    await Promise.all([closed, cut]);
  });
});
