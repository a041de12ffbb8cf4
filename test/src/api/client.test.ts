import { describe, expect, it } from 'vitest';
import type { TokenMeanings } from '../../../src/text/protect/meanings.ts';
import { EXTRA_FIELDS, SERVICE_LIMITS, PATHS } from '../../../src/api/contract.ts';
import { AUDIO_FORMATS } from '../../../src/model/message.ts';
import { CHARACTER_SECONDS, VOICE } from '../../fakes/speech.ts';
import { statesOf, bytesOf, secondsOf, source, JAPANESE, freshClient } from './client-support.ts';
import { ASKER } from '../../fakes/asker.ts';

const { fake, client } = freshClient();
const signal = new AbortController().signal;

describe('translation', () => {
  it('comes as one reply', async () => {
    expect(await client.translate({ ...JAPANESE, text: 'hello' }, { ...ASKER, signal })).toBe(
      'ja:hello',
    );
  });

  it('grows when streamed, with characters cut between chunks put together', async () => {
    fake.translate = () => 'こんにちは 世界 👩‍👩‍👧';
    const { seen, result } = await statesOf(
      client.translateStream({ ...JAPANESE, text: 'hello world' }, { ...ASKER, signal }),
    );
    expect(seen).toEqual(['こんにちは ', 'こんにちは 世界 ', 'こんにちは 世界 👩‍👩‍👧']);
    expect(result).toBe('こんにちは 世界 👩‍👩‍👧');
  });

  it('tells which model translated, in one reply and as it comes', async () => {
    fake.translate = (text) => text;
    const models: string[] = [];
    const input = { ...JAPANESE, text: 'hello', onModel: (model: string) => models.push(model) };
    await client.translate(input, { ...ASKER, signal });
    await statesOf(client.translateStream(input, { ...ASKER, signal }));
    expect(models).toEqual(['backend-model', 'backend-model']);
  });

  it('tells the model once, and no name that is too long to be one', async () => {
    const models: string[] = [];
    const input = { ...JAPANESE, text: 'hello', onModel: (model: string) => models.push(model) };
    const streamOf = (...names: readonly string[]) => ({
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      body: `${names
        .map((model) => ({ model, choices: [{ index: 0, delta: { content: 'a' } }] }))
        .map((event) => `data: ${JSON.stringify(event)}\n\n`)
        .join('')}data: [DONE]\n\n`,
    });
    fake.fail(
      PATHS.translate,
      streamOf('', 'small', 'small', 'other'),
      streamOf('x'.repeat(100_000)),
    );
    for (const _ of [1, 2]) await statesOf(client.translateStream(input, { ...ASKER, signal }));
    expect(models).toEqual(['small']);
  });

  it('of a text over the limit is asked for in parts and joined', async () => {
    fake.translate = (text) => text;
    const text = `${'All work and no play. '.repeat(500)}End.`;
    expect(await client.translate({ ...JAPANESE, text }, { ...ASKER, signal })).toBe(text);
    const { result } = await statesOf(
      client.translateStream({ ...JAPANESE, text }, { ...ASKER, signal }),
    );
    expect(result).toBe(text);
    expect(fake.seen.length).toBeGreaterThanOrEqual(4);
  });

  it.each(['', ' \n\u200b '])(
    'is an error where the reply to a part is blank: %j',
    async (blank) => {
      fake.translate = (text) => (text.includes('End.') ? blank : 'a part');
      const text = `${'All work and no play. '.repeat(500)}End.`;
      const input = { ...JAPANESE, text };
      const error = { code: 'bad-reply', retryable: false };
      await expect(client.translate(input, { ...ASKER, signal })).rejects.toMatchObject(error);
      await expect(
        statesOf(client.translateStream(input, { ...ASKER, signal })),
      ).rejects.toMatchObject(error);
    },
  );

  it('never sends more glossary or context than the contract takes', async () => {
    const keywords = [
      'x'.repeat(SERVICE_LIMITS.keywordBytes + 1),
      ...Array.from({ length: 40 }, (_, index) => `term ${index}`),
      '  ',
    ];
    const context = '文'.repeat(SERVICE_LIMITS.contextCodePoints + 500) + 'newest';
    const text = keywords.slice(1).join(', ');
    await client.translate({ ...JAPANESE, text, keywords, context }, { ...ASKER, signal });
    const form = fake.seen[0]?.form ?? [];
    const sent = form.filter(([name]) => name === 'keywords').map(([, term]) => term);
    expect(sent).toEqual(keywords.slice(1, 1 + SERVICE_LIMITS.keywords));
    expect(form.find(([name]) => name === 'context')?.[1]).toMatch(/newest$/);
  });

  it('sends with each part of a text the keywords that occur in it', async () => {
    const keywords = Array.from({ length: 30 }, (_, index) => `term${index}`);
    const half = (terms: readonly string[]): string =>
      terms.map((term) => `See ${term}. `).join('');
    const filler = 'All work and no play. '.repeat(
      Math.ceil(SERVICE_LIMITS.translateTextCodePoints / 22),
    );
    const text = half(keywords.slice(0, 15)) + filler + half(keywords.slice(15));
    await client.translate({ ...JAPANESE, text, keywords }, { ...ASKER, signal });
    const sent = fake.seen.map(({ form }) =>
      (form ?? []).filter(([name]) => name === 'keywords').map(([, term]) => term),
    );
    expect(sent[0]).toEqual(keywords.slice(0, 15));
    expect(sent.at(-1)).toEqual(keywords.slice(15));
  });

  it('tells what tokens stand for to a service that has said it understands it, of each part its own', async () => {
    fake.translate = (text) => text;
    const tokens = (): TokenMeanings => new Map([1, 2].map((number) => [number, { word: 'Ana' }]));
    const text = `⟦1⟧ ${'All work and no play. '.repeat(500)}⟦2⟧`;
    const tokensSent = async (): Promise<readonly (string | undefined)[]> => {
      const from = fake.seen.length;
      await client.translate({ ...JAPANESE, text, tokens }, { ...ASKER, signal });
      return fake.seen.slice(from).map(({ form }) => form.find(([name]) => name === 'tokens')?.[1]);
    };
    expect(await tokensSent()).toEqual([undefined, undefined]);
    fake.extraFields = [EXTRA_FIELDS.translateTokens];
    await client.translate({ ...JAPANESE, text: 'hello' }, { ...ASKER, signal });
    expect(await tokensSent()).toEqual(['{"1":{"word":"Ana"}}', '{"2":{"word":"Ana"}}']);
    fake.extraFields = [];
    await client.translate({ ...JAPANESE, text: 'hello' }, { ...ASKER, signal });
    expect(await tokensSent()).toEqual([undefined, undefined]);
  });

  it('tells how people are addressed to a service that understands it, and to no other', async () => {
    const input = { ...JAPANESE, text: 'hello', formality: 'formal' } as const;
    const sent = async () => {
      await client.translate(input, { ...ASKER, signal });
      return fake.seen.at(-1)?.form.find(([name]) => name === 'formality')?.[1];
    };
    expect(await sent()).toBeUndefined();
    fake.extraFields = [EXTRA_FIELDS.translateFormality];
    await sent();
    expect(await sent()).toBe('formal');
  });

  it('that breaks in the middle of a stream is asked for again', async () => {
    fake.fail(PATHS.translate, { cutAfter: 400 });
    fake.translate = () => 'one two three four five six seven eight nine ten';
    const { result } = await statesOf(
      client.translateStream({ ...JAPANESE, text: 'numbers' }, { ...ASKER, signal }),
    );
    expect(result).toBe('one two three four five six seven eight nine ten');
    expect(fake.seen).toHaveLength(2);
  });
});

