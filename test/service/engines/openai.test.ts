import { describe, expect, it, vi } from 'vitest';
import type { Engine, RecognitionEngine, TranslationEngine } from '../../../service/engine.ts';
import { createEngine } from '../../../service/engines/openai.ts';
import { chooseModels } from '../../../service/engines/openai/models.ts';
import { silentLog } from '../../fakes/silent-log.ts';
import { testBroken, testContract } from '../../contracts/contract.ts';
import { recognitionEngineContract } from '../../contracts/recognition-engine.ts';
import { speechEngineContract } from '../../contracts/speech-engine.ts';
import { translationEngineContract } from '../../contracts/translation-engine.ts';
import { startFakeOpenai } from '../../fakes/openai.ts';
import { engineConfig, lineOf, makeWav } from '../support.ts';
import { shared } from '../../fakes/opened.ts';

const signal = new AbortController().signal;
const TONE = makeWav(1, [[0, 1]], 24_000);

const create = (variables: Record<string, string>): Promise<Engine> =>
  createEngine({ config: engineConfig(variables), log: silentLog });

describe('an OpenAI-compatible server', () => {
  const openai = shared(() =>
    startFakeOpenai({
      chat: (messages) => (messages.at(-1)?.content ?? '').split(/(?<= )/),
      speech: { pcm: TONE.subarray(44) },
    }),
  );
  const engine = shared(() =>
    create({
      SERVICE_OPENAI_URL: openai.url,
      SERVICE_OPENAI_TTS_VOICES: 'alloy,nova:English:Female,nova:Japanese:Female',
    }),
  );

  testContract(
    'keeps the contract of speech engines:',
    speechEngineContract,
    async () => (await engine.abilities()).speech!,
  );
  testContract(
    'keeps the contract of recognition engines:',
    recognitionEngineContract,
    async () => (await engine.abilities()).recognition!,
  );
  testContract(
    'keeps the contract of translation engines:',
    translationEngineContract,
    async () => ({
      port: (await engine.abilities()).translation!,
      from: 'en',
      to: 'ja',
    }),
  );

  it('reports what its models do', async () => {
    expect(await lineOf(engine)).toMatchObject({
      ready: true,
      detail: 'chat: talk-1; translation: talk-1; recognition: whisper-1; speech: tts-1',
    });
  });

  it('gives voices the languages and genders of the configuration', async () => {
    const voices = await (await engine.abilities()).speech!.voices(signal);
    expect(voices.map(({ language, gender }) => [language, gender])).toEqual([
      [expect.stringContaining('English, Spanish'), 'Neutral'],
      ['English', 'Female'],
      ['Japanese', 'Female'],
    ]);
  });

  it('says which variables the rest needs', async () => {
    await using chatOnly = await startFakeOpenai({ models: ['llama3'] });
    await using own = await create({ SERVICE_OPENAI_URL: chatOnly.url });
    expect(Object.keys(await own.abilities()).toSorted()).toEqual(['chat', 'translation']);
    expect((await lineOf(own)).serves).toEqual(['chat', 'translation']);
    expect((await lineOf(own)).detail).toBe(
      'chat: llama3; translation: llama3; for the rest set SERVICE_OPENAI_ASR_MODEL, SERVICE_OPENAI_TTS_MODEL',
    );
    expect(own.remedy({ ability: 'speech' })).toBe('set SERVICE_OPENAI_TTS_MODEL');
  });

  it('is not ready while nobody answers and no model is named', async () => {
    await using own = await create({ SERVICE_OPENAI_URL: 'http://127.0.0.1:9' });
    expect(await own.abilities()).toEqual({});
    expect(own.remedy({ ability: 'chat' })).toContain('which does not answer');
    expect(await lineOf(own)).toMatchObject({
      ready: false,
      detail: expect.stringMatching(/^start the server of SERVICE_OPENAI_URL, or set /),
    });
  });

  it('finds the models of a server that came up later, and keeps them', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      await using late = await startFakeOpenai();
      late.fail('/models', { kind: 'status', status: 503 });
      await using own = await create({ SERVICE_OPENAI_URL: late.url });
      expect(await own.abilities()).toEqual({});
      expect(await own.abilities()).toEqual({});
      vi.advanceTimersByTime(6_000);
      const parts = await own.abilities();
      expect(parts.chat).toBeDefined();
      late.fail('/models', { kind: 'status', status: 503 });
      vi.advanceTimersByTime(61_000);
      await own.abilities();
      const lists = () => late.requests.filter(({ path }) => path === '/models').length;
      await expect.poll(lists).toBe(3);
      expect((await own.abilities()).chat).toBe(parts.chat);
    } finally {
      vi.useRealTimers();
    }
  });

  it('asks a server that has no bare samples for WAV', async () => {
    await using wavOnly = await startFakeOpenai({ speech: { wav: TONE } });
    await using own = await create({ SERVICE_OPENAI_URL: wavOnly.url });
    const { speech } = await own.abilities();
    const [voice] = await speech!.voices(signal);
    const hear = async (): Promise<number> => {
      const sound = await speech!.speak({ voiceId: voice!.id, text: 'x', speed: 1 }, signal);
      let samples = 0;
      for await (const part of sound.pcm) samples += part.length;
      return samples / sound.sampleRateHz;
    };
    expect([await hear(), await hear()]).toEqual([1, 1]);
    const formats = wavOnly.requests
      .filter(({ path }) => path === '/audio/speech')
      .map(({ body }) => body?.['response_format']);
    expect(formats).toEqual(['pcm', 'wav', 'wav']);
  });
});

