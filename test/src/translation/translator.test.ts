import { beforeEach, describe, expect, it } from 'vitest';
import type { TranslationInput } from '../../../src/api/translation.ts';
import { indexTerms } from '../../../src/text/terms/term-index.ts';
import type { GlossaryTerm } from '../../../src/model/glossary.ts';
import {
  type Translation,
  type TranslationRequest,
  createTranslator,
} from '../../../src/translation/translator.ts';
import { createServiceKey } from '../../../src/api/keys.ts';
import { serviceError } from '../../../src/api/service-error.ts';
import { AppError } from '../../../src/errors.ts';
import { tree, written } from '../../fakes/markup.ts';
import { createLanguageHistory } from '../../../src/translation/language-history.ts';

const SPACE = { platform: 'test', id: 'space' };
const signal = new AbortController().signal;

let asked: TranslationInput[];
let terms: GlossaryTerm[];
let engine: (text: string, call: number) => string;

beforeEach(() => {
  asked = [];
  terms = [];
  engine = (text) => `¡${text}!`;
});

const translator = createTranslator({
  client: {
    translate: async (input) => {
      asked.push(input);
      return engine(input.text, asked.length);
    },
    async *translateStream(input) {
      asked.push(input);
      const whole = engine(input.text, asked.length);
      yield whole.slice(0, whole.length / 2);
      yield whole;
      return whole;
    },
  },
  glossary: {
    inText: async (_, text) => ({ terms, occurrences: indexTerms(terms).find(text) }),
  },
  languages: createLanguageHistory(),
});

/** Translates a text as Discord writes it; its translation is written in the same way. */
const translate = async ({
  text,
  ...request
}: Omit<Partial<TranslationRequest>, 'text'> & { readonly text: string }): Promise<
  Omit<Translation, 'text'> & { text: string; seen: string[] }
> => {
  const states = translator.translate(
    { to: 'ja', place: SPACE, lane: 'interactive', ...request, text: tree(text) },
    signal,
  );
  const seen: string[] = [];
  for (;;) {
    const { done, value } = await states.next();
    if (done) return { ...value, text: written(value.text), seen };
    seen.push(written(value()));
  }
};

