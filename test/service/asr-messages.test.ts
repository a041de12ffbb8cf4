import { describe, expect, it } from 'vitest';
import { PATHS } from '../../src/api/contract.ts';
import { startFakeOpenai } from '../fakes/openai.ts';
import { failure, makeWav, startTestService } from './support.ts';
import { shared } from '../fakes/opened.ts';

const WAV = makeWav(10, [
  [2, 4],
  [6, 8],
]);
const DATA = WAV.toString('base64');
const AUDIO = { type: 'input_audio', input_audio: { data: DATA, format: 'wav' } };
const URL_PART = { type: 'audio_url', audio_url: { url: `data:audio/wav;base64,${DATA}` } };
const TEXT = { type: 'text', text: 'Please transcribe this.' };

describe('recognition in the form with messages', () => {
  const openai = shared(() => startFakeOpenai());
  const service = shared(() => startTestService({ SERVICE_OPENAI_URL: openai.url }));

  const ask = (content: unknown, more: object = {}): Promise<Response> =>
    service.postJson(PATHS.asr, { messages: [{ role: 'user', content }], ...more });
  const heardBy = async (
    content: unknown,
    more: object = {},
  ): Promise<{ body: unknown; files: number[]; prompts: unknown[] }> => {
    openai.requests.length = 0;
    const body: unknown = await (await ask(content, more)).json();
    const calls = openai.requests.filter(({ path }) => path === '/audio/transcriptions');
    return {
      body,
      files: calls.map(({ file }) => file?.bytes.length ?? 0),
      prompts: calls.map((call) => call.body?.['prompt']),
    };
  };

  it.each([
    ['input_audio', AUDIO],
    ['audio_url', URL_PART],
    ['audio_url beside null', { ...URL_PART, input_audio: null }],
    ['input_audio without a format', { ...AUDIO, input_audio: { data: DATA, format: null } }],
  ])('hears the speech of %s, as vad is on by default there', async (_, part) => {
    const { body, files } = await heardBy([part], { model: 'any' });
    expect(body).toEqual({
      text: 'hello there hello there',
      language: 'en',
      confidence: expect.closeTo(0.8) as number,
    });
    expect(files).toHaveLength(2);
  });

  it('takes the parameters of the other form', async () => {
    const bytes = async (vad: number): Promise<number> =>
      (await heardBy([AUDIO], { vad })).files.reduce((sum, size) => sum + size);
    expect(await bytes(0)).toBeGreaterThan(await bytes(1));
    expect((await heardBy([AUDIO], { vad: 'segments' })).body).toHaveProperty('segments');
    const { prompts } = await heardBy([AUDIO], { hotwords: ['Acme'] });
    expect(new Set(prompts)).toEqual(new Set(['Acme.']));
    expect((await heardBy([AUDIO], { language: 'ja' })).body).toMatchObject({ language: 'ja' });
  });

  it('takes no text for a hint', async () => {
    const { prompts } = await heardBy([TEXT, AUDIO]);
    expect(new Set(prompts)).toEqual(new Set([undefined]));
    const messages = [
      { role: 'system', content: 'You transcribe.' },
      { role: 'user', content: [AUDIO] },
    ];
    expect((await service.postJson(PATHS.asr, { messages })).status).toBe(200);
  });

  it.each([
    ['no part with audio', [TEXT], '0 were sent'],
    ['a text alone', 'hello', '0 were sent'],
    ['two parts with audio', [AUDIO, URL_PART], '2 were sent'],
    ['a part of the wrong shape', [{ input_audio: 'AAAA' }], 'messages.0.content'],
    ['parts within parts', [[AUDIO]], 'messages.0.content'],
  ])('answers 400 for %s', async (_, content, words) => {
    expect(await failure(await ask(content))).toMatchObject({
      status: 400,
      name: 'ErrInvalidParameter',
      error: expect.stringContaining(words) as string,
    });
  });

  it.each([
    ['an address', { type: 'audio_url', audio_url: { url: 'https://example.org/a.wav' } }],
    ['what is no base64', { input_audio: { data: 'A_A' } }],
    ['what is no audio', { input_audio: { data: 'AAAAAAAAAAAAAAAA' } }],
    ['nothing', { input_audio: { data: '' } }],
  ])('answers 400 for %s in place of audio', async (_, part) => {
    expect(await failure(await ask([part]))).toMatchObject({
      status: 400,
      name: 'ErrInvalidAudio',
    });
  });

  it.each([[[]], [{}], ['hello'], [null], [[7]]])('answers 400 for %j', async (messages) => {
    expect(await failure(await service.postJson(PATHS.asr, { messages }))).toMatchObject({
      status: 400,
      name: 'ErrInvalidParameter',
    });
  });

  it('answers 400 for audio beside messages', async () => {
    expect(await failure(await ask([AUDIO], { audio: DATA }))).toMatchObject({
      status: 400,
      error: 'Send either audio or messages, not both.',
    });
  });
});