const listed = (ids: readonly string[]) => ids.map((id) => ({ id }));

describe('the choice of models', () => {
  const ids = [
    'text-embedding-3-small',
    'dall-e-3',
    'gpt-4o-mini-transcribe',
    'gpt-4o-mini-tts',
    'gpt-4o',
    'whisper-1',
  ];

  it('goes by their names', () => {
    expect(chooseModels(listed(ids), engineConfig())).toMatchObject({
      chat: 'gpt-4o',
      translation: 'gpt-4o',
      recognition: 'gpt-4o-mini-transcribe',
      speech: 'gpt-4o-mini-tts',
    });
  });

  it.each([
    'deepseek-r1:14b',
    'DeepSeek-R1-Distill-Qwen-7B',
    'qwq:32b',
    'o3-mini',
    'phi-4-reasoning',
    'qwen3:30b-thinking',
    'bge-m3',
    'nomic-embed-text',
    'mxbai-embed-large',
    'jina-reranker-v2',
    'all-minilm',
    'whisper-large-v3',
    'kokoro',
  ])('never falls on %s for chat', (id) => {
    expect(chooseModels(listed([id]), engineConfig())).toMatchObject({
      chat: undefined,
      translation: undefined,
    });
    expect(chooseModels(listed([id, 'llama3.1:8b']), engineConfig()).chat).toBe('llama3.1:8b');
  });

  it.each(['gpt-4o', 'qwen2.5:7b', 'gemma3', 'mistral-small', 'phi4', 'aya-expanse'])(
    'may fall on %s for chat',
    (id) => {
      expect(chooseModels(listed([id]), engineConfig()).chat).toBe(id);
    },
  );

  it('is overruled by the configuration', () => {
    const config = engineConfig({
      SERVICE_OPENAI_TRANSLATION_MODEL: 'mt',
      SERVICE_OPENAI_ASR_MODEL: 'whisper-1',
    });
    expect(chooseModels(listed(ids), config)).toMatchObject({
      chat: 'gpt-4o',
      translation: 'mt',
      recognition: 'whisper-1',
    });
  });
});

const translating = (
  translate: TranslationEngine['translate'],
): { port: TranslationEngine; from: string; to: string } => ({
  port: { translates: () => true, translate },
  from: 'en',
  to: 'es',
});
describe('the contracts', () => {
  const recognition: RecognitionEngine = {
    longestMs: 10_000,
    recognise: async (_samples, _hints, wanted) => {
      wanted.throwIfAborted();
      return { text: 'hello', confidence: 0.5 };
    },
  };
  testContract(
    'of recognition are kept by a good fake:',
    recognitionEngineContract,
    () => recognition,
  );
  testBroken(recognitionEngineContract, {
    'hears a moment only': {
      port: { ...recognition, longestMs: 1 },
      fails: 'says how much it hears at once',
    },
    'is more than certain': {
      port: { ...recognition, recognise: async () => ({ text: 'x', confidence: 87 }) },
      fails: 'answers with trimmed text and a confidence from 0 to 1',
    },
    'spoils what it hears': {
      port: {
        ...recognition,
        recognise: async (samples) => {
          samples.fill(0);
          return { text: 'x' };
        },
      },
      fails: 'leaves the sound that it was given as it is',
    },
    'listens for nobody': {
      port: { ...recognition, recognise: async () => ({ text: 'x' }) },
      fails: 'does not listen for somebody who has left',
    },
  });

  const good = translating(async function* ({ text }, wanted) {
    wanted.throwIfAborted();
    yield { text, model: 'm' };
  });
  testContract('of translation are kept by a good fake:', translationEngineContract, () => good);
  testBroken(translationEngineContract, {
    'does not know its languages': {
      port: { ...good, port: { ...good.port, translates: () => false } },
      fails: 'knows its languages',
    },
    'says nothing': {
      port: translating(async function* () {
        yield { text: '', model: 'm' };
      }),
      fails: 'translates into pieces that join to a text',
    },
    'loses a token': {
      port: translating(async function* ({ text }) {
        yield { text: text.replace('⟦2⟧', ''), model: 'm' };
      }),
      fails: 'keeps protected tokens and line breaks',
    },
    'changes its name': {
      port: translating(async function* ({ text }) {
        yield { text, model: 'm' };
        yield { text, model: 'n' };
      }),
      fails: 'names one model and counts once',
    },
    'translates for nobody': {
      port: translating(async function* ({ text }) {
        yield { text, model: 'm' };
      }),
      fails: 'does not translate for somebody who has left',
    },
  });
});
