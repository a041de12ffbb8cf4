import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { asrSegmentsReply, PATHS } from '../../src/api/contract.ts';
import type { RecognitionEngine } from '../../service/engine.ts';
import { encode } from '../../src/audio/codec/encode.ts';
import { sniff } from '../../src/audio/container/sniff.ts';
import { fixture } from '../src/audio/support.ts';
import { createRequestLimiter } from '../../service/request-limiter.ts';
import { createAsr } from '../../service/routes/asr.ts';
import { createUploadLimiter } from '../../service/uploads.ts';
import { startFakeOpenai, type FakeOpenai } from '../fakes/openai.ts';
import { failure, KEY, makeWav, startTestService, offering } from './support.ts';
import { shared } from '../fakes/opened.ts';

const TONES = [
  [2, 4],
  [6, 8],
] as const;
const WAV = makeWav(10, TONES);
/** Short enough for one call. */
const WORD = makeWav(2, [[0.5, 1.5]]).toString('base64');

/** Over a minute of silence, in Base64. */
const encodeSilence = async (): Promise<string> => {
  const seconds = (async function* () {
    for (let second = 0; second < 70; second += 1) yield new Float32Array(16_000);
  })();
  const parts = await Array.fromAsync(encode('flac', 16_000, seconds));
  return Buffer.concat(parts).toString('base64');
};

