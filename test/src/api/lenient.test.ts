import { describe, expect, it } from 'vitest';
import { MODELS_PATH, PATHS } from '../../../src/api/contract.ts';
import { ASKER } from '../../fakes/asker.ts';
import { VOICE } from '../../fakes/speech.ts';
import { JAPANESE, freshClient, source, statesOf } from './client-support.ts';

const { fake, client } = freshClient();
const signal = new AbortController().signal;

const USAGES = [
  {},
  { usage: null },
  { usage: { prompt_tokens: 1.5, completion_tokens: 2, total_tokens: null } },
  { usage: { prompt_tokens: 'many' } },
  { usage: 'none', id: null, created: 1.25, model: null, balance: 9.5, object: 7 },
];
const json = (body: unknown) => ({ status: 200, body: JSON.stringify(body) });
const events = (...chunks: readonly unknown[]) => ({
  status: 200,
  body: `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n`).join('')}data: [DONE]\n`,
  headers: { 'content-type': 'text/event-stream' },
});

describe('a reply in which only what is used is right', () => {
  it.each(USAGES)('is a translation: %j', async (rest) => {
    fake.fail(PATHS.translate, json({ choices: [{ message: { content: 'やあ' } }], ...rest }));
    expect(await client.translate({ ...JAPANESE, text: 'hi' }, { ...ASKER, signal })).toBe('やあ');
  });

  it.each(USAGES)('is a streamed translation: %j', async (rest) => {
    fake.fail(
      PATHS.translate,
      events(
        { ...rest },
        { choices: [], ...rest },
        { choices: [{ delta: null }], ...rest },
        { choices: [{ delta: { content: null } }] },
        { choices: [{ delta: { content: 'やあ' } }], ...rest },
        { choices: null, ...rest },
      ),
    );
    const states = client.translateStream({ ...JAPANESE, text: 'hi' }, { ...ASKER, signal });
    expect((await statesOf(states)).result).toBe('やあ');
  });

  it.each(USAGES)('is an answer of the language model: %j', async (rest) => {
    const messages = [{ role: 'user', content: 'a' }] as const;
    const request = { messages: [...messages] };
    fake.fail(PATHS.chat, json({ choices: [{ message: { content: 'yes' } }], ...rest }));
    expect((await client.chat(request, { ...ASKER, signal })).choices[0]?.message.content).toBe(
      'yes',
    );
    fake.fail(PATHS.chat, events({ choices: [{ delta: { content: 'yes' } }], ...rest }));
    expect((await statesOf(client.chatStream(request, { ...ASKER, signal }))).result).toBe('yes');
  });

  it('is a stream that comes in one piece', async () => {
    fake.fail(PATHS.translate, json({ choices: [{ message: { content: 'やあ' } }] }));
    const states = client.translateStream({ ...JAPANESE, text: 'hi' }, { ...ASKER, signal });
    expect((await statesOf(states)).result).toBe('やあ');
  });

  it.each([
    {},
    { language: null, confidence: null },
    { language: 3, confidence: '0.5', words: [] },
  ])('is a transcript: %j', async (rest) => {
    const audio = source(Buffer.from('audio'));
    fake.fail(PATHS.asr, json({ text: 'hello', ...rest }));
    expect(await client.transcribe(audio, {}, { ...ASKER, signal })).toEqual({
      text: 'hello',
      language: '',
      confidence: undefined,
    });
    fake.fail(
      PATHS.asr,
      json({ segments: [{ start: 0, end: 1.5, text: 'hello', id: 0 }], ...rest }),
    );
    expect(await client.transcribeSegments(audio, {}, { ...ASKER, signal })).toMatchObject({
      segments: [{ start: 0, end: 1.5, text: 'hello' }],
      language: '',
    });
  });

  it('has an empty error beside it', async () => {
    fake.fail(PATHS.translate, json({ choices: [{ message: { content: 'やあ' } }], error: '' }));
    const said = client.translate({ ...JAPANESE, text: 'hi' }, { ...ASKER, signal });
    expect(await said).toBe('やあ');
  });

  it('is a list of models', async () => {
    const data = [{ id: 'gemma-3', owned_by: null }, null, { name: 'no id' }, { id: 7 }];
    fake.fail(MODELS_PATH, json({ data }));
    expect(await client.models({ ...ASKER, signal })).toEqual(['gemma-3']);
    fake.fail(MODELS_PATH, json({ data: data.slice(1) }));
    await expect(client.models({ ...ASKER, signal })).rejects.toMatchObject({ code: 'bad-reply' });
  });

  it('is a voice', async () => {
    const { id, formats } = VOICE;
    const odd = { id, formats, description: null, gender: 1, sample_rates: 'any', streaming: null };
    fake.fail(PATHS.voices, json({ voices: [{ id, formats }, odd] }));
    const plain = { description: '', language: '', gender: '', sample_rates: [], streaming: false };
    expect(await client.voices({ ...ASKER, signal })).toEqual([
      { id, formats, ...plain },
      { id, formats, ...plain },
    ]);
  });
});

describe('an error in the middle of a stream', () => {
  it.each([
    { error: 'lost the engine' },
    { error: { message: 'lost the engine' } },
    { error: { message: null, type: 'server_error' } },
    { error: { code: 503 } },
    { object: 'error', message: 'lost the engine', type: 'InternalServerError', code: 500 },
  ])('is retried, and no text is cut off there: %j', async (error) => {
    fake.fail(PATHS.translate, events({ choices: [{ delta: { content: 'ha' } }] }, error));
    const states = client.translateStream({ ...JAPANESE, text: 'hi' }, { ...ASKER, signal });
    expect((await statesOf(states)).result).not.toBe('ha');
  });

  it('is of the asker where it says so', async () => {
    const error = { object: 'error', message: 'too long', type: 'BadRequestError', code: 400 };
    fake.fail(PATHS.translate, events(error));
    const states = client.translateStream({ ...JAPANESE, text: 'hi' }, { ...ASKER, signal });
    await expect(statesOf(states)).rejects.toMatchObject({ code: 'bad-input' });
  });
});

describe('a reply in which what is used is wrong', () => {
  it.each([{}, { choices: [] }, { choices: [{}] }, { choices: [{ message: { content: 7 } }] }, []])(
    'is no translation: %j',
    async (body) => {
      fake.fail(PATHS.translate, json(body));
      const wrong = client.translate({ ...JAPANESE, text: 'hi' }, { ...ASKER, signal });
      await expect(wrong).rejects.toMatchObject({ code: 'bad-reply' });
    },
  );

  it.each([{ text: null }, { text: 5 }, 'hello', null])('is no transcript: %j', async (body) => {
    fake.fail(PATHS.asr, json(body));
    const wrong = client.transcribe(source(Buffer.from('audio')), {}, { ...ASKER, signal });
    await expect(wrong).rejects.toMatchObject({ code: 'bad-reply' });
  });
});