describe('speech', () => {
  const request = { voice_id: VOICE.id, format: 'pcm' } as const;
  const BYTES_PER_CHARACTER = CHARACTER_SECONDS * 24_000 * 2;
  /** Samples of each character of a long text; few, so that encoding is quick. */
  const CHARACTER_SAMPLES = 48;

  it('comes as the bytes of the file', async () => {
    const chunks = await client.speak({ ...request, text: 'Hello.' }, { ...ASKER, signal });
    expect((await bytesOf(chunks)).length).toBe(6 * BYTES_PER_CHARACTER);
  });

  it.each(AUDIO_FORMATS)(
    'of a text over the limit is made in parts and joined to one %s file',
    async (format) => {
      fake.sound = async function* sound(spoken) {
        yield new Float32Array(spoken.length * CHARACTER_SAMPLES);
      };
      const text = 'A sentence that is spoken. '.repeat(190).trim();
      const bytes = await bytesOf(
        await client.speak({ ...request, format, text }, { ...ASKER, signal }),
      );
      expect(fake.seen).toHaveLength(2);
      const seconds = format === 'pcm' ? bytes.length / 48_000 : await secondsOf(source(bytes));
      expect(seconds).toBeCloseTo((text.length * CHARACTER_SAMPLES) / 24_000, 0);
    },
  );

  it('is asked for again when a later part fails, also by those who knew another way', async () => {
    fake.sound = async function* sound() {
      yield new Float32Array(24_000);
    };
    const text = 'A sentence that is spoken. '.repeat(190).trim();
    const chunks = await client.speak(
      { ...request, text },
      { ...ASKER, signal, hasFallback: true },
    );
    fake.fail(PATHS.tts, { status: 503 });
    await bytesOf(chunks);
    expect(fake.seen).toHaveLength(3);
  });

  it('of another type than was asked for is not believed', async () => {
    fake.fail(PATHS.tts, { status: 200, body: 'RIFF', headers: { 'content-type': 'audio/wav' } });
    const wrong = client.speak({ ...request, format: 'mp3', text: 'a' }, { ...ASKER, signal });
    await expect(wrong).rejects.toMatchObject({ code: 'bad-reply' });
  });

  it('that is cut by the deadline says so', async () => {
    fake.fail(PATHS.tts, { cutAfter: 2_000, stall: true });
    const chunks = await client.speak(
      { ...request, text: 'Hello.' },
      { ...ASKER, signal, deadlineMs: 300 },
    );
    await expect(bytesOf(chunks)).rejects.toMatchObject({ code: 'timeout' });
  });

  it('is asked for with the ID of a voice as it is listed', async () => {
    const voice_id = 'Adam (00000000-0000-0000-0000-00000000000a)';
    fake.fail(PATHS.tts, { status: 200, body: 'ab', headers: { 'content-type': 'audio/pcm' } });
    await client.speak({ ...request, voice_id, text: 'a' }, { ...ASKER, signal });
    expect(fake.seen[0]).toMatchObject({ json: { voice_id } });
  });

  it('that is empty is no success: it is asked for again, and then fails', async () => {
    const empty = { status: 200, body: '', headers: { 'content-type': 'audio/mpeg' } };
    const speak = () =>
      client.speak({ ...request, format: 'mp3', text: 'a' }, { ...ASKER, signal });
    fake.fail(PATHS.tts, empty);
    expect((await bytesOf(await speak())).length).toBeGreaterThan(0);
    for (let at = 0; at < 4; at += 1) fake.fail(PATHS.tts, empty);
    await expect(speak()).rejects.toMatchObject({ code: 'bad-reply' });
  });

  it('is asked for only with what the contract knows', async () => {
    const wrong = client.speak({ ...request, sample_rate: -1, text: 'a' }, { ...ASKER, signal });
    await expect(wrong).rejects.toMatchObject({ code: 'bad-input' });
    expect(fake.seen).toHaveLength(0);
  });

  it('lists the voices, also when they come as a bare array', async () => {
    expect(await client.voices({ ...ASKER, signal })).toEqual([VOICE]);
    fake.fail(PATHS.voices, { status: 200, body: JSON.stringify([{ ...VOICE, name: 'extra' }]) });
    expect(await client.voices({ ...ASKER, signal })).toEqual([VOICE]);
  });

  it('lists the good voices when an odd one is among them', async () => {
    const body = JSON.stringify({ voices: [{ ...VOICE, id: null }, VOICE] });
    fake.fail(PATHS.voices, { status: 200, body });
    expect(await client.voices({ ...ASKER, signal })).toEqual([VOICE]);
  });
});

