import { afterEach, describe, expect, it } from 'vitest';
import { readChatBody, type ChatBody } from '../../../../service/chat-body.ts';
import type { EngineAbilities } from '../../../../service/engine.ts';
import { createEngineHealth, type Engines } from '../../../../service/engine-loader.ts';
import { createAbilities } from '../../../../service/engines/llama/abilities.ts';
import type { ChatModel } from '../../../../service/engines/llama/model.ts';
import type { LlamaProcesses } from '../../../../service/engines/llama/processes.ts';
import { translateJudged } from '../../../../service/judged-translation.ts';
import type { KeyAccount } from '../../../../service/keys/account.ts';
import { completeChat } from '../../../../service/routes/chat.ts';
import { silentLog } from '../../../fakes/silent-log.ts';
import { createRequestLimiter } from '../../../../service/request-limiter.ts';
import { testContract } from '../../../contracts/contract.ts';
import { translationEngineContract } from '../../../contracts/translation-engine.ts';
import { fakeProcesses, languageModel } from './scene.ts';

const signal = new AbortController().signal;
const GENERAL = languageModel('general');
const LARGE = languageModel('large', { parameters: 9e9 });
const SMALL = languageModel('small', { parameters: 0.3e9 });
const FOR_TRANSLATION = languageModel('hy-mt2-1.8b', { isForTranslation: true, parameters: 1.8e9 });
const FOR_VECTORS = languageModel('vectors', { isForVectors: true });

const ASKED = { text: 'hi', from: 'en', to: 'es', tokens: new Map(), keywords: [], context: '' };

let processes: LlamaProcesses;
afterEach(() => processes[Symbol.asyncDispose]());

const offer = (
  models: readonly ChatModel[],
  languages?: readonly string[],
  contextTokens = 4_096,
): EngineAbilities => {
  processes = fakeProcesses({ contextTokens });
  const installed = models.map((model) => ({ model, languages }));
  return createAbilities(installed, processes);
};

const chatBody = (fields: object): Promise<ChatBody> => {
  const bytes = Buffer.from(
    JSON.stringify({ messages: [{ role: 'user', content: 'hi' }], ...fields }),
  );
  return readChatBody(
    (async function* () {
      yield bytes;
    })(),
  );
};

const post = async (abilities: EngineAbilities, fields: object): Promise<string> => {
  const reply = await abilities.chat!.complete(await chatBody(fields), signal);
  return Buffer.concat(await Array.fromAsync(reply.body)).toString('utf8');
};
const says = (content: string) => ({ messages: [{ role: 'user', content }] });

