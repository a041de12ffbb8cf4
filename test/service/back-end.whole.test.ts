import { Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PATHS, type Voice } from '../../src/api/contract.ts';
import { encode } from '../../src/audio/codec/encode.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { AUDIO_FORMATS, type AudioFormat } from '../../src/model/message.ts';
import { startFakeOpenai, type FakeOpenai, type FakeOpenaiOptions } from '../fakes/openai.ts';
import { failure, KEY, startTestService, type TestService } from './support.ts';

const CHAT = { messages: [{ role: 'user', content: 'a private question' }] };
const TONE_HZ = 24_000;
/** A tone of a second at half loudness. */
const tone = Float32Array.from({ length: TONE_HZ }, (_, i) => Math.sin(i * 0.1) / 2);

const file = async (format: AudioFormat): Promise<Buffer> => {
  const parts: Uint8Array[] = [];
  const once = (async function* () {
    yield tone;
  })();
  for await (const part of encode(format, TONE_HZ, once)) parts.push(part);
  return Buffer.concat(parts);
};

describe('what a back end sends', () => {
  let openai: FakeOpenai;
  let service: TestService;
  let lines: Record<string, unknown>[];
  const start = async (options: FakeOpenaiOptions = {}): Promise<void> => {
    lines = [];
    const sink = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        for (const line of chunk.toString().split('\n'))
          if (line !== '') lines.push(JSON.parse(line) as Record<string, unknown>);
        done();
      },
    });
    openai = await startFakeOpenai(options);
    service = await startTestService(
      { SERVICE_OPENAI_URL: openai.url, SERVICE_OPENAI_KEY: 'sk-own-0123456789' },
      createLog('info', sink),
    );
  };
  beforeEach(() => start());
  afterEach(async () => {
    await service[Symbol.asyncDispose]();
    await openai[Symbol.asyncDispose]();
  });

  /** Speaks; a tone has 1.41 as the ratio of its peak to its root mean square, however loud it is. */
  const speak = async (): Promise<{ seconds: number; crest: number }> => {
    const listed = (await (await service.request(PATHS.voices)).json()) as { voices: Voice[] };
    const own = listed.voices.find(({ description }) => description.includes('tts-1'));
    const reply = await service.postJson(PATHS.tts, {
      voice_id: own?.id,
      text: 'x',
      format: 'pcm',
    });
    const bytes = Buffer.from(await reply.arrayBuffer());
    let peak = 0;
    let squares = 0;
    for (let at = 0; at < bytes.length; at += 2) {
      const sample = bytes.readInt16LE(at) / 32_768;
      peak = Math.max(peak, Math.abs(sample));
      squares += sample ** 2;
    }
    const crest = peak / Math.sqrt((2 * squares) / bytes.length);
    return { seconds: bytes.length / 48_000, crest };
  };
  const restart = async (options: FakeOpenaiOptions): Promise<void> => {
    await service[Symbol.asyncDispose]();
    await openai[Symbol.asyncDispose]();
    await start(options);
  };

  it.each(AUDIO_FORMATS)(
    'is read as the %s that it is, although samples were asked for',
    async (is) => {
      await restart({ speech: { pcm: await file(is) }, speechType: `audio/${is}` });
      const { seconds, crest } = await speak();
      expect(seconds).toBeGreaterThan(0.98);
      expect(seconds).toBeLessThan(1.08);
      expect(crest).toBeGreaterThan(1.35);
      expect(crest).toBeLessThan(1.5);
    },
  );

  it('is read by its bytes where the media type says nothing or something wrong', async () => {
    await restart({ speech: { pcm: await file('wav') }, speechType: 'audio/pcm' });
    expect((await speak()).seconds).toBeCloseTo(1, 2);
  });

  it('is read at the rate that the media type names', async () => {
    const speech = { pcm: await file('pcm') };
    await restart({ speech, speechType: 'audio/pcm;rate=48000;channels=2' });
    expect((await speak()).seconds).toBeCloseTo(0.25, 2);
  });

  it('is asked for as WAV when it is no file and says that it is no samples', async () => {
    await restart({
      speech: { pcm: Buffer.alloc(20_000, 0x5b), wav: await file('wav') },
      speechType: 'audio/mpeg',
    });
    const { seconds, crest } = await speak();
    expect(seconds).toBeCloseTo(1, 2);
    expect(crest).toBeLessThan(1.5);
  });

  it('explains the service’s error, without secrets and texts', async () => {
    const message = 'Model overloaded by "a private question", key sk-own-0123456789';
    const body = JSON.stringify({ error: { message } });
    openai.fail('/chat/completions', { kind: 'status', status: 503, body });
    const { status, error } = await failure(await service.postJson(PATHS.chat, CHAT));
    expect(status).toBe(502);
    expect(error).toBe('The backend answered 503. It said: Model overloaded by "…", key ….');
    const warnings = lines.filter(({ level }) => level === 40);
    expect(warnings[0]).toMatchObject({
      path: '/chat/completions',
      status: 503,
      said: 'Model overloaded by "…", key …',
      requestId: expect.stringMatching(/^[\w-]{36}$/),
    });
    expect(JSON.stringify(lines)).not.toMatch(/private question|sk-own|svck/);
  });

  it('explains an error that comes within a stream or a whole reply, too', async () => {
    const said = (message: string, code: number): void =>
      openai.fail('/chat/completions', {
        kind: 'events',
        body: `data: ${JSON.stringify({ error: { message, code } })}\n\n`,
      });
    const translate = async (): Promise<string> =>
      (
        await failure(
          await service.translate({
            text: 'a private question',
            source_lang: 'en',
            target_lang: 'ja',
          }),
        )
      ).error;
    said('Model overloaded by "a private question", key sk-own-0123456789', 503);
    expect(await translate()).toBe(
      'The backend broke off. It said: Model overloaded by "…", key ….',
    );
    expect(lines.find(({ level }) => level === 40)).toMatchObject({
      path: '/chat/completions',
      status: 200,
      said: 'Model overloaded by "…", key …',
      requestId: expect.stringMatching(/^[\w-]{36}$/),
    });
    said('Incorrect API key provided: own wxyz.', 401);
    expect(await translate()).toBe('The backend broke off.');
    openai.fail('/chat/completions', { kind: 'json', value: { error: 'No model is loaded' } });
    expect(await translate()).toBe('The backend broke off. It said: No model is loaded.');
    openai.fail('/chat/completions', { kind: 'json', value: null });
    expect(await translate()).toBe('The backend did not answer with a chat completion.');
    openai.fail('/chat/completions', { kind: 'events', body: 'data: null\n\n' });
    expect(await translate()).toBe('The backend did not answer with a chat completion.');
    expect(JSON.stringify(lines)).not.toMatch(/private question|sk-own|wxyz/);
  });

  it.each([401, 403])('keeps the words of a refused key to itself (%i)', async (status) => {
    const body = '{"error":{"message":"Incorrect API key provided: own wxyz."}}';
    openai.fail('/chat/completions', { kind: 'status', status, body });
    const { error } = await failure(await service.postJson(PATHS.chat, CHAT));
    expect(error).toBe(
      `The backend refused the service's key (${status}): see SERVICE_OPENAI_KEY.`,
    );
    expect(lines.find(({ level }) => level === 40)).toMatchObject({ status, said: '' });
    expect(JSON.stringify(lines)).not.toContain('wxyz');
  });

  it.each([
    ['in its header', { retryAfter: '3' }, '3', 'Retry after 3s'],
    [
      'in its text',
      { body: '{"error":"Too many requests. Retry after 1.72s"}' },
      '2',
      'Retry after 1.72s',
    ],
  ])('says %s how long to wait, which clients are told', async (_, given, header, words) => {
    openai.fail('/chat/completions', { kind: 'status', status: 429, ...given });
    const reply = await service.postJson(PATHS.chat, CHAT);
    expect(reply.headers.get('retry-after')).toBe(header);
    const { status, error } = await failure(reply);
    expect(status).toBe(429);
    expect(error).toContain(words);
  });

  it('does not carry the service’s key to clients of recognition', async () => {
    const body = '{"error":{"message":"key sk-own-0123456789 is over its limit"}}';
    openai.fail('/audio/transcriptions', { kind: 'status', status: 402, body });
    const wav = await file('wav');
    const reply = await service.postJson(PATHS.asr, { audio: wav.toString('base64') });
    expect(reply.status).toBe(402);
    expect(await reply.text()).toBe('{"error":{"message":"key … is over its limit"}}');
  });

  it('comes with the request’s id, which is the client’s or a new one', async () => {
    const headers = { 'x-request-id': 'client-7.a:b' };
    const body = JSON.stringify(CHAT);
    const known = await service.request(PATHS.chat, { method: 'POST', headers, body });
    expect(known.headers.get('x-request-id')).toBe('client-7.a:b');
    await known.text();
    expect(openai.requests.at(-1)?.requestId).toBe('client-7.a:b');
    const bad = { 'x-request-id': 'a b\tc' };
    const other = await service.request(PATHS.chat, { method: 'POST', headers: bad, body });
    await other.text();
    const made = other.headers.get('x-request-id');
    expect(made).toMatch(/^[\da-f-]{36}$/);
    expect(openai.requests.at(-1)?.requestId).toBe(made);
    const refused = await service.request('/nowhere', { key: null });
    expect(refused.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
  });

  it('is logged with a line for each request, without text', async () => {
    await (await service.postJson(PATHS.chat, CHAT)).text();
    await (await service.request('/nowhere?text=private', { key: null })).text();
    const requests = (): Record<string, unknown>[] => lines.filter(({ msg }) => msg === 'request');
    await expect.poll(() => requests().length).toBe(2);
    expect(requests()).toMatchObject([
      {
        level: 30,
        method: 'POST',
        path: PATHS.chat,
        status: 200,
        ms: expect.any(Number),
        by: expect.stringMatching(/^[\da-f]{8}$/),
        requestId: expect.any(String),
      },
      { method: 'GET', path: '/nowhere', status: 401 },
    ]);
    expect(JSON.stringify(lines)).not.toContain('private');
    expect(JSON.stringify(lines)).not.toContain(KEY.slice(5));
  });
});
