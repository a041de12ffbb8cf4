import { describe, expect, it } from 'vitest';
import { ABILITIES } from '../../../../service/config.ts';
import type { Engine } from '../../../../service/engine.ts';
import { createEngine } from '../../../../service/engines/openai.ts';
import { createUpstream } from '../../../../service/back-end/http.ts';
import { followServer } from '../../../../service/engines/openai/server.ts';
import { createTestClock } from '../../../fakes/clock.ts';
import { startFakeOpenai, type Fault, type FakeOpenai } from '../../../fakes/openai.ts';
import { silentLog } from '../../../fakes/silent-log.ts';
import { engineConfig, lineOf } from '../../support.ts';

const signal = new AbortController().signal;

const create = (variables: Record<string, string>): Promise<Engine> =>
  createEngine({ config: engineConfig(variables), log: silentLog });

describe('a model that is tried with two words', () => {
  const says = (content: string, finish = 'stop'): Fault => ({
    kind: 'json',
    value: { choices: [{ message: { content }, finish_reason: finish }] },
  });
  const trying = async (
    probed: Fault,
    variables: Record<string, string> = {},
    model: string = 'small',
  ) => {
    await using server = await startFakeOpenai({ models: [model], probed });
    await using own = await create({ SERVICE_OPENAI_URL: server.url, ...variables });
    const found = await own.abilities();
    const abilities = Object.keys(found).toSorted();
    return { abilities, report: await lineOf(own), rank: found.translation?.rank?.('en', 'es') };
  };

  it.each<readonly [string, Fault]>([
    ['goes on without an end', says('Good morning Good morning, I am', 'length')],
    ['has no template', { kind: 'status', status: 500, body: '{"error":"no chat template"}' }],
  ])('and %s is not for chat', async (_, probed) => {
    const { abilities, report } = await trying(probed);
    expect(abilities).toEqual([]);
    expect(report).toMatchObject({
      ready: false,
      detail: expect.stringContaining('small is not for chat'),
    });
  });

  it.each(['Good morning to you, how can I help you today?', 'Bonjour', 'Good morning'])(
    'and answers %j is not for translation, unless it is chosen for that',
    async (reply) => {
      const { abilities, report } = await trying(says(reply));
      expect(abilities).toEqual(['chat']);
      expect(report).toMatchObject({
        ready: true,
        detail: expect.stringContaining('small is not for translation'),
      });
      const named = await trying(says(reply), { SERVICE_OPENAI_TRANSLATION_MODEL: 'small' });
      expect(named.abilities).toEqual(['chat', 'translation']);
    },
  );

  it.each(['smollm2-135m-instruct', 'gemma3:270m', 'qwen2.5:0.5b'])(
    'and translates them is not for translation where it is as small as %s, unless it is chosen for that',
    async (model) => {
      const translates = says('¡Buenos días!');
      const { abilities, report } = await trying(translates, {}, model);
      expect(abilities).toEqual(['chat']);
      expect(report?.detail).toContain(`${model} is not for translation`);
      const named = { SERVICE_OPENAI_TRANSLATION_MODEL: model };
      expect(await trying(translates, named, model)).toMatchObject({
        abilities: ['chat', 'translation'],
        rank: undefined,
      });
    },
  );

  it.each<readonly [string, number | undefined]>([
    ['llama3.2:1b', 9],
    ['qwen2.5:3b-instruct', 9],
    ['hy-mt2-1.8b', undefined],
    ['translategemma:4b', undefined],
    ['llama3.1:8b', undefined],
    ['gpt-4o', undefined],
  ])(
    'and translates them is asked after other engines where it is small: %s',
    async (model, rank) => {
      expect((await trying(says('¡Buenos días!'), {}, model)).rank).toBe(rank);
    },
  );

  it.each<readonly [string, Fault]>([
    ['is busy', { kind: 'status', status: 429 }],
    ['is loaded', { kind: 'status', status: 503 }],
    ['translates', says('¡Buenos días!')],
  ])('and %s is offered', async (_, probed) => {
    expect((await trying(probed)).abilities).toEqual(['chat', 'translation']);
  });
});

