import { describe, expect, it } from 'vitest';
import { createServiceKey } from '../../../src/api/keys.ts';
import { serviceError } from '../../../src/api/service-error.ts';
import { AppError } from '../../../src/errors.ts';
import { tree, written } from '../../fakes/markup.ts';
import { signal, SPACE, useTranslator } from './translator-support.ts';

const { script, translator, translate } = useTranslator();

describe('a translation that fails', () => {
  const context = ['ada: before'];
  const broken = (status: number) =>
    serviceError(status, undefined, '', createServiceKey('svck:any'));

  it.each(['', ' \u200b ', '🎉', '…', '⟦1⟧'])(
    'is asked for once more without the context where the reply has no words: %j',
    async (empty) => {
      script.engine = (text, call) => (call === 1 ? empty : `¡${text}!`);
      for (const before of [context, []]) {
        script.asked = [];
        const { text, outcome } = await translate({ text: 'hello', from: 'en', context: before });
        expect({ text, outcome }).toEqual({ text: '¡hello!', outcome: 'translated' });
        expect(script.asked.map((one) => one.context)).toEqual([before[0], undefined]);
      }
    },
  );

  it('is none where a number stands for a word', async () => {
    script.engine = () => '12';
    expect(await translate({ text: 'twelve', from: 'en' })).toMatchObject({ text: '12' });
    expect(script.asked).toHaveLength(1);
  });

  it('is an error where the reply has no words twice', async () => {
    script.engine = () => '';
    for (const whole of [true, false]) {
      script.asked = [];
      await expect(translate({ text: 'hello', from: 'en', whole })).rejects.toMatchObject({
        code: 'bad-reply',
        retryable: false,
      });
      expect(script.asked).toHaveLength(2);
    }
  });

  it.each([
    ['in another language', 'I would be very happy to help you with that today.'],
    ['the text itself', 'Where is the fox today, and why?'],
    ['a loop', 'el zorro y '.repeat(14)],
    ['a short loop', '¿Zorro? ¿zorro? ¿zorro? ¿zorro?'],
    ['a loop behind good words', `¿Dónde está el zorro hoy, y por qué?${' mañana'.repeat(40)}.`],
    ['100,000 characters', 'el zorro, la casa y otras cosas más '.repeat(2_800)],
    ['an answer', 'El zorro está en el bosque con sus amigos.'],
    ['of another amount', '¿Dónde está el zorro de 1.250 euros hoy, y por qué?'],
    ['JSON', '{"translation": "¿Dónde está?", "language": "es"}'],
    ['with lines of its own', '¿Dónde está el zorro?\n\nOtra: ¿Dónde anda?'],
  ])('is an error, and shows nothing, where the reply is %s', async (_, reply) => {
    script.engine = () => reply;
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
    script.engine = () => "I'm sorry, but I can't help with that.";
    const shown: string[] = [];
    const reading = async (): Promise<void> => {
      const request = { to: 'ja', from: 'en', place: SPACE, lane: 'interactive' } as const;
      for await (const state of translator.translate({ ...request, text: tree('hello') }, signal))
        shown.push(written(state()));
    };
    await expect(reading()).rejects.toMatchObject({ code: 'bad-reply', retryable: false });
    expect(shown.join('')).toBe('');
    expect(script.asked).toHaveLength(2);
  });

  it.each([400, 413, 422, 500, 502])(
    'is asked for without the context where the service answers %i',
    async (status) => {
      script.engine = (text) => {
        if (script.asked.at(-1)?.context) throw broken(status);
        return `¡${text}!`;
      };
      const { text } = await translate({ text: 'hello', from: 'en', context, whole: true });
      expect(text).toBe('¡hello!');
      expect(script.asked).toHaveLength(2);
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
      script.asked = [];
      script.engine = () => {
        throw error;
      };
      const given = translate({ text: 'hello', from: 'en', context: before, whole: true });
      await expect(given).rejects.toBe(error);
      expect(script.asked).toHaveLength(1);
    }
  });
});
