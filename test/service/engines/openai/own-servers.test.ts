import { describe, expect, it } from 'vitest';
import { RECOGNITION_RATE_HZ, type Engine } from '../../../../service/engine.ts';
import { createEngine } from '../../../../service/engines/openai.ts';
import { startFakeOpenai, type FakeOpenai } from '../../../fakes/openai.ts';
import { silentLog } from '../../../fakes/silent-log.ts';
import { engineConfig, startTestService } from '../../support.ts';
import { fresh } from '../../../fakes/opened.ts';

const signal = new AbortController().signal;
const SECOND = new Float32Array(RECOGNITION_RATE_HZ);
const NOBODY = 'http://127.0.0.1:9';

const create = (variables: Record<string, string>): Promise<Engine> =>
  createEngine({ config: engineConfig(variables), log: silentLog });

const pathsOf = ({ requests }: FakeOpenai): readonly string[] => requests.map(({ path }) => path);
const keysOf = ({ requests }: FakeOpenai) =>
  new Set(requests.map(({ authorization }) => authorization));

describe('a server of its own for an ability', () => {
  const usual = fresh(() => startFakeOpenai({ models: ['talk-1', 'whisper-1', 'tts-1'] }));
  const own = fresh(() => startFakeOpenai({ models: ['talk-2', 'whisper-2'] }));

  it('is asked for that alone, with its own models', async () => {
    await using engine = await create({
      SERVICE_OPENAI_URL: usual.url,
      SERVICE_OPENAI_CHAT_MODEL: 'talk-1',
      SERVICE_OPENAI_ASR_URL: own.url,
      SERVICE_OPENAI_TRANSLATION_URL: own.url,
    });
    const { recognition, chat } = await engine.abilities();
    await recognition!.recognise(SECOND, {}, signal);
    expect(pathsOf(own)).toContain('/audio/transcriptions');
    expect(pathsOf(usual)).not.toContain('/audio/transcriptions');
    expect(own.requests.at(-1)?.body?.['model']).toBe('whisper-2');
    expect(chat?.models).toEqual(['talk-1']);
    expect(await engine.report()).toMatchObject([
      { serves: ['chat', 'speech'], detail: 'chat: talk-1; speech: tts-1' },
      { serves: ['translation', 'recognition'], detail: expect.stringContaining('talk-2') },
    ]);
  });

  it('gets its own key, and not that of another host', async () => {
    await using other = await startFakeOpenai();
    await using engine = await create({
      SERVICE_OPENAI_URL: usual.url,
      SERVICE_OPENAI_KEY: 'usual',
      SERVICE_OPENAI_ASR_URL: own.url,
      SERVICE_OPENAI_TTS_URL: other.url,
      SERVICE_OPENAI_TTS_KEY: 'spoken',
    });
    await engine.abilities();
    expect(keysOf(usual)).toEqual(new Set(['Bearer usual']));
    expect(keysOf(own)).toEqual(new Set([undefined]));
    expect(keysOf(other)).toEqual(new Set(['Bearer spoken']));
  });

  it('gets the usual key at the host that this is for, and another key there if it has one', async () => {
    await using engine = await create({
      SERVICE_OPENAI_URL: usual.url,
      SERVICE_OPENAI_KEY: 'usual',
      SERVICE_OPENAI_ASR_URL: `${new URL(usual.url).origin}/hearing`,
      SERVICE_OPENAI_TTS_KEY: 'spoken',
    });
    await engine.abilities();
    const listed = usual.requests.map(({ path, authorization }) => `${path} ${authorization}`);
    expect(listed.filter((each) => each.includes('models')).toSorted()).toEqual([
      '/hearing/v1/models Bearer usual',
      '/models Bearer spoken',
      '/models Bearer usual',
    ]);
  });

  it('names the variable of its own key where that is refused', async () => {
    await using engine = await create({
      SERVICE_OPENAI_ASR_URL: own.url,
      SERVICE_OPENAI_ASR_MODEL: 'whisper-2',
    });
    own.fail('/audio/transcriptions', { kind: 'status', status: 401 });
    const { recognition } = await engine.abilities('recognition');
    await expect(recognition!.recognise(SECOND, {}, signal)).rejects.toThrow(
      'see SERVICE_OPENAI_ASR_KEY',
    );
  });

  it('that says nothing keeps no other ability waiting', async () => {
    own.fail('/models', { kind: 'silent' });
    await using engine = await create({
      SERVICE_OPENAI_URL: usual.url,
      SERVICE_OPENAI_ASR_URL: own.url,
    });
    expect(await engine.abilities('chat')).toHaveProperty('chat');
    expect(pathsOf(own)).toEqual([]);
  });

  it.each([
    ['answers with a page', { kind: 'html' }, true],
    ['has an empty list', { kind: 'json', value: {} }, false],
    ['fails', { kind: 'status', status: 500 }, true],
  ] as const)(
    'that %s is named with its variable, and the others work',
    async (_, fault, fails) => {
      own.fail('/models', fault);
      own.fail('/models', fault);
      await using engine = await create({
        SERVICE_OPENAI_URL: usual.url,
        SERVICE_OPENAI_ASR_URL: own.url,
      });
      expect(Object.keys(await engine.abilities())).toEqual(['chat', 'translation', 'speech']);
      expect(await engine.report()).toMatchObject([
        { ready: true, serves: ['chat', 'translation', 'speech'] },
        {
          ready: false,
          fails,
          serves: ['recognition'],
          detail: expect.stringMatching('SERVICE_OPENAI_ASR_'),
        },
      ]);
    },
  );

  it('is enough, without any other', async () => {
    await using engine = await create({ SERVICE_OPENAI_ASR_URL: own.url });
    expect(Object.keys(await engine.abilities())).toEqual(['recognition']);
    expect(engine.remedy({ ability: 'chat' })).toBe('set SERVICE_OPENAI_URL');
    expect(await engine.report()).toMatchObject([
      { ready: true, serves: ['recognition'] },
      { ready: false, serves: ['chat', 'translation', 'speech'] },
    ]);
  });

  it('that nobody reaches is told of in the sentence of the missing ability', async () => {
    await using service = await startTestService({
      SERVICE_OPENAI_URL: usual.url,
      SERVICE_OPENAI_CHAT_URL: NOBODY,
    });
    const reply = await service.postJson('/openai/v1/chat/completions', {
      messages: [{ role: 'user', content: 'Hello' }],
    });
    expect(reply.status).toBe(404);
    expect(await reply.text()).toContain('SERVICE_OPENAI_CHAT_URL, which does not answer');
    const translated = await service.translate({
      text: 'Hi',
      source_lang: 'en',
      target_lang: 'es',
    });
    expect(translated.status).toBe(200);
  });
});