describe('recognition over HTTP', () => {
  const asr = (fields: object): Promise<Response> =>
    service.postJson(PATHS.asr, { audio: WAV.toString('base64'), ...fields });
  const openai = shared(() => startFakeOpenai());
  const service = shared(() => startTestService({ SERVICE_OPENAI_URL: openai.url }));
  const transcriptions = (): FakeOpenai['requests'] =>
    openai.requests.filter(({ path }) => path === '/audio/transcriptions');

  it('gives the sound to the engine in pieces and answers with the plain result', async () => {
    const before = transcriptions().length;
    const reply = await asr({ hotwords: ['Acme', 'Dragoman'], temperature: 0.2, model: 'any' });
    expect(await reply.json()).toEqual({
      text: 'hello there hello there',
      language: 'en',
      confidence: 0.8,
    });
    const pieces = transcriptions().slice(before);
    for (const { body, file } of pieces) {
      expect(file).toMatchObject({ name: 'audio.wav', type: 'audio/wav' });
      expect(body).toEqual({
        model: 'whisper-1',
        response_format: 'verbose_json',
        temperature: '0.2',
        prompt: 'Acme, Dragoman.',
      });
    }
    const bytes = pieces.map(({ file }) => file!.bytes.length - 44);
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBe(WAV.length - 44);
  });

  it('says the language that the client gave', async () => {
    const heard = await (await asr({ language: 'ja' })).json();
    expect(heard).toMatchObject({ language: 'ja', requested_language: 'ja' });
    expect(transcriptions().at(-1)?.body?.['language']).toBe('ja');
  });

  it.each([
    [0, 10],
    ['off', 10],
    [1, 5],
    ['on', 5],
  ])('hears with vad %s %i of 10 s, of which 4 are speech', async (vad, seconds) => {
    const before = transcriptions().length;
    const body = await (await asr({ vad })).json();
    expect(body).toMatchObject({ text: 'hello there hello there', language: 'en' });
    const bytes = transcriptions()
      .slice(before)
      .reduce((sum, { file }) => sum + file!.bytes.length - 44, 0);
    expect(Math.round(bytes / 32_000)).toBe(seconds);
  });

  it('answers segments with the times of the speech', async () => {
    const reply = await asr({
      vad: 'segments',
      min_silence_gap: 500,
      segment_padding: 100,
      initial_segment_padding_ms: 1_000,
      speech_pad_ms: 200,
      min_segment_duration: 0.5,
    });
    const body: unknown = await reply.json();
    expect(asrSegmentsReply.strict().parse(body)).toEqual(body);
    const { segments } = asrSegmentsReply.parse(body);
    expect(segments.map(({ text }) => text)).toEqual(['hello there', 'hello there']);
    expect(segments[0]?.start).toBeCloseTo(0.8, 1);
    expect(segments[0]?.end).toBeCloseTo(4.3, 1);
    expect(segments[1]?.start).toBeCloseTo(5.7, 1);
    expect(segments[1]?.end).toBeCloseTo(8.3, 1);
    const [first, second] = transcriptions().slice(-2);
    expect((first!.file!.bytes.length - 44) / 32_000).toBeCloseTo(3.5, 1);
    expect((second!.file!.bytes.length - 44) / 32_000).toBeCloseTo(2.6, 1);
  });

  it('merges across a gap that is shorter than asked for', async () => {
    const reply = await asr({ vad: 'segments', min_silence_gap: 2_500 });
    expect(asrSegmentsReply.parse(await reply.json()).segments).toHaveLength(1);
  });

  it('finds nothing in silence and asks nobody', async () => {
    const before = transcriptions().length;
    const audio = makeWav(3).toString('base64');
    expect(await (await asr({ vad: 'segments', audio })).json()).toMatchObject({ segments: [] });
    expect(await (await asr({ vad: 'on', audio })).json()).toMatchObject({ text: '' });
    expect(transcriptions().length).toBe(before);
  });

  const silence = encodeSilence();
  it.each(['off', 'on', 'segments'])(
    'asks nobody about a long silence with vad %s',
    async (vad) => {
      const before = transcriptions().length;
      const reply = await asr({ vad, audio: await silence, language: 'ja' });
      expect(await reply.json()).toMatchObject({
        language: 'ja',
        ...(vad === 'segments' ? { segments: [] } : { text: '' }),
      });
      expect(transcriptions().length).toBe(before);
    },
  );

  it.each(['adpcm.wav', 'alaw.wav'])(
    'reads %s itself, which not every engine can',
    async (name) => {
      const audio = fixture(name);
      const reply = await asr({ audio: Buffer.from(audio).toString('base64') });
      expect(await reply.json()).toMatchObject({ text: 'hello there' });
      const sent = transcriptions().at(-1)!.file!.bytes;
      expect(sniff(sent)).toBe('wav');
      expect(sent.length).toBeGreaterThan(2 * 16_000);
    },
  );

  it('names what it cannot read', async () => {
    const audio = Buffer.from(fixture('speex.ogg')).toString('base64');
    expect(await failure(await asr({ audio }))).toMatchObject({
      status: 400,
      error: 'audio cannot be read: Ogg Speex is not supported.',
    });
  });

  it.each([
    ['no audio', { audio: undefined }, 'ErrInvalidParameter'],
    ['audio that is no string', { audio: 7 }, 'ErrInvalidParameter'],
    ['empty audio', { audio: '' }, 'ErrInvalidAudio'],
    ['audio that is no base64', { audio: 'data:audio/wav;base64,AAAA' }, 'ErrInvalidAudio'],
    ['audio of no known format', { audio: 'AAAAAAAAAAAAAAAA' }, 'ErrInvalidAudio'],
    [
      'WebM',
      { audio: Buffer.from([0x1a, 0x45, 0xdf, 0xa3, 0, 0, 0, 0]).toString('base64') },
      'ErrInvalidAudio',
    ],
    ['an unknown language', { language: 'klingonese' }, 'ErrInvalidParameter'],
    ['another value of vad', { vad: 'yes' }, 'ErrInvalidParameter'],
    ['vad_filter', { vad_filter: true }, 'ErrInvalidParameter'],
    ['audio and messages', { messages: [] }, 'ErrInvalidParameter'],
    ['hotwords that are no array', { hotwords: 'Acme' }, 'ErrInvalidParameter'],
    ['a temperature that is text', { temperature: '0' }, 'ErrInvalidParameter'],
    ['a padding over 5000 ms', { vad: 'segments', segment_padding: 5_001 }, 'ErrInvalidParameter'],
    [
      'a negative pre-roll',
      { vad: 'segments', initial_segment_padding_ms: -1 },
      'ErrInvalidParameter',
    ],
  ])('answers 400 for %s', async (_, fields, name) => {
    expect(await failure(await asr(fields))).toMatchObject({ status: 400, name });
  });

  it('answers 400 for JSON that is cut', async () => {
    const reply = await service.postJson(PATHS.asr, `{"audio":"${WAV.toString('base64')}`);
    expect(await failure(reply)).toMatchObject({ status: 400, name: 'ErrInvalidRequest' });
  });

  it('answers 400 for audio that cannot be read', async () => {
    const audio = Buffer.concat([WAV.subarray(0, 12), Buffer.from('rubbish')]).toString('base64');
    expect(await failure(await asr({ vad: 'segments', audio }))).toMatchObject({
      status: 400,
      name: 'ErrInvalidAudio',
    });
  });

  it('forwards an error of the engine with its status and body', async () => {
    const body = '{"error":{"message":"audio too short","type":"invalid"}}';
    openai.fail('/audio/transcriptions', { kind: 'status', status: 415, body });
    const reply = await asr({});
    expect(reply.status).toBe(415);
    expect(await reply.text()).toBe(body);
  });

  it('does not pass the refusal of its own key on as the client’s', async () => {
    openai.fail('/audio/transcriptions', { kind: 'status', status: 401 });
    expect(await failure(await asr({}))).toMatchObject({
      status: 502,
      error: expect.stringContaining('SERVICE_OPENAI_KEY'),
    });
  });

  it('answers 502 for HTML', async () => {
    openai.fail('/audio/transcriptions', { kind: 'html' });
    expect(await failure(await asr({}))).toMatchObject({ status: 502, name: 'ErrBackendFailed' });
  });

  it('asks a server without verbose replies for plain ones from then on', async () => {
    await using plain = await startFakeOpenai({ transcript: () => ({ text: 'plain' }) });
    await using own = await startTestService({ SERVICE_OPENAI_URL: plain.url });
    plain.fail('/audio/transcriptions', { kind: 'status', status: 400 });
    const ask = async (): Promise<unknown> =>
      (await own.postJson(PATHS.asr, { audio: WORD })).json();
    expect(await ask()).toEqual({
      text: 'plain',
      language: 'und',
      confidence: 1,
      confidence_known: false,
    });
    await ask();
    const formats = plain.requests
      .filter(({ path }) => path === '/audio/transcriptions')
      .map(({ body }) => body?.['response_format']);
    expect(formats).toEqual(['verbose_json', 'json', 'json']);
  });

  it('is asked verbosely again after a refusal that was about something else', async () => {
    openai.fail('/audio/transcriptions', { kind: 'status', status: 400 });
    openai.fail('/audio/transcriptions', { kind: 'status', status: 400 });
    const before = transcriptions().length;
    expect((await asr({ audio: WORD })).status).toBe(400);
    expect((await asr({ audio: WORD })).status).toBe(200);
    const formats = transcriptions()
      .slice(before)
      .map(({ body }) => body?.['response_format']);
    expect(formats).toEqual(['verbose_json', 'json', 'verbose_json']);
  });

  it('is asked verbosely while it is not known yet whether plain replies work better', async () => {
    openai.fail('/audio/transcriptions', { kind: 'status', status: 400 });
    openai.fail('/audio/transcriptions', { kind: 'silent' });
    const before = transcriptions().length;
    const leaving = new AbortController();
    const first = service.postJson(PATHS.asr, { audio: WORD }, leaving.signal);
    first.catch(() => undefined);
    await expect.poll(() => transcriptions().length).toBe(before + 2);
    expect(await (await asr({ audio: WORD })).json()).toMatchObject({ confidence: 0.8 });
    leaving.abort();
  });

  it('answers others while many have begun to send and do not go on', async () => {
    const { hostname, port } = new URL(service.service.url);
    const sockets = Array.from({ length: 200 }, () => {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => {});
      socket.write(
        `POST ${PATHS.asr} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\nContent-Length: 1000\r\n\r\n{`,
      );
      return socket;
    });
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    expect((await asr({})).status).toBe(200);
    for (const socket of sockets) socket.destroy();
  });

  it('lets go of what a request held, whatever became of it', async () => {
    const route = createAsr(createUploadLimiter({ concurrent: 1, maxBytes: 30_000 }));
    const part: RecognitionEngine = {
      longestMs: 10_000,
      recognise: async () => ({ text: 'hi' }),
    };
    const limiter = createRequestLimiter({ concurrent: 1, waiting: 0 });
    const ask = (audio: Buffer): Promise<Response> =>
      route.handle({
        ...offering('one', part, limiter),
        request: new Request('http://localhost/', {
          method: 'POST',
          body: JSON.stringify({ audio: audio.toString('base64') }),
        }),
      });
    const sound = makeWav(0.5, [[0.1, 0.4]]);
    expect((await ask(sound)).status).toBe(200);
    await expect(ask(Buffer.alloc(16_000))).rejects.toMatchObject({ named: 'ErrInvalidAudio' });
    expect((await ask(sound)).status).toBe(200);
    await expect(ask(makeWav(1))).rejects.toMatchObject({ named: 'ErrRateLimited' });
  });

  it('answers 400 for a body that is too long', async () => {
    const reply = await service.request(PATHS.asr, {
      method: 'POST',
      body: new Uint8Array(40 * 1024 * 1024 + 1),
    });
    expect(await failure(reply)).toMatchObject({ status: 400, name: 'ErrAudioTooLarge' });
  });

  it('aborts the engine when the client leaves', async () => {
    openai.fail('/audio/transcriptions', { kind: 'silent' });
    const before = transcriptions().length;
    const leaving = new AbortController();
    const audio = WAV.toString('base64');
    const reply = service.postJson(PATHS.asr, { audio }, leaving.signal);
    reply.catch(() => undefined);
    await expect.poll(() => transcriptions().length).toBe(before + 1);
    leaving.abort();
    expect(await transcriptions().at(-1)?.aborted).toBe(true);
  });
});