describe('a chat with an installed model', () => {
  it('is answered in one piece, with its counts', async () => {
    const reply = JSON.parse(await post(offer([GENERAL]), says('good morning'))) as object;
    expect(reply).toMatchObject({
      object: 'chat.completion',
      model: 'general',
      choices: [
        { message: { role: 'assistant', content: 'good morning ' }, finish_reason: 'stop' },
      ],
      usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
    });
  });

  it('is answered word by word, with counts where they are asked for', async () => {
    const text = await post(offer([GENERAL]), {
      ...says('good morning'),
      stream: true,
      stream_options: { include_usage: true },
    });
    const events = text
      .trim()
      .split('\n\n')
      .map((line) => line.replace('data: ', ''));
    expect(events.at(-1)).toBe('[DONE]');
    const chunks = events.slice(0, -1).map((event) => JSON.parse(event) as never);
    expect(chunks).toMatchObject([
      { choices: [{ delta: { role: 'assistant' } }] },
      { choices: [{ delta: { content: 'good ' } }] },
      { choices: [{ delta: { content: 'morning ' } }] },
      { choices: [{ finish_reason: 'stop' }] },
      { choices: [], usage: { total_tokens: 5 } },
    ]);
  });

  it('ends after so many tokens, though nobody said how many', async () => {
    const reply = JSON.parse(await post(offer([GENERAL]), says('loop'))) as never;
    expect(reply).toMatchObject({ usage: { completion_tokens: 1_000 } });
  });

  it('goes to the model of its name, or to the largest that was not made to translate', async () => {
    const abilities = offer([FOR_TRANSLATION, SMALL, FOR_VECTORS, LARGE]);
    expect(abilities.chat?.models).toEqual(['large', 'small', 'hy-mt2-1.8b']);
    for (const [model, used] of [
      ['small', 'small'],
      ['vectors', 'large'],
      ['gpt-9', 'large'],
    ])
      expect(JSON.parse(await post(abilities, { model }))).toMatchObject({ model: used });
  });

  it.each([
    ['which is too long by far', says('word '.repeat(10_000)), 'ErrTextTooLong'],
    ['which turns out to be too long', says('x'.repeat(17_000)), 'ErrTextTooLong'],
    ['whose turns the template does not take', says('disorder'), 'ErrInvalidParameter'],
    ['with tools', { tools: [{}] }, 'ErrInvalidParameter'],
    ['for several answers', { n: 2 }, 'ErrInvalidParameter'],
    ['with no room for an answer', { max_tokens: 0 }, 'ErrInvalidParameter'],
    [
      'with a picture',
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] }] },
      'ErrInvalidParameter',
    ],
    [
      'with a schema that it cannot keep to',
      {
        response_format: {
          type: 'json_schema',
          json_schema: { schema: { type: 'array', items: { not: {} } } },
        },
      },
      'ErrInvalidParameter',
    ],
  ])('%s is refused', async (_what, fields, named) => {
    await expect(post(offer([GENERAL]), fields)).rejects.toMatchObject({ named });
  });

  it('breaks off where the process dies, and the next is answered', async () => {
    const abilities = offer([GENERAL]);
    await expect(post(abilities, { ...says('die slowly'), stream: true })).rejects.toMatchObject({
      code: 'unavailable',
    });
    expect(await post(abilities, says('hello'))).toContain('hello');
  });

  it('keeps nobody from the model once it is written, however slowly it is read', async () => {
    const { chat } = offer([GENERAL]);
    const limiter = createRequestLimiter({ concurrent: 1, waiting: 9 });
    const offers = [{ name: 'llama', engine: chat!, limiter, health: createEngineHealth() }];
    const context = {
      engines: { offers: async () => offers } as unknown as Engines,
      account: { name: 'slow', isMetered: false, charge: () => {} } as unknown as KeyAccount,
      log: silentLog,
      signal,
    };
    const unread = await completeChat(await chatBody(says('good morning')), context);
    const other = await completeChat(await chatBody(says('hello')), context);
    expect(Buffer.concat(await Array.fromAsync(other.body)).toString()).toContain('hello');
    expect(Buffer.concat(await Array.fromAsync(unread.body)).toString()).toContain('morning');
  });
});

describe('vectors of texts', () => {
  const turn = async (): Promise<Disposable> => ({ [Symbol.dispose]: () => {} });
  const embed = (models: readonly ChatModel[], texts: readonly string[], taken = turn) =>
    Array.fromAsync(offer(models).chat!.embed!({ texts }, signal, taken));

  it('come from a model that was made for them, or else from the one that answers', async () => {
    expect(await embed([GENERAL, FOR_VECTORS], ['a', 'bcd'])).toEqual([
      { model: 'vectors', vector: [1, 0], tokens: 1 },
      { model: 'vectors', vector: [3, 0], tokens: 1 },
    ]);
    await processes[Symbol.asyncDispose]();
    expect(await embed([GENERAL], ['a'])).toMatchObject([{ model: 'general' }]);
  });

  it('take a turn for each text', async () => {
    const turns: string[] = [];
    const taken = async (): Promise<Disposable> => {
      turns.push('begins');
      return { [Symbol.dispose]: () => turns.push('ends') };
    };
    await embed([FOR_VECTORS, GENERAL], ['a', 'b'], taken);
    expect(turns).toEqual(['begins', 'ends', 'begins', 'ends']);
  });

  it('are refused for a text that is too long before the first is made', async () => {
    const { chat } = offer([GENERAL]);
    const made = chat!.embed!({ texts: ['a', 'x'.repeat(5_000)] }, signal, turn);
    await expect(made.next()).rejects.toMatchObject({
      named: 'ErrTextTooLong',
      message: expect.stringContaining('4096 tokens'),
    });
  });
});

