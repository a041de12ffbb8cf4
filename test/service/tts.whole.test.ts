import { beforeAll, describe, expect, it } from 'vitest';
import { MEDIA_TYPES, PATHS, voice, type Voice } from '../../src/api/contract.ts';
import { decode } from '../../src/audio/codec/decode.ts';
import { AUDIO_FORMATS } from '../../src/model/message.ts';
import { failure, startTestService } from './support.ts';
import { shared } from '../fakes/opened.ts';

const TEXT = 'Hello world. This is a second sentence.';

/** The library's sound differs by some samples from call to call. */
const expectSameLength = async (a: Response, b: Response): Promise<void> => {
  const [one, other] = await Promise.all([a.arrayBuffer(), b.arrayBuffer()]);
  expect(Math.abs(one.byteLength - other.byteLength) / other.byteLength).toBeLessThan(0.02);
};

describe('speech over HTTP with espeak-ng', () => {
  let english: Voice;
  const tts = (fields: Record<string, unknown>): Promise<Response> =>
    service.postJson(PATHS.tts, {
      voice_id: english.id,
      text: TEXT,
      format: 'pcm',
      ...fields,
    });

  const sizeOf = async (text: string): Promise<number> =>
    (await (await tts({ text })).arrayBuffer()).byteLength;

  const service = shared(() => startTestService());
  beforeAll(async () => {
    const reply = await service.request(PATHS.voices);
    const { voices } = (await reply.json()) as { voices: Voice[] };
    const found = voices.find(({ language }) => language === 'English (America), en-US');
    english = voice.parse(found);
  });

  it('lists voices of both genders whose ids never change', async () => {
    const body = (await (await service.request(PATHS.voices)).json()) as { voices: Voice[] };
    const { voices, ...others } = body;
    expect(others).toEqual({});
    expect(new Set(voices.map(({ gender }) => gender))).toEqual(new Set(['Male', 'Female']));
    expect(english.id).toBe('ace24da9-a3bf-872b-8f4a-2eb529f3b66a');
  });

  it.each(AUDIO_FORMATS)('makes %s with its media type', async (format) => {
    const reply = await tts({ format });
    expect(reply.status).toBe(200);
    expect(reply.headers.get('content-type')).toBe(MEDIA_TYPES[format]);
    const bytes = new Uint8Array(await reply.arrayBuffer());
    expect(Number(reply.headers.get('content-length'))).toBe(bytes.length);
    if (format === 'pcm') {
      expect(bytes.length / 48_000).toBeGreaterThan(1);
      return;
    }
    const source = {
      sizeBytes: bytes.length,
      open: async function* () {
        yield bytes;
      },
    };
    let seconds = 0;
    for await (const { samples, sampleRateHz } of decode(source, new AbortController().signal))
      seconds += samples.length / sampleRateHz;
    expect(seconds).toBeGreaterThan(1);
    expect(seconds).toBeLessThan(6);
  });

  it.each(['mp3', 'ogg', 'pcm'])('streams %s in chunks, as much as whole', async (format) => {
    const streamed = await tts({ format, stream: true });
    expect(streamed.headers.get('transfer-encoding')).toBe('chunked');
    await expectSameLength(streamed, await tts({ format }));
  });

  it('speaks as fast as it is asked to, with pauses to match', async () => {
    const [slow, usual, fast] = await Promise.all(
      [0.5, 1, 2].map(async (speed) => (await (await tts({ speed })).arrayBuffer()).byteLength),
    );
    expect(slow! / usual!).toBeGreaterThan(1.5);
    expect(fast! / usual!).toBeLessThan(0.7);
    for (const fields of [{ speed: 0.4 }, { speed: 2.1 }, { speed: '1' }, { rate: 1 }])
      expect(await failure(await tts(fields))).toMatchObject({ status: 400 });
  });

  it.each(['wav', 'flac'])('refuses to stream %s although the voice streams', async (format) => {
    expect(english.streaming).toBe(true);
    expect(await failure(await tts({ format, stream: true }))).toMatchObject({
      status: 400,
      name: 'ErrStreamingNotSupported',
      context: ['tts'],
    });
  });

  it.each([8_000, 16_000, 48_000])('resamples to %i Hz', async (rate) => {
    const reply = await tts({ sample_rate: rate });
    const wanted = (await (await tts({})).arrayBuffer()).byteLength * (rate / 24_000);
    const { byteLength } = await reply.arrayBuffer();
    expect(Math.abs(byteLength - wanted) / wanted).toBeLessThan(0.02);
  });

  it('takes a sample rate of 0 as 24,000 Hz', async () => {
    await expectSameLength(await tts({ sample_rate: 0 }), await tts({}));
  });

  it.each([
    ['an unsupported sample rate', { sample_rate: 11_025 }, 'ErrUnsupportedSampleRate'],
    ['a negative sample rate', { sample_rate: -1 }, 'ErrInvalidParameter'],
    ['no voice', { voice_id: undefined }, 'ErrInvalidParameter'],
    ['a voice that is no UUID', { voice_id: 'alloy' }, 'ErrVoiceNotFound'],
    ['an unknown voice', { voice_id: '00000000-0000-4000-8000-000000000000' }, 'ErrVoiceNotFound'],
    ['no text', { text: undefined }, 'ErrInvalidParameter'],
    ['an empty text', { text: '' }, 'ErrInvalidParameter'],
    ['a blank text', { text: ' \n\u200b' }, 'ErrInvalidParameter'],
    ['a text that is too long', { text: 'x'.repeat(5_001) }, 'ErrTextTooLong'],
    ['no format', { format: undefined }, 'ErrInvalidParameter'],
    ['an unknown format', { format: 'aac' }, 'ErrInvalidParameter'],
    ['a stream that is no boolean', { stream: 'true' }, 'ErrInvalidParameter'],
    ['a temperature that is no number', { temperature: 'hot' }, 'ErrInvalidParameter'],
  ])('answers 400 for %s', async (_, fields, name) => {
    expect(await failure(await tts(fields))).toMatchObject({ status: 400, name });
  });

  it.each(['{', '[]', 'null', '"text"'])('answers 400 for the body %s', async (body) => {
    expect((await service.postJson(PATHS.tts, body)).status).toBe(400);
  });

  it('counts characters, not UTF-16 units', async () => {
    const reply = await tts({ text: `${'😀'.repeat(4_999)}.`, stream: true });
    expect(reply.status).toBe(200);
    await reply.body?.cancel();
  });

  it('ignores fields that it does not know', async () => {
    expect((await tts({ emotion: 'happy', temperature: 0.7 })).status).toBe(200);
  });

  it('speaks markup, phonemes and control characters as text', async () => {
    // Read as SSML, the tag would be silent; a NUL would end the text.
    expect(await sizeOf('one <break time="9s"/> two')).toBeGreaterThan(await sizeOf('one two'));
    expect(await sizeOf('one\0two three four')).toBeGreaterThan(await sizeOf('one'));
  });

  it('goes on for others when a client leaves in the middle', async () => {
    const leaving = new AbortController();
    const body = {
      voice_id: english.id,
      text: `${TEXT} `.repeat(100),
      format: 'pcm',
      stream: true,
    };
    const reply = await service.postJson(PATHS.tts, body, leaving.signal);
    await reply.body?.getReader().read();
    leaving.abort();
    const others = await Promise.all(Array.from({ length: 6 }, () => tts({})));
    expect(others.map(({ status }) => status)).toEqual(Array(6).fill(200));
  });
});