describe('the translator', () => {
  it('detects the language, and shows the text as it grows', async () => {
    // What is shown of a shorter one is the whole.
    const source = 'Where are you going this evening? '.repeat(11).trim();
    const { text, from, outcome, seen } = await translate({ text: source });
    expect({ text, from, outcome }).toEqual({
      text: `¡${source}!`,
      from: 'en',
      outcome: 'translated',
    });
    expect(seen.length).toBe(2);
    expect(asked[0]).toMatchObject({ sourceLang: 'en', targetLang: 'ja' });
  });

  it('asks for a text in one reply where nobody sees it grow', async () => {
    const { text, seen } = await translate({ text: 'See https://a.b this evening', whole: true });
    expect(text).toBe('¡See https://a.b this evening!');
    expect(seen).toEqual([]);
  });

  it('takes a text of an uncertain language for the likeliest one that is not the reader’s', async () => {
    await translate({ text: 'no', to: 'pl' });
    expect(asked[0]?.sourceLang).not.toBe('pl');
    expect(asked[0]?.targetLang).toBe('pl');
  });

  it.each(['felicidades', 'tusen takk', 'grattis'])(
    'translates %j for English readers',
    async (text) => {
      expect((await translate({ text, to: 'en' })).outcome).toBe('translated');
    },
  );

  it('leaves a line of chat that may be in no language as it is, and translates it where it is asked for', async () => {
    const channel = { space: SPACE, id: 'channel' };
    const line = { ref: { channel, id: '1' }, author: { platform: 'test', id: 'anna' } };
    expect((await translate({ text: 'hi', line })).outcome).toBe('nothing-to-translate');
    expect(asked).toEqual([]);
    expect((await translate({ text: 'hi' })).outcome).toBe('translated');
  });

  it('knows what the author of a line wrote before', async () => {
    const lineOf = (id: string) => ({
      ref: { channel: { space: SPACE, id: 'channel' }, id },
      author: { platform: 'test', id: 'bert' },
    });
    for (const [index, text] of ['hvad laver I så i aften?', 'det er fandeme ærgerligt'].entries())
      await translate({ text, line: lineOf(`da${index}`) });
    expect((await translate({ text: 'hvor er du?', line: lineOf('da3') })).from).toBe('da');
  });

  it('asks nobody when the text is in the target language already', async () => {
    const text = 'Where are you going this evening?';
    expect(await translate({ text, to: 'en' })).toMatchObject({ text, outcome: 'same-language' });
    expect(asked).toEqual([]);
  });

  it.each(['', ' \u200b\u2060 ', '🎉🎉 👩‍👩‍👧', 'https://example.org/a?b=c', '`npm ci`'])(
    'asks nobody when there is nothing to translate: %j',
    async (text) => {
      const same = { text: written(tree(text)), outcome: 'nothing-to-translate' };
      expect(await translate({ text })).toMatchObject(same);
      expect(asked).toEqual([]);
    },
  );

  it('keeps links, mentions and code out of the engine’s reach, and puts them back', async () => {
    const text = 'hello <@123>, run `npm ci` from https://example.org/read-me please';
    const { text: translated } = await translate({ text, from: 'en' });
    expect(translated).toBe(`¡${text}!`);
    expect(asked[0]?.text).not.toContain('123');
  });

  it('forces the glossary’s translations', async () => {
    terms = [{ term: 'blue mage', language: 'ja', translation: '青魔道士' }];
    engine = (text) => text.replace('The', 'その');
    const { text } = await translate({ text: 'The blue mage wins', from: 'en' });
    expect(text).toContain('青魔道士');
  });

  it('prefers the entry of the language to that of every language', async () => {
    terms = [
      { term: 'mage', language: undefined, translation: 'MAGE' },
      { term: 'mage', language: 'ja', translation: '魔道士' },
      { term: 'mage', language: 'de', translation: 'Magier' },
    ];
    expect((await translate({ text: 'the mage wins', from: 'en' })).text).toContain('魔道士');
    expect((await translate({ text: 'the mage wins', from: 'en', to: 'fr' })).text).toContain(
      'MAGE',
    );
  });

  it('sends kept terms as keywords, and asks again with them protected when they got lost', async () => {
    terms = [{ term: 'Dragoman', language: undefined, translation: undefined }];
    engine = (text) => text.replace('Dragoman', 'Dolmetscher');
    const { text } = await translate({ text: 'ask Dragoman about it', from: 'en' });
    expect(asked[0]?.keywords).toEqual(['Dragoman']);
    expect(asked).toHaveLength(2);
    expect(text).toContain('Dragoman');
  });

  it('sends kept terms in the order in which the glossary gives them, stems as they stand', async () => {
    terms = ['rare', 'dragon*', 'often', 'absent'].map((term) => ({
      term,
      language: undefined,
      translation: undefined,
    }));
    engine = (text) => `¡${text}!`;
    await translate({ text: 'often dragons and a Dragoner are rare', from: 'en', to: 'es' });
    expect(asked).toHaveLength(1);
    expect(asked[0]?.keywords).toEqual(['rare', 'dragons', 'Dragoner', 'often']);
  });

  it('does not take a term inside of another word for the term', async () => {
    terms = [{ term: 'art', language: undefined, translation: undefined }];
    engine = () => 'commence maintenant';
    await translate({ text: 'start right now please', from: 'en', to: 'fr' });
    expect(asked).toHaveLength(1);
    expect(asked[0]?.keywords).toEqual([]);
  });

  it('asks once more when a token was lost, and never loses what it stood for', async () => {
    engine = () => 'the link is gone';
    const { text } = await translate({ text: 'look at https://example.org now', from: 'en' });
    expect(asked).toHaveLength(2);
    expect(text).toContain('https://example.org');
  });

  it('asks for the model that the reader wants, and tells which one translated', async () => {
    engine = (text) => {
      asked.at(-1)?.onModel?.('bergamot-en-ja');
      return text.toUpperCase().split('').join(' ');
    };
    for (const whole of [true, false])
      expect(
        await translate({ text: 'hello you', from: 'en', model: 'bergamot', whole }),
      ).toMatchObject({
        model: 'bergamot-en-ja',
      });
    expect(asked.map(({ model }) => model)).toEqual(['bergamot', 'bergamot']);
  });

  it('sends the talk before it as context', async () => {
    await translate({ text: 'and you?', from: 'en', context: ['I am fine.', 'Me too.'] });
    expect(asked[0]?.context).toBe('I am fine.\nMe too.');
  });

  it('makes broken surrogates harmless', async () => {
    const { outcome } = await translate({ text: 'broken \ud800 text here', from: 'en' });
    expect(outcome).toBe('translated');
    expect(asked[0]?.text.isWellFormed()).toBe(true);
  });

  it('translates a text right to left', async () => {
    expect(await translate({ text: 'مرحبا يا صديقي كيف حالك اليوم' })).toMatchObject({
      from: 'ar',
      outcome: 'translated',
    });
  });
});