describe('translation', () => {
  it.each([
    ['a model that was made for it comes after Bergamot', [LARGE, FOR_TRANSLATION], 2.6],
    ['a large model comes before Apertium', [LARGE, GENERAL], 2.8],
    ['a smaller one comes last', [GENERAL], 9],
  ])('%s', (_what, models, rank) => {
    expect(offer(models).translation?.rank?.('en', 'es')).toBe(rank);
  });

  it('is nothing for models below 1B', () => {
    const abilities = offer([SMALL]);
    expect(abilities.chat).toBeDefined();
    expect(abilities.translation).toBeUndefined();
  });

  it('is by the best of the models that know the pair', async () => {
    processes = fakeProcesses();
    const installed = [
      { model: FOR_TRANSLATION, languages: ['en', 'es'] },
      { model: GENERAL, languages: ['en', 'es', 'da'] },
    ];
    const abilities = createAbilities(installed, processes);
    const { translation } = abilities;
    expect(['es', 'da', 'fi'].map((to) => translation!.translates('en', to))).toEqual([
      true,
      true,
      false,
    ]);
    expect(['es', 'da'].map((to) => translation!.rank!('en', to))).toEqual([2.6, 9]);
    const usedFor = async (to: string): Promise<unknown> => {
      const asked = { ...ASKED, to };
      const [piece] = await Array.fromAsync(translation!.translate(asked, signal));
      return piece?.model;
    };
    expect(await usedFor('es')).toBe('hy-mt2-1.8b');
    expect(await usedFor('da')).toBe('general');
  });

  it('is for the languages that the record of its model names', () => {
    const { translation } = offer([FOR_TRANSLATION], ['en', 'fil', 'zh']);
    const pairs = ['en tl', 'zh en', 'en da', 'da en', 'en en-XA'];
    const known = pairs.map((pair) =>
      translation!.translates(...(pair.split(' ') as [string, string])),
    );
    expect(known).toEqual([true, true, false, false, false]);
  });

  const translate = async (abilities: EngineAbilities, text: string): Promise<string> => {
    const pieces = await translateJudged(
      { ...ASKED, text },
      {
        name: 'llama',
        engine: abilities.translation!,
        limiter: createRequestLimiter({ concurrent: 1, waiting: 9 }),
        health: createEngineHealth(),
      },
      'key',
      signal,
      () => {},
    );
    return (await Array.fromAsync(pieces)).map((piece) => piece.text).join('');
  };

  it('asks a model in the words of its family, whatever its folder is called', async () => {
    const named = languageModel('mine', { isForTranslation: true, names: 'mine x.gguf Hy MT2' });
    const { translation } = offer([named]);
    expect(translation!.rules!(ASKED)).toEqual([expect.stringContaining('translated result')]);
  });

  it('keeps terms by tokens where the words of the family say nothing of them', () => {
    const keeps = [
      FOR_TRANSLATION,
      languageModel('translategemma-4b', { isForTranslation: true }),
    ].map((model) => offer([model]).translation!.keepsKeywords!({ ...ASKED, keywords: ['Bob'] }));
    expect(keeps).toEqual([true, false]);
  });

  it('that is only "the the the" is none', async () => {
    await expect(translate(offer([FOR_TRANSLATION]), 'a loop of words')).rejects.toMatchObject({
      named: 'ErrBadReply',
    });
  });

  it('of a text over the context is made in parts', async () => {
    const text = 'Uno dos tres cuatro. '.repeat(200).trim();
    const abilities = offer([FOR_TRANSLATION], undefined, 1_024);
    expect((await translate(abilities, text)).split(' ')).toHaveLength(text.split(' ').length);
  });
});

testContract('an installed model that translates', translationEngineContract, () => ({
  port: offer([FOR_TRANSLATION]).translation!,
  from: 'en',
  to: 'es',
}));
