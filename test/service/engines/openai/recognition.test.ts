import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  RECOGNITION_RATE_HZ,
  type EngineHints,
  type RecognisedText,
} from '../../../../service/engine.ts';
import { createUpstream } from '../../../../service/back-end/http.ts';
import { createRecognition } from '../../../../service/engines/openai/recognition.ts';
import { silentLog } from '../../../fakes/silent-log.ts';
import { startFakeOpenai, type FakeOpenai } from '../../../fakes/openai.ts';

const { signal } = new AbortController();
const SOUND = new Float32Array(RECOGNITION_RATE_HZ);
const REFUSED = { kind: 'status', status: 400 } as const;

describe('a recogniser behind a server with the OpenAI API', () => {
  let server: FakeOpenai;
  let transcript: Record<string, unknown>;
  let upstream: ReturnType<typeof createUpstream>;
  let recognise: (hints?: EngineHints) => Promise<RecognisedText>;
  beforeEach(async () => {
    transcript = { text: 'hi' };
    server = await startFakeOpenai({ transcript: () => transcript });
    upstream = createUpstream({ url: server.url, keyVariable: 'NONE' }, silentLog);
    const engine = createRecognition(upstream, 'whisper-1');
    recognise = async (hints = {}) => engine.recognise(SOUND, hints, signal);
  });
  afterEach(async () => {
    await upstream[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });
  const sent = (): Record<string, unknown> => server.requests.at(-1)?.body ?? {};

  const segment = (seconds: number, more: object) => ({ start: 0, end: seconds, ...more });
  const heard = async (...segments: readonly object[]): Promise<RecognisedText> => {
    transcript = { text: 'hi', segments };
    return recognise();
  };

  it('tells what its segments are said to be, each by its length', async () => {
    const reply = await heard(
      segment(3, { avg_logprob: Math.log(0.8), no_speech_prob: 0.1, compression_ratio: 1.4 }),
      segment(1, { avg_logprob: Math.log(0.4), no_speech_prob: 0.5, compression_ratio: 1.4 }),
    );
    expect(reply.confidence).toBeCloseTo(0.7);
    expect(reply.noSpeech).toBeCloseTo(0.2);
  });

  it('believes nothing of a loop, however certain the recogniser is', async () => {
    const loop = segment(5, { avg_logprob: -0.01, no_speech_prob: 0.1, compression_ratio: 2.5 });
    expect(await heard(loop)).toMatchObject({ confidence: 0, noSpeech: 0.1 });
  });

  it.each<[string, Record<string, unknown>]>([
    ['no segments', {}],
    ['no list of segments', { segments: null }],
    ['segments of another shape', { segments: [{ id: 1 }] }],
    ['segments without numbers', { segments: [segment(1, {})] }],
    ['a segment without', { segments: [segment(1, { avg_logprob: -0.1 }), segment(1, {})] }],
  ])('says nothing of its confidence with %s', async (_, more) => {
    transcript = { text: 'hi', ...more };
    expect(await recognise()).toMatchObject({
      text: 'hi',
      confidence: undefined,
      noSpeech: undefined,
    });
  });

  describe('asked for the times of words', () => {
    const WORDS = [{ word: ' hi', start: 0.1, end: 0.45 }];

    it('asks its server for them, and for its segments', async () => {
      transcript = { text: 'hi', words: WORDS, segments: [segment(1, { avg_logprob: 0 })] };
      const { words, confidence } = await recognise({ words: true });
      expect(words).toEqual([{ text: 'hi', startMs: 100, endMs: 450 }]);
      expect(confidence).toBe(1);
      expect(sent()).toMatchObject({
        response_format: 'verbose_json',
        'timestamp_granularities[]': 'word',
      });
    });

    it.each([
      ['none', undefined],
      ['an empty list', []],
      ['another shape', ['hi']],
    ])('has none where the reply has %s', async (_, words) => {
      transcript = { text: 'hi', words };
      expect(await recognise({ words: true })).toMatchObject({ text: 'hi', words: undefined });
    });

    it('goes on without them where the server refuses the request', async () => {
      server.fail('/audio/transcriptions', REFUSED);
      await recognise({ words: true });
      expect(sent()).toMatchObject({ response_format: 'verbose_json' });
      expect(sent()).not.toHaveProperty('timestamp_granularities[]');
      const before = server.requests.length;
      await recognise({ words: true });
      expect(server.requests).toHaveLength(before + 1);
    });

    it('does not ask for them otherwise', async () => {
      await recognise();
      expect(sent()).not.toHaveProperty('timestamp_granularities[]');
    });
  });

  it('says that hotwords were used where it has sent them', async () => {
    expect(await recognise({ hotwords: ['Acme'] })).toMatchObject({ hotwordsUsed: true });
    expect(await recognise()).toMatchObject({ hotwordsUsed: false });
  });

  it('leaves it to the server to try again at another temperature, unless one is asked for', async () => {
    await recognise({ temperature: 0 });
    expect(sent()).not.toHaveProperty('temperature');
    await recognise({ temperature: 0.4 });
    expect(sent()).toMatchObject({ temperature: '0.4' });
  });

  it.each([
    [['comfyUI', 'alice', 'Bob'], 'ComfyUI, alice, Bob.'],
    [['Acme'], 'Acme.'],
    [['Who is Acme?'], 'Who is Acme?'],
    [['東京。'], '東京。'],
  ])('gets the words to expect as a sentence: %j', async (hotwords, prompt) => {
    await recognise({ hotwords });
    expect(sent()).toMatchObject({ prompt });
  });

  it.each([
    ['fil', 'tl'],
    ['nb', 'no'],
    ['zh-Hant', 'zh'],
    ['en-GB', 'en'],
  ])('is asked for %s as %s', async (language, code) => {
    await recognise({ language });
    expect(sent()).toMatchObject({ language: code });
  });

  it('is asked without a language that it refuses, from then on at once', async () => {
    transcript = { text: 'hi', language: 'english' };
    for (let refusal = 0; refusal < 2; refusal += 1) server.fail('/audio/transcriptions', REFUSED);
    expect(await recognise({ language: 'yo' })).toMatchObject({ language: 'english' });
    expect(sent()).not.toHaveProperty('language');
    const before = server.requests.length;
    await recognise({ language: 'yo' });
    await recognise({ language: 'en' });
    const languages = server.requests.slice(before).map(({ body }) => body?.['language']);
    expect(languages).toEqual([undefined, 'en']);
  });

  it('passes a refusal on that is about something else', async () => {
    for (let refusal = 0; refusal < 4; refusal += 1) server.fail('/audio/transcriptions', REFUSED);
    await expect(recognise({ language: 'en' })).rejects.toMatchObject({ status: 400 });
    await recognise({ language: 'en' });
    expect(sent()).toMatchObject({ language: 'en', response_format: 'verbose_json' });
  });
});