describe('a translation that fails', () => {
  const context = ['ada: before'];
  const broken = (status: number) =>
    serviceError(status, undefined, '', createServiceKey('svck:any'));

  it.each(['', ' \u200b ', '🎉', '…', '⟦1⟧'])(
    'is asked for once more without the context where the reply has no words: %j',
    async (empty) => {
      engine = (text, call) => (call === 1 ? empty : `¡${text}!`);
      for (const before of [context, []]) {
        asked = [];
        const { text, outcome } = await translate({ text: 'hello', from: 'en', context: before });
        expect({ text, outcome }).toEqual({ text: '¡hello!', outcome: 'translated' });
        expect(asked.map((one) => one.context)).toEqual([before[0], undefined]);
      }
    },
  );

  it('is none where a number stands for a word', async () => {
    engine = () => '12';
    expect(await translate({ text: 'twelve', from: 'en' })).toMatchObject({ text: '12' });
    expect(asked).toHaveLength(1);
  });

  it('is an error where the reply has no words twice', async () => {
    engine = () => '';
    for (const whole of [true, false]) {
      asked = [];
      await expect(translate({ text: 'hello', from: 'en', whole })).rejects.toMatchObject({
        code: 'bad-reply',
        retryable: false,
      });
      expect(asked).toHaveLength(2);
    }
  });

  it.each([
    ['in another language', 'I would be very happy to help you with that today.'],
    ['the text itself', 'Where is the fox today, and why?'],
    ['a loop', 'el zorro y '.repeat(14)],
    ['100,000 characters', 'el zorro, la casa y otras cosas más '.repeat(2_800)],
    ['an answer', 'El zorro está en el bosque con sus amigos.'],
    ['of another amount', '¿Dónde está el zorro de 1.250 euros hoy, y por qué?'],
    ['JSON', '{"translation": "¿Dónde está?", "language": "es"}'],
    ['with lines of its own', '¿Dónde está el zorro?\n\nOtra: ¿Dónde anda?'],
  ])('is an error, and shows nothing, where the reply is %s', async (_, reply) => {
    engine = () => reply;
    const states = translator.translate(
      {
        text: tree('Where is the fox today, and why?'),
        from: 'en',
        to: 'es',
        place: SPACE,
        lane: 'interactive',
      },
      signal,
    );
    const shown: unknown[] = [];
    const reading = (async () => {
      for await (const state of states) shown.push(written(state()));
    })();
    await expect(reading).rejects.toMatchObject({
      code: 'bad-reply',
      sentence: { key: 'service.not-translated' },
    });
    expect(shown.filter((one) => one === reply)).toEqual([]);
  });

  it('is an error, and shows nothing, where the model refuses twice', async () => {
    engine = () => "I'm sorry, but I can't help with that.";
    const shown: string[] = [];
    const reading = async (): Promise<void> => {
      const request = { to: 'ja', from: 'en', place: SPACE, lane: 'interactive' } as const;
      for await (const state of translator.translate({ ...request, text: tree('hello') }, signal))
        shown.push(written(state()));
    };
    await expect(reading()).rejects.toMatchObject({ code: 'bad-reply', retryable: false });
    expect(shown.join('')).toBe('');
    expect(asked).toHaveLength(2);
  });

  it.each([400, 413, 422, 500, 502])(
    'is asked for without the context where the service answers %i',
    async (status) => {
      engine = (text) => {
        if (asked.at(-1)?.context) throw broken(status);
        return `¡${text}!`;
      };
      const { text } = await translate({ text: 'hello', from: 'en', context, whole: true });
      expect(text).toBe('¡hello!');
      expect(asked).toHaveLength(2);
    },
  );

  it('is asked for once where it has no context, or the context has no part in it', async () => {
    const lost = new AppError('unavailable', 'the service cannot be reached', { retryable: true });
    for (const [error, before] of [
      [broken(500), []],
      [broken(401), context],
      [broken(402), context],
      [broken(404), context],
      [broken(429), context],
      [lost, context],
    ] as const) {
      asked = [];
      engine = () => {
        throw error;
      };
      const given = translate({ text: 'hello', from: 'en', context: before, whole: true });
      await expect(given).rejects.toBe(error);
      expect(asked).toHaveLength(1);
    }
  });
});

