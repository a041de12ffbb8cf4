import { describe, expect, it } from 'vitest';
import { sniff } from '../../../src/audio/container/sniff.ts';
import type { Voice } from '../../../src/api/contract.ts';
import { startFakeOpenai } from '../../fakes/openai.ts';
import { failure, makeWav, startTestService } from '../support.ts';
import { shared } from '../../fakes/opened.ts';

const SPEECH = '/openai/v1/audio/speech';
const TRANSCRIPTIONS = '/openai/v1/audio/transcriptions';
const TRANSLATIONS = '/openai/v1/audio/translations';
const WAV = makeWav(10, [
  [2, 4],
  [6, 8],
]);

describe('the OpenAI API beside the contract', () => {
  const openai = shared(() =>
    startFakeOpenai({
      models: ['deepseek-r1', 'talk-1', 'whisper-1', 'bge-m3', 'talk-2'],
    }),
  );
  const service = shared(() => startTestService({ SERVICE_OPENAI_URL: openai.url }));

  const speak = (fields: object): Promise<Response> =>
    service.postJson(SPEECH, { model: 'tts-1', input: 'Hello there.', voice: 'alloy', ...fields });
  const transcribe = (
    fields: Readonly<Record<string, string | Blob>>,
    path = TRANSCRIPTIONS,
    at = service,
  ): Promise<Response> => {
    const body = new FormData();
    for (const [name, value] of Object.entries({
      file: new Blob([WAV as Uint8Array<ArrayBuffer>]),
      model: 'whisper-1',
      ...fields,
    }))
      body.append(name, value);
    return at.request(path, { method: 'POST', body });
  };

  it('lists the models that chat, the default one first', async () => {
    const reply = await service.request('/openai/v1/models');
    expect(await reply.json()).toEqual({
      object: 'list',
      data: ['talk-1', 'deepseek-r1', 'talk-2'].map((id) => ({
        id,
        object: 'model',
        created: 0,
        owned_by: 'openai',
      })),
    });
  });

  it('tells one model by its name, and 404 of another', async () => {
    const reply = await service.request('/openai/v1/models/talk-1');
    expect(await reply.json()).toMatchObject({ id: 'talk-1', object: 'model' });
    for (const id of ['none', 'a/b', '%2e', '%zz'])
      expect((await service.request(`/openai/v1/models/${id}`)).status).toBe(404);
  });

  it('makes English of speech in another language; English stays', async () => {
    const spoken = { text: 'El tren sale mañana a las tres de la tarde', language: 'spanish' };
    await using other = await startFakeOpenai({
      models: ['talk-1', 'whisper-1'],
      transcript: () => spoken,
      chat: () => ['The train leaves at three in the afternoon tomorrow'],
    });
    await using own = await startTestService({ SERVICE_OPENAI_URL: other.url });
    const made = await transcribe({ response_format: 'verbose_json' }, TRANSLATIONS, own);
    expect(await made.json()).toMatchObject({
      task: 'translate',
      language: 'en',
      text: expect.stringContaining('The train leaves'),
      segments: [{ text: 'The train leaves at three in the afternoon tomorrow' }, {}],
    });
    const same = await transcribe({ response_format: 'text' }, TRANSLATIONS);
    expect(await same.text()).toBe(await (await transcribe({ response_format: 'text' })).text());
  });

  it('lists no models where nothing chats', async () => {
    await using own = await startTestService();
    const reply = await own.request('/openai/v1/models');
    expect(await reply.json()).toEqual({ object: 'list', data: [] });
  });

  it.each([
    ['mp3', 'mp3', 'audio/mpeg'],
    ['opus', 'ogg-opus', 'audio/ogg'],
    ['flac', 'flac', 'audio/flac'],
    ['wav', 'wav', 'audio/wav'],
  ])('speaks %s', async (format, container, mediaType) => {
    const reply = await speak({ response_format: format });
    expect(reply.headers.get('content-type')).toBe(mediaType);
    expect(sniff(new Uint8Array(await reply.arrayBuffer()))).toBe(container);
  });

  it('speaks MP3 when no format is named, and samples at 24 kHz', async () => {
    expect((await speak({})).headers.get('content-type')).toBe('audio/mpeg');
    const pcm = await (await speak({ response_format: 'pcm' })).arrayBuffer();
    expect(pcm.byteLength / 48_000).toBeGreaterThan(0.5);
  });

  it('takes a voice by id, name, language or well-known name', async () => {
    const listed = await (await service.request('/tts/voices')).json();
    const { voices } = listed as { voices: (Voice & { name: string })[] };
    for (const voice of [
      voices[0]!.id,
      voices[0]!.name,
      'Spanish',
      'ja',
      'nova',
      'nobody at all',
      { id: voices[0]!.id },
    ])
      expect((await speak({ voice })).status).toBe(200);
  });

  it.each([
    ['a language without a voice', { voice: 'Yoruba' }, 'ErrVoiceNotFound'],
    ['no input', { input: undefined }, 'ErrInvalidParameter'],
    ['a blank input', { input: ' ' }, 'ErrInvalidParameter'],
    ['too long an input', { input: 'x'.repeat(5_001) }, 'ErrTextTooLong'],
    ['aac', { response_format: 'aac' }, 'ErrUnsupportedFormat'],
    ['too high a speed', { speed: 3 }, 'ErrInvalidParameter'],
    ['another kind of stream', { stream_format: 'ndjson' }, 'ErrInvalidParameter'],
  ])('answers 400 for %s', async (_, fields, name) => {
    expect(await failure(await speak(fields))).toMatchObject({ status: 400, name });
  });

  it('transcribes as JSON and as text', async () => {
    expect(await (await transcribe({ prompt: 'Acme', language: 'en' })).json()).toEqual({
      text: 'hello there hello there',
    });
    const { body } = openai.requests.at(-1)!;
    expect(body).toMatchObject({ prompt: 'Acme.', language: 'en' });
    const text = await transcribe({ response_format: 'text' });
    expect(text.headers.get('content-type')).toMatch(/^text\/plain/);
    expect(await text.text()).toBe('hello there hello there\n');
  });

  it('transcribes with segments', async () => {
    const reply = await transcribe({
      response_format: 'verbose_json',
      'timestamp_granularities[]': 'segment',
      language: 'en',
    });
    const body = (await reply.json()) as { segments: { start: number }[] };
    expect(body).toMatchObject({
      task: 'transcribe',
      language: 'en',
      requested_language: 'en',
      text: 'hello there hello there',
      segments: [
        { id: 0, text: 'hello there' },
        { id: 1, text: 'hello there' },
      ],
    });
    expect(body.segments[1]?.start).toBeCloseTo(5.7, 1);
  });

  it.each([
    ['srt', /^1\n00:00:01,\d{3} --> 00:00:04,\d{3}\nhello there\n\n2\n00:00:05,/],
    ['vtt', /^WEBVTT\n\n00:00:01\.\d{3} --> 00:00:04\.\d{3}\nhello there\n\n00:00:05\./],
  ])('transcribes as %s', async (format, pattern) => {
    expect(await (await transcribe({ response_format: format })).text()).toMatch(pattern);
  });

  it.each([
    ['an unknown format', { response_format: 'docx' }, 'ErrInvalidParameter'],
    ['times of letters', { 'timestamp_granularities[]': 'letter' }, 'ErrInvalidParameter'],
    ['subtitles as a stream', { stream: 'true', response_format: 'srt' }, 'ErrInvalidParameter'],
    ['a file that is text', { file: 'hello' }, 'ErrInvalidParameter'],
    ['a file that is no audio', { file: new Blob(['nothing to hear']) }, 'ErrInvalidAudio'],
    ['an unknown language', { language: 'klingonese' }, 'ErrInvalidParameter'],
    ['a long field', { prompt: 'x'.repeat(20_000) }, 'ErrRequestTooLarge'],
  ])('answers 400 for %s', async (_, fields, name) => {
    expect(await failure(await transcribe(fields))).toMatchObject({ status: 400, name });
  });

  it.each([
    ['no form', 'application/json', '{}'],
    ['a form that is cut', 'multipart/form-data; boundary=x', '--x\r\nContent-Disp'],
    ['a form without a boundary', 'multipart/form-data', 'x'],
  ])('answers 400 for %s', async (_, type, body) => {
    const headers = { 'content-type': type };
    const reply = await service.request(TRANSCRIPTIONS, { method: 'POST', headers, body });
    expect(await failure(reply)).toMatchObject({ status: 400, name: 'ErrInvalidRequest' });
  });

  it('says which engine would transcribe', async () => {
    await using own = await startTestService();
    const reply = await own.request(TRANSCRIPTIONS, { method: 'POST', body: new FormData() });
    expect(await failure(reply)).toMatchObject({
      status: 404,
      error: expect.stringContaining('No engine recognises speech.'),
    });
  });
});
