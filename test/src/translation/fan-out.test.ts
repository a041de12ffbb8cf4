import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { plainWords } from '../../../src/rich-text/compose.ts';
import type { RichText } from '../../../src/rich-text/rich-text.ts';
import { translateLine } from '../../../src/translation/fan-out.ts';
import type { GrowingText, Translator } from '../../../src/translation/translator.ts';

const LINE = {
  lane: 'live',
  space: { platform: 'test', id: 's' },
  text: plainWords('hello'),
} as const;
const signal = new AbortController().signal;

const translatorOf = (
  run: (to: string) => AsyncGenerator<GrowingText, RichText | undefined, void>,
): Translator => ({
  async *translate({ to, text }) {
    const result = yield* run(to);
    return {
      text: result ?? text,
      from: 'en',
      to,
      outcome: result === undefined ? 'same-language' : 'translated',
    };
  },
});

describe('one line into several languages', () => {
  it('asks once for each language and ends each with its whole text', async () => {
    const asked: string[] = [];
    const translator = translatorOf(async function* (to) {
      asked.push(to);
      yield () => plainWords(`${to} grow`);
      return plainWords(`${to} grown`);
    });
    const items = await Array.fromAsync(
      translateLine(translator, LINE, ['ja', 'fr', 'ja'], signal),
    );
    expect(asked).toEqual(['ja', 'fr']);
    expect(items.filter(({ done }) => done)).toEqual([
      { language: 'ja', text: plainWords('ja grown'), done: true },
      { language: 'fr', text: plainWords('fr grown'), done: true },
    ]);
  });

  it('says nothing for the language the line is in', async () => {
    const translator = translatorOf(async function* () {
      return undefined;
    });
    expect(await Array.fromAsync(translateLine(translator, LINE, ['en'], signal))).toEqual([]);
  });

  it('tells a failure of one language and goes on with the others', async () => {
    const translator = translatorOf(async function* (to) {
      if (to === 'fr') throw new AppError('unavailable', 'down');
      yield () => plainWords(to);
      return plainWords(to);
    });
    const items = await Array.fromAsync(translateLine(translator, LINE, ['fr', 'ja'], signal));
    expect(items.find(({ language }) => language === 'fr')).toMatchObject({
      done: true,
      text: [],
      error: { code: 'unavailable' },
    });
    expect(items.at(-1)).toEqual({ language: 'ja', text: plainWords('ja'), done: true });
  });

  it('has at most four requests under way', async () => {
    let running = 0;
    let most = 0;
    const translator = translatorOf(async function* (to) {
      running += 1;
      most = Math.max(most, running);
      await new Promise(setImmediate);
      running -= 1;
      return plainWords(to);
    });
    const languages = ['de', 'es', 'fr', 'it', 'ja', 'ko', 'nl', 'pl', 'pt'];
    const items = await Array.fromAsync(translateLine(translator, LINE, languages, signal));
    expect(items.map(({ language }) => language).toSorted()).toEqual(languages);
    expect(most).toBeLessThanOrEqual(4);
  });

  it('stops its requests when nobody listens any more', async () => {
    let closed = 0;
    const translator = translatorOf(async function* () {
      try {
        yield () => plainWords('first');
        yield () => plainWords('second');
      } finally {
        closed += 1;
      }
      return plainWords('whole');
    });
    for await (const item of translateLine(translator, LINE, ['ja'], signal)) {
      expect(item.text).toEqual(plainWords('first'));
      break;
    }
    expect(closed).toBe(1);
  });

  it('aborts what other languages still wait for when nobody listens any more', async () => {
    const translator: Translator = {
      async *translate({ to, text }, stop) {
        if (to === 'fr')
          await new Promise((_, reject) => {
            stop.addEventListener('abort', () => reject(stop.reason));
          });
        yield () => plainWords(to);
        return { text, from: 'en', to, outcome: 'translated' };
      },
    };
    for await (const item of translateLine(translator, LINE, ['fr', 'ja'], signal)) {
      expect(item.language).toBe('ja');
      break;
    }
  });
});