describe('an unchanged reply', () => {
  it.each(['Taxi', 'taxi', ' TAXI  ', 'Taxi\n'])('is nothing to translate: %j', async (reply) => {
    engine = () => reply;
    const same = { text: 'Taxi', outcome: 'nothing-to-translate' };
    expect(await translate({ text: 'Taxi', from: 'en' })).toMatchObject(same);
  });

  it('is told from one with other words', async () => {
    engine = () => 'Taxis';
    expect((await translate({ text: 'Taxi', from: 'en' })).outcome).toBe('translated');
  });
});

describe('a text of an uncertain language', () => {
  const refusal = (error: string) =>
    serviceError(
      404,
      undefined,
      JSON.stringify({ context: [], code: 1, name: 'ErrServiceNotRegistered', error }),
      createServiceKey('svck:any'),
    );
  /** A service with engines from these languages; without them, it does not say which it has. */
  const serves = (has: readonly string[], isTold: boolean): void => {
    engine = (text) => {
      const { sourceLang, targetLang } = asked.at(-1)!;
      if (has.includes(sourceLang)) return `¡${text}!`;
      const only = isTold ? `, only from ${has.join(', ')}` : '';
      throw refusal(isTold ? `No engine translates ${sourceLang} to ${targetLang}${only}.` : 'no');
    };
  };
  const sources = (): readonly string[] => asked.map(({ sourceLang }) => sourceLang);

  it.each(['same', 'done', 'Monday?', 'ready', 'wait'])(
    'is in the language that an engine has: %j',
    async (text) => {
      serves(['en'], true);
      const { from, outcome } = await translate({ text, to: 'pt' });
      expect([from, outcome]).toEqual(['en', 'translated']);
      expect(asked.length).toBeLessThanOrEqual(2);
    },
  );

  it('is rather in a language of the reader or of the place', async () => {
    serves(['en', 'es', 'pt', 'it', 'fr'], true);
    const expected = ['pt'];
    expect((await translate({ text: 'gato', to: 'de', expected })).from).toBe('pt');
  });

  it('is tried in these and in English where the service does not say what it has', async () => {
    serves(['en'], false);
    await translate({ text: 'help', to: 'pt', expected: ['pt', 'es'] });
    expect(sources().slice(1)).toEqual(['es', 'en']);
  });

  it('is rather English than a language that nobody is known to use', async () => {
    engine = (text) => `¡${text}!`;
    for (const text of ['same', 'done', 'Monday?']) await translate({ text, to: 'pt' });
    await translate({ text: 'gato', to: 'de', expected: ['pt'] });
    expect(sources()).toEqual(['en', 'en', 'en', 'pt']);
  });

  it.each([
    ['unsupported source_lang', 4],
    ['text is damaged', 1],
  ])('is tried in others where a service refuses languages alone: %s', async (error, times) => {
    engine = () => {
      throw serviceError(
        400,
        undefined,
        JSON.stringify({ context: [], code: 1, name: 'ErrInvalidParameter', error }),
        createServiceKey('svck:any'),
      );
    };
    const failed = translate({ text: 'zzyzx', to: 'pt', expected: ['es', 'fr', 'it', 'de'] });
    await expect(failed).rejects.toMatchObject({ code: 'bad-input' });
    expect(asked.length).toBe(times);
  });

  it('fails with the first refusal where nothing helps, and soon', async () => {
    serves([], false);
    const failed = translate({ text: 'same', to: 'pt', expected: ['es', 'fr', 'it', 'de'] });
    await expect(failed).rejects.toMatchObject({ code: 'missing' });
    expect(asked.length).toBe(4);
  });

  it('is not taken for another where its language is clear, or given', async () => {
    serves(['en'], true);
    const clear = 'これは何ですか';
    await expect(translate({ text: clear, to: 'pt' })).rejects.toMatchObject({ code: 'missing' });
    const given = translate({ text: 'same', to: 'pt', from: 'ro' });
    await expect(given).rejects.toMatchObject({ code: 'missing' });
    expect(sources()).toEqual(['ja', 'ro']);
  });

  it.each(['ok', 'lol', 'gg', 'kkk', 'OK!', 'hahaha lol'])(
    'has nothing to translate where it is no language: %j',
    async (text) => {
      expect((await translate({ text, to: 'pt' })).outcome).toBe('nothing-to-translate');
      expect(asked).toEqual([]);
    },
  );
});
