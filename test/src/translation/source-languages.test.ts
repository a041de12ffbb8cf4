import { describe, expect, it } from 'vitest';
import { createServiceKey } from '../../../src/api/keys.ts';
import { serviceError } from '../../../src/api/service-error.ts';
import { useTranslator } from './translator-support.ts';

const { script, translate } = useTranslator();

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
    script.engine = (text) => {
      const { sourceLang, targetLang } = script.asked.at(-1)!;
      if (has.includes(sourceLang)) return `¡${text}!`;
      const only = isTold ? `, only from ${has.join(', ')}` : '';
      throw refusal(isTold ? `No engine translates ${sourceLang} to ${targetLang}${only}.` : 'no');
    };
  };
  const sources = (): readonly string[] => script.asked.map(({ sourceLang }) => sourceLang);

  it.each(['same', 'done', 'Monday?', 'ready', 'wait'])(
    'is in the language that an engine has: %j',
    async (text) => {
      serves(['en'], true);
      const { from, outcome } = await translate({ text, to: 'pt' });
      expect([from, outcome]).toEqual(['en', 'translated']);
      expect(script.asked.length).toBeLessThanOrEqual(2);
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
    script.engine = (text) => `¡${text}!`;
    for (const text of ['same', 'done', 'Monday?']) await translate({ text, to: 'pt' });
    await translate({ text: 'gato', to: 'de', expected: ['pt'] });
    expect(sources()).toEqual(['en', 'en', 'en', 'pt']);
  });

  it.each([
    ['unsupported source_lang', 4],
    ['text is damaged', 1],
    ['the language model is not loaded', 1],
  ])('is tried in others where a service refuses languages alone: %s', async (error, times) => {
    script.engine = () => {
      throw serviceError(
        400,
        undefined,
        JSON.stringify({ context: [], code: 1, name: 'ErrInvalidParameter', error }),
        createServiceKey('svck:any'),
      );
    };
    const failed = translate({ text: 'zzyzx', to: 'pt', expected: ['es', 'fr', 'it', 'de'] });
    await expect(failed).rejects.toMatchObject({ code: 'bad-input' });
    expect(script.asked.length).toBe(times);
  });

  it('fails where nothing helps, and soon', async () => {
    serves([], false);
    const failed = translate({ text: 'same', to: 'pt', expected: ['es', 'fr', 'it', 'de'] });
    await expect(failed).rejects.toMatchObject({ code: 'missing' });
    expect(script.asked.length).toBe(4);
  });

  it('is tried, and no other text is: only where another may follow is a refusal no failure', async () => {
    script.engine = (text) => `¡${text}!`;
    await translate({ text: 'same', to: 'pt' });
    await translate({ text: 'same', to: 'pt', from: 'en' });
    await translate({ text: 'これは何ですか', to: 'pt' });
    expect(script.options.map(({ isTrial }) => isTrial)).toEqual([true, false, false]);
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
      expect(script.asked).toEqual([]);
    },
  );
});