describe('recognition', () => {
  const audio = Buffer.from(Array.from({ length: 100_001 }, (_, index) => index % 251));
  audio.write('RIFF....WAVE');

  it.each([audio.length, undefined])('uploads the very bytes (size given: %s)', async (size) => {
    const reply = await client.transcribe(
      source(audio, size),
      { language: 'en', hotwords: ['Dragoman', '"quoted"'], vad: 'on' },
      { ...ASKER, signal },
    );
    expect(reply).toEqual({ text: 'hello there', language: 'en', confidence: 0.9 });
    const json = fake.seen[0]?.json ?? {};
    expect(Buffer.from(String(json['audio']), 'base64').equals(audio)).toBe(true);
    expect(json).toMatchObject({ language: 'en', hotwords: ['Dragoman', '"quoted"'], vad: 'on' });
  });

  it('is asked for the times of words where it has said that it knows them', async () => {
    const wordsAsked = async (): Promise<unknown> => {
      await client.transcribe(source(audio), { words: true }, { ...ASKER, signal });
      return fake.seen.at(-1)?.json['words'];
    };
    expect(await wordsAsked()).toBeUndefined();
    fake.extraFields = [EXTRA_FIELDS.asrWords];
    await wordsAsked();
    expect(await wordsAsked()).toBe(true);
  });

  it('gives timestamped segments', async () => {
    const reply = await client.transcribeSegments(
      source(audio),
      { segment_padding: 50 },
      { ...ASKER, signal },
    );
    expect(reply.segments).toEqual([{ start: 0, end: 1, text: 'hello there' }]);
  });

  it('refuses parameters outside the contract before sending them', async () => {
    const wrong = client.transcribeSegments(
      source(audio),
      { segment_padding: 5_001 },
      { ...ASKER, signal },
    );
    await expect(wrong).rejects.toMatchObject({ code: 'bad-input' });
    expect(fake.seen).toHaveLength(0);
  });

  it.each([
    [
      'cannot be read',
      {
        ...source(audio),
        async *open() {
          throw new Error('ENOENT');
        },
      },
    ],
    ['is longer than it said', source(audio, 50)],
    ['is shorter than it said', source(audio, audio.length + 50)],
  ])('does not blame the service for audio that %s', async (_, broken) => {
    await expect(client.transcribe(broken, {}, { ...ASKER, signal })).rejects.toMatchObject({
      code: 'not-found',
      sentence: { key: 'speech.audio-gone' },
    });
    expect(fake.seen).toHaveLength(0);
  });

  it('reads the audio again for another try', async () => {
    fake.fail(PATHS.asr, { status: 503 }, { reset: true });
    const reply = await client.transcribe(source(audio), {}, { ...ASKER, signal });
    expect(reply.text).toBe('hello there');
    const json = fake.seen.at(-1)?.json ?? {};
    expect(Buffer.from(String(json['audio']), 'base64').equals(audio)).toBe(true);
  });
});