describe('the context length of a model', () => {
  const TEXT = 'The fox sleeps in its den. '.repeat(100).trim();
  /** The parts in which a text is sent, each with the whole prompt. */
  const partsOf = async (
    server: FakeOpenai,
    text = TEXT,
    context = '',
  ): Promise<readonly { readonly part: string; readonly prompt: string }[]> => {
    await using own = await create({ SERVICE_OPENAI_URL: server.url });
    const { translation } = await own.abilities();
    const request = { text, tokens: new Map(), from: 'en', to: 'es', keywords: [], context };
    await Array.fromAsync(translation!.translate(request, signal));
    return server.requests
      .filter(({ path }) => path === '/chat/completions')
      .map(({ body }) => {
        const messages = body?.['messages'] as readonly { readonly content: string }[];
        return { part: messages.at(-1)?.content ?? '', prompt: JSON.stringify(messages) };
      });
  };
  const echo = (messages: readonly { content: string }[]) => [messages.at(-1)?.content ?? ''];
  const withContext = async (tokens: number): Promise<FakeOpenai> => {
    const server = await startFakeOpenai({ chat: echo });
    const data = [{ id: 'talk-1', max_model_len: tokens }];
    server.fail('/models', { kind: 'json', value: { data } });
    return server;
  };

  it.each([
    { max_model_len: 2_048 },
    { context_length: 2_048 },
    { max_context_length: 2_048 },
    { context_window: 2_048 },
    { meta: { n_ctx: 2_048, n_ctx_train: 131_072 } },
  ])('is read from the list of models: %j', async (fields) => {
    await using server = await startFakeOpenai({ chat: echo });
    server.fail('/models', { kind: 'json', value: { data: [{ id: 'talk-1', ...fields }] } });
    expect((await partsOf(server)).length).toBeGreaterThan(1);
  });

  it.each<readonly [string, object]>([
    ['/props', { default_generation_settings: { n_ctx: 2_048 } }],
    ['/api/ps', { models: [{ model: 'talk-1', context_length: 2_048 }] }],
  ])('is read from %s', async (path, value) => {
    await using server = await startFakeOpenai({ chat: echo });
    server.fail(path, { kind: 'json', value });
    expect((await partsOf(server)).length).toBeGreaterThan(1);
  });

  it('is read from a server that knows it only once it has loaded the model', async () => {
    await using server = await startFakeOpenai({ chat: echo });
    const loaded = [{ model: 'talk-1', context_length: 2_048 }];
    for (const models of [[], loaded]) server.fail('/api/ps', { kind: 'json', value: { models } });
    expect((await partsOf(server)).length).toBeGreaterThan(1);
  });

  it('that is not known limits nothing', async () => {
    await using server = await startFakeOpenai({ chat: echo });
    expect(await partsOf(server)).toHaveLength(1);
  });

  it('is kept to with characters of two units', async () => {
    await using server = await withContext(2_048);
    const text = '🦊 '.repeat(700).trim();
    const parts = await partsOf(server, text);
    expect(parts.map(({ part }) => part).join(' ')).toBe(text);
    for (const { part } of parts) expect(part.length).toBeLessThan(1_000);
  });

  it('that is very small does not cut a text into letters', async () => {
    await using server = await withContext(128);
    expect((await partsOf(server)).length).toBeLessThan(60);
  });

  it('leaves no room for what was said before where the text takes it', async () => {
    await using server = await withContext(2_048);
    const [one, ...others] = await partsOf(
      server,
      TEXT.slice(0, 500),
      'Earlier talk. '.repeat(140),
    );
    expect(one?.part).toBe(TEXT.slice(0, 500));
    expect(one?.prompt).not.toContain('Earlier talk');
    expect(others).toEqual([]);
  });
});

describe('a server that hangs', () => {
  const silent: Fault = { kind: 'silent' };
  /** What is known of a server a second after somebody has asked. */
  const knownOf = async (server: FakeOpenai, asked: string) => {
    const upstream = createUpstream({ url: server.url, keyVariable: 'NONE' }, silentLog);
    const clock = createTestClock();
    const current = followServer(upstream, ABILITIES, engineConfig(), silentLog, clock).current();
    await expect.poll(() => server.requests.some(({ path }) => path === asked)).toBe(true);
    await clock.advance(1_000);
    const { abilities } = await current;
    await upstream[Symbol.asyncDispose]();
    return Object.keys(abilities).toSorted();
  };

  it('with the length of its context serves what it lists', async () => {
    await using server = await startFakeOpenai({ models: ['talk-1'] });
    for (const path of ['/props', '/api/ps']) server.fail(path, silent);
    expect(await knownOf(server, '/props')).toEqual(['chat', 'translation']);
  });

  it('when its model is tried serves what it lists', async () => {
    await using server = await startFakeOpenai({ models: ['talk-1'], probed: silent });
    expect(await knownOf(server, '/props')).toEqual(['chat', 'translation']);
  });
});
