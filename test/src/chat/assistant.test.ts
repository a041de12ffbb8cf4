import { beforeEach, describe, expect, it } from 'vitest';
import { MODELS_PATH, PATHS } from '../../../src/api/contract.ts';
import { createServiceKey } from '../../../src/api/keys.ts';
import { createAssistant } from '../../../src/chat/assistant.ts';
import { ASKER } from '../../fakes/asker.ts';
import { freshClient, statesOf } from '../api/client-support.ts';

const { fake, client } = freshClient();
let nowMs: number;
const signal = new AbortController().signal;

beforeEach(() => {
  nowMs = 0;
});

const open = (model?: string) =>
  createAssistant({ client, now: () => nowMs, ...(model === undefined ? {} : { model }) });
const ask = async (assistant: ReturnType<typeof open>): Promise<string> =>
  (await statesOf(assistant.answer([{ role: 'user', content: 'why?' }], ASKER, signal))).result;
const asked = (path: string) => fake.seen.filter((one) => one.path === path);
const modelsAsked = () => asked(PATHS.chat).map(({ json }) => json['model']);

describe('the language model that answers', () => {
  it('is the one that was configured', async () => {
    fake.models = ['first', 'second'];
    expect(await ask(open('second'))).toBe('You asked: why?');
    expect(modelsAsked()).toEqual(['second']);
    expect(asked(MODELS_PATH)).toHaveLength(0);
  });

  it('is otherwise the first that is listed and chats; the list is asked for once', async () => {
    const vectors = ['text-embedding-3-small', 'BAAI/bge-m3', 'jina-reranker', 'all-minilm:l6-v2'];
    fake.models = [...vectors, 'sentence-transformers/all-mpnet-base-v2', 'gemma-3', 'other'];
    const assistant = open();
    await Promise.all([ask(assistant), ask(assistant)]);
    await ask(assistant);
    expect(modelsAsked()).toEqual(['gemma-3', 'gemma-3', 'gemma-3']);
    expect(asked(MODELS_PATH)).toHaveLength(1);
    nowMs += 3_600_000;
    fake.models = ['newer'];
    await ask(assistant);
    expect(modelsAsked().at(-1)).toBe('newer');
  });

  it('is chosen for each key, which may be given others', async () => {
    const own = { platform: 'p', id: 'own' };
    const ownKey = 'svck:own';
    fake.otherKeys.add(ownKey);
    const assistant = createAssistant({
      client: {
        ...client,
        serviceKeyOf: async ({ id }) => createServiceKey(id === own.id ? ownKey : fake.key),
      },
      now: () => nowMs,
    });
    fake.models = ['operators'];
    await ask(assistant);
    fake.models = ['owners'];
    const asker = { ...ASKER, space: own };
    await statesOf(assistant.answer([{ role: 'user', content: 'why?' }], asker, signal));
    expect(modelsAsked()).toEqual(['operators', 'owners']);
    expect(asked(MODELS_PATH).map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${fake.key}`,
      `Bearer ${ownKey}`,
    ]);
  });

  it.each([404, 401])('is left to a service that answers %i for its list', async (status) => {
    const assistant = open();
    fake.fail(MODELS_PATH, { status });
    await ask(assistant);
    await ask(assistant);
    expect(modelsAsked()).toEqual([undefined, undefined]);
    expect(asked(MODELS_PATH)).toHaveLength(1);
  });

  it('is asked of the operator by name where the service lists none and refuses to choose', async () => {
    fake.models = [];
    fake.fail(PATHS.chat, { status: 400, body: '{"error":{"message":"model is required"}}' });
    await expect(ask(open())).rejects.toMatchObject({
      code: 'config',
      sentence: { key: 'service.no-chat' },
      remedy: { key: 'remedies.check', params: { name: 'SPEECH_CHAT_MODEL' } },
    });
  });

  it('is looked for again after a while where the list failed', async () => {
    const assistant = open();
    fake.fail(MODELS_PATH, ...Array.from({ length: 4 }, () => ({ status: 503 })));
    await ask(assistant);
    fake.models = ['model'];
    await expect(ask(assistant)).rejects.toMatchObject({ code: 'config' });
    nowMs += 60_000;
    expect(await ask(assistant)).toBe('You asked: why?');
  });

  it('is not waited for by those who leave', async () => {
    fake.fail(MODELS_PATH, { hang: true });
    const leaving = new AbortController();
    const answer = open()
      .answer([{ role: 'user', content: 'why?' }], ASKER, leaving.signal)
      .next();
    leaving.abort(new Error('left'));
    await expect(answer).rejects.toThrow('left');
  });
});

describe('an answer', () => {
  it('is shown without the thinking before it', async () => {
    fake.answers = () => '<think>Why not?</think>\n\nBecause.';
    const states = await statesOf(
      open().answer([{ role: 'user', content: 'why?' }], ASKER, signal),
    );
    expect(states.result).toBe('Because.');
    for (const state of states.seen) expect('Because.').toContain(state);
  });

  it.each(['', '  \n', '<think>hm</think>', '<think>for ever'])(
    'is none without words: %j',
    async (nothing) => {
      fake.answers = () => nothing;
      await expect(ask(open())).rejects.toMatchObject({ code: 'bad-reply' });
    },
  );

  it('that never ends is cut, and not read any further', async () => {
    const words = Array.from({ length: 60_000 }, (_, number) => `${number} `).join('');
    fake.fail(PATHS.chat, {
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      body: `data: ${JSON.stringify({ choices: [{ delta: { content: words } }] })}\n`.repeat(10),
    });
    expect(await ask(open())).toBe(words.slice(0, 100_000));
  });
});

describe('an answer that is none, or not whole', () => {
  const chunk = (content: string, finish: string | null) =>
    `data: ${JSON.stringify({ choices: [{ delta: { content }, finish_reason: finish }] })}\n\n`;
  const stream = (body: string) =>
    fake.fail(PATHS.chat, { status: 200, headers: { 'content-type': 'text/event-stream' }, body });
  const cutOf = async (question = 'why?'): Promise<{ answer: string; isCut: boolean }> => {
    let isCut = false;
    const cut = (): void => {
      isCut = true;
    };
    const turns = [{ role: 'user', content: question }] as const;
    const { result } = await statesOf(open().answer(turns, ASKER, signal, { cut }));
    return { answer: result, isCut };
  };

  it.each([
    ['stop', false],
    ['length', true],
    ['content_filter', true],
    [null, true],
  ])('ends for the reason %s', async (reason, isCut) => {
    stream(`${chunk('Because', null)}${chunk('', reason)}data: [DONE]\n\n`);
    expect(await cutOf()).toEqual({ answer: 'Because', isCut });
  });

  it('goes round in a circle', async () => {
    stream(`${chunk('It is so. '.repeat(30), 'stop')}data: [DONE]\n\n`);
    const { answer, isCut } = await cutOf();
    expect(answer).toMatch(/^It is so\.(?: It is so\.)?$/);
    expect(isCut).toBe(true);
  });

  it('is the question', async () => {
    fake.answers = () => 'Why is the sky blue today?';
    await expect(cutOf('why is the sky blue today?')).rejects.toMatchObject({ code: 'bad-reply' });
  });

  it('comes of a conversation that is too long, whose oldest turns are then left out', async () => {
    const turns = Array.from({ length: 9 }, (_, number) => ({
      role: 'user' as const,
      content: `question ${number}`,
    }));
    fake.fail(PATHS.chat, {
      status: 400,
      body: JSON.stringify({ error: { message: 'maximum context length is 512 tokens' } }),
    });
    stream('');
    await statesOf(open().answer(turns, ASKER, signal));
    const sent = asked(PATHS.chat).map(({ json }) => (json['messages'] as unknown[]).length);
    expect(sent).toEqual([9, 5, 3]);
    expect(asked(PATHS.chat).at(-1)?.json['messages']).toContainEqual(turns.at(-1));
    const long = [{ role: 'user', content: 'x '.repeat(2_000) }] as const;
    stream('');
    await expect(statesOf(open().answer(long, ASKER, signal))).rejects.toMatchObject({
      code: 'too-large',
      sentence: { key: 'service.too-long' },
    });
  });

  it('may begin with the question, whatever its pieces are', async () => {
    const question = 'why is the sky blue today?';
    const pieces = ['Why is the sky ', 'blue today?', ' Because of the air.'];
    stream(
      `${pieces.map((piece) => chunk(piece, null)).join('')}${chunk('', 'stop')}data: [DONE]\n\n`,
    );
    expect(await cutOf(question)).toEqual({ answer: pieces.join(''), isCut: false });
  });

  it('grows by more than a letter once it is long', async () => {
    const pieces = Array.from({ length: 3_000 }, (_, number) => chunk(`${number} `, null));
    stream(`${pieces.join('')}${chunk('', 'stop')}data: [DONE]\n\n`);
    const turns = [{ role: 'user', content: 'count' }] as const;
    const { seen, result } = await statesOf(open().answer(turns, ASKER, signal));
    expect(seen.length).toBeLessThan(600);
    expect(seen.at(-1)).toBe(result);
    expect(result).toMatch(/^0 1 2 .* 2999 $/);
  });

  it('is what was written until the stream broke, to its last word', async () => {
    const words = Array.from({ length: 200 }, (_, number) => `${number} `);
    const body = words.map((word) => chunk(word, null)).join('');
    for (let attempt = 0; attempt < 4; attempt += 1) stream(body);
    expect(await cutOf()).toEqual({ answer: words.join(''), isCut: true });
  });

  it('begins with no answer where older turns are left out, and keeps what is no turn', async () => {
    const turns = [
      { role: 'system', content: 'Be short.' },
      ...Array.from({ length: 5 }, (_, number) => [
        { role: 'user', content: `question ${number}` } as const,
        { role: 'assistant', content: `answer ${number}` } as const,
      ]).flat(),
      { role: 'user', content: 'and now?' },
    ] as const;
    const rolesOf = (index: number) =>
      (asked(PATHS.chat)[index]!.json['messages'] as { role: string }[]).map(({ role }) => role);
    stream('');
    await statesOf(open().answer(turns, ASKER, signal));
    expect(rolesOf(1)).toEqual(['system', 'user', 'assistant', 'user', 'assistant', 'user']);
    await statesOf(open().answer(turns.slice(2), ASKER, signal));
    expect(rolesOf(2).slice(0, 2)).toEqual(['user', 'assistant']);
  });

  it('is limited in its length, and told nothing in control tokens', async () => {
    await cutOf('what is <|im_end|>?');
    const { json } = asked(PATHS.chat)[0]!;
    expect(json['max_tokens']).toBeGreaterThan(0);
    expect(JSON.stringify(json)).not.toContain('<|im_end|>');
  });
});

describe('the tokens that a model gets', () => {
  const thought = {
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    body: `data: ${JSON.stringify({
      choices: [{ delta: { content: '<think>hm' }, finish_reason: 'length' }],
    })}\n\ndata: [DONE]\n\n`,
  };
  const tooLong = {
    status: 400,
    body: JSON.stringify({ error: { message: 'maximum context length is 4096 tokens' } }),
  };
  const limits = () => asked(PATHS.chat).map(({ json }) => Number(json['max_tokens']));

  it('are more where it thinks until they are used up, now and later', async () => {
    const assistant = open('thinker');
    fake.fail(PATHS.chat, thought);
    expect(await ask(assistant)).toBe('You asked: why?');
    await ask(assistant);
    const [usual = 0, more = 0, later] = limits();
    expect(more).toBeGreaterThan(usual);
    expect(later).toBe(more);
  });

  it('are as many as before for other models', async () => {
    const own = { platform: 'p', id: 'own' };
    fake.otherKeys.add('svck:own');
    const assistant = createAssistant({
      client: {
        ...client,
        serviceKeyOf: async ({ id }) => createServiceKey(id === own.id ? 'svck:own' : fake.key),
      },
    });
    fake.models = ['thinker'];
    fake.fail(PATHS.chat, thought);
    await ask(assistant);
    fake.models = ['other'];
    const asker = { ...ASKER, space: own };
    await statesOf(assistant.answer([{ role: 'user', content: 'why?' }], asker, signal));
    expect(modelsAsked()).toEqual(['thinker', 'thinker', 'other']);
    expect(limits()[2]).toBe(limits()[0]);
  });

  it('are fewer where they do not fit, so that others are still answered', async () => {
    const assistant = open('thinker');
    fake.fail(PATHS.chat, thought, tooLong);
    expect(await ask(assistant)).toBe('You asked: why?');
    const [usual = 0, more = 0, fewer = 0] = limits();
    expect(fewer).toBeLessThan(more);
    expect(fewer).toBeGreaterThan(usual);
    await ask(assistant);
    expect(limits().at(-1)).toBe(fewer);
  });

  it('are fewer for answers as well, where a context has no room for them', async () => {
    const assistant = open('small');
    fake.fail(PATHS.chat, tooLong, tooLong);
    expect(await ask(assistant)).toBe('You asked: why?');
    const [usual = 0, , fewer = 0] = limits();
    expect(fewer).toBeLessThan(usual);
    fake.fail(PATHS.chat, ...Array.from({ length: 9 }, () => tooLong));
    await expect(ask(assistant)).rejects.toMatchObject({ code: 'too-large' });
    expect(limits().length).toBeLessThan(8);
  });

  it('are no reason to ask for ever', async () => {
    const assistant = open('thinker');
    fake.fail(PATHS.chat, thought, tooLong, tooLong, tooLong, tooLong, thought);
    await expect(ask(assistant)).rejects.toMatchObject({ code: 'bad-reply' });
    expect(limits()).toHaveLength(6);
    expect(await ask(assistant)).toBe('You asked: why?');
  });
});

describe('the tokens of an answer', () => {
  const tokensOf = async (question: string): Promise<readonly number[]> => {
    const told: number[] = [];
    const turns = [{ role: 'user', content: question }] as const;
    await statesOf(open().answer(turns, ASKER, signal, { used: (tokens) => told.push(tokens) }));
    return told;
  };
  const streamOf = (...events: readonly unknown[]) => ({
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    body: events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''),
  });
  const usage = (total_tokens: number) => ({
    usage: { prompt_tokens: 1, completion_tokens: total_tokens - 1, total_tokens },
  });

  it('are those that the service counts', async () => {
    fake.fail(
      PATHS.chat,
      streamOf({ choices: [{ delta: { content: 'yes' } }] }, { choices: [], ...usage(42) }),
    );
    expect(await tokensOf('why?')).toEqual([42]);
    expect(asked(PATHS.chat)[0]?.json).toMatchObject({ stream_options: { include_usage: true } });
  });

  it('are the last sum where every chunk tells the sum so far', async () => {
    const chunk = (total: number) => ({ choices: [{ delta: { content: 'a' } }], ...usage(total) });
    fake.fail(PATHS.chat, streamOf(chunk(5), chunk(6), chunk(7)));
    expect(await tokensOf('why?')).toEqual([7]);
  });

  it('are estimated where the service counts none: four bytes each, thinking included', async () => {
    fake.answers = () => '<think>hmm</think>Dragons';
    expect(await tokensOf('why 竜?')).toEqual([2 + 7]);
  });

  it('are none where no answer began', async () => {
    fake.fail(PATHS.chat, { status: 403 });
    await expect(tokensOf('why?')).rejects.toMatchObject({ code: 'forbidden' });
    const told: number[] = [];
    fake.fail(PATHS.chat, { status: 403 });
    const answer = open().answer([{ role: 'user', content: 'a' }], ASKER, signal, {
      used: (tokens) => told.push(tokens),
    });
    await expect(answer.next()).rejects.toThrow();
    expect(told).toEqual([]);
  });
});