describe('chat', () => {
  const messages = [{ role: 'user', content: 'why?' }] as const;

  it('answers in one piece and streamed', async () => {
    const reply = await client.chat({ messages: [...messages] }, { ...ASKER, signal });
    expect(reply.choices[0]?.message.content).toBe('You asked: why?');
    const { result } = await statesOf(
      client.chatStream({ messages: [...messages] }, { ...ASKER, signal }),
    );
    expect(result).toBe('You asked: why?');
  });

  const ask = async () =>
    statesOf(client.chatStream({ messages: [...messages] }, { ...ASKER, signal }));
  const asksUsage = () =>
    fake.seen
      .filter(({ path }) => path === PATHS.chat)
      .map(({ json }) => json['stream_options'] !== undefined);

  it.each([400, 422])('asks for no usage where a strict service refuses it: %i', async (status) => {
    fake.fail(PATHS.chat, { status });
    expect((await ask()).result).toBe('You asked: why?');
    await ask();
    expect(asksUsage()).toEqual([true, false, false]);
  });

  it('repeats no other refusal once the service has told its usage', async () => {
    await ask();
    fake.fail(PATHS.chat, { status: 400 });
    await expect(ask()).rejects.toMatchObject({ code: 'bad-input' });
    expect(asksUsage()).toEqual([true, true]);
  });

  it('asks for usage again after a refusal that had another cause', async () => {
    fake.fail(PATHS.chat, { status: 400 }, { status: 400 });
    await expect(ask()).rejects.toMatchObject({ code: 'bad-input' });
    await ask();
    expect(asksUsage()).toEqual([true, false, true]);
  });
});
