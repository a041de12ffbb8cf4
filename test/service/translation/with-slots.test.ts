import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  translateWithSlots,
  type LineTranslator,
} from '../../../service/translation/with-slots.ts';
import type { WordRun } from '../../../service/translation/markup.ts';
import type { TokenMeaning } from '../../../src/text/protect/meanings.ts';

const WORDS: Readonly<Record<string, string>> = {
  the: 'el',
  thanks: 'gracias',
  friends: 'amigos',
  dragon: 'dragón',
  big: 'grande',
  eats: 'come',
  hello: 'hola',
};

const translated = (text: string): string =>
  text.replaceAll(/[a-z]+/gi, (word) => WORDS[word.toLowerCase()] ?? word);

const ascii = /^[ -~]*$/;

/** An engine word by word that finds what it is asked to find; `change` says what it does wrong. */
const engine = (
  change: (runs: readonly WordRun[], call: number) => readonly WordRun[] = (runs) => runs,
): LineTranslator & { readonly read: string[] } => {
  const read: string[] = [];
  let calls = 0;
  return {
    read,
    words: async (texts) => {
      read.push(...texts);
      return texts.map(translated);
    },
    runs: async (runs) => {
      read.push(runs.map(({ text }) => text).join(''));
      calls += 1;
      return change(
        runs.map((run) => ({ ...run, text: translated(run.text) })),
        calls,
      );
    },
    reads: (text) => ascii.test(text),
  };
};

const meanings = (...list: readonly TokenMeaning[]): ReadonlyMap<number, TokenMeaning> =>
  new Map(list.map((one, index) => [index + 1, one]));

describe('a line with tokens', () => {
  it('is read by the engine with the words that they stand for', async () => {
    const used = engine();
    const tokens = meanings({ word: 'friends' }, { opens: 1 }, { closes: 1 });
    expect(await translateWithSlots('Thanks ⟦1⟧, ⟦2⟧the big⟦3⟧ dragon ⟦4⟧', tokens, used)).toBe(
      'gracias ⟦1⟧, ⟦2⟧el grande⟦3⟧ dragón ⟦4⟧',
    );
    expect(used.read).toEqual(['Thanks friends, the big dragon']);
  });

  it('has a token where its word is, not the article that came with it', async () => {
    const withArticle = engine(([run, word, ...rest]) => [
      { ...run!, text: 'gracias a ' },
      { ...word!, text: 'los amigos' },
      ...rest,
    ]);
    const line = await translateWithSlots(
      'Thanks ⟦1⟧ hello',
      meanings({ word: 'friends' }),
      withArticle,
    );
    expect(line).toBe('gracias a los ⟦1⟧ hola');
  });

  it('has a token once where the engine splits its word', async () => {
    const split = engine((runs) => [{ text: 'Así', word: 0, parts: [] }, ...runs]);
    expect(await translateWithSlots('Thanks ⟦1⟧', meanings({ word: 'friends' }), split)).toBe(
      'Asígracias ⟦1⟧',
    );
  });

  it('has a word that the engine copies where it lost the other', async () => {
    const loses = engine((runs) => runs.map(({ text, parts }) => ({ text, parts })));
    expect(await translateWithSlots('Thanks ⟦1⟧ hello', meanings({ word: 'friends' }), loses)).toBe(
      'gracias ⟦1⟧ hola',
    );
    expect(loses.read).toEqual(['Thanks friends hello', 'Thanks X1 hello']);
  });

  it('has a token where its word is, whatever letters are lengthened by their case', async () => {
    const withArticle = engine(([run, word, ...rest]) => [
      { ...run!, text: 'İİİ ' },
      { ...word!, text: 'İki AMİGOS aquí' },
      ...rest,
    ]);
    const tokens = meanings({ word: 'friends' });
    const amigos = { ...withArticle, words: async () => ['amigos'] };
    expect(await translateWithSlots('Thanks ⟦1⟧ hello', tokens, amigos)).toBe(
      'İİİ İki ⟦1⟧ aquí hola',
    );
  });

  it('has a token in place of a copied word in any form', async () => {
    const copies = engine((runs) =>
      runs.map(({ text, parts }) => ({ text: text.replace('X1', 'İ Ｘ１'), parts })),
    );
    expect(await translateWithSlots('Thanks ⟦1⟧', meanings({ word: 'friends' }), copies)).toBe(
      'gracias İ ⟦1⟧',
    );
  });

  it('is translated though the engine has no word for what a token stands for', async () => {
    const several = engine(([run, word, ...rest], call) =>
      call === 1 ? [run!, { ...word!, text: 'los amigos' }, ...rest] : [],
    );
    const silent = { ...several, words: async (texts: readonly string[]) => texts.map(() => '') };
    expect(
      await translateWithSlots('Thanks ⟦1⟧ hello', meanings({ word: 'friends' }), silent),
    ).toContain('⟦1⟧');
  });

  it('is translated between the tokens where the engine loses everything', async () => {
    const empty = engine(() => []);
    expect(await translateWithSlots('Thanks ⟦1⟧ hello', meanings({ word: 'friends' }), empty)).toBe(
      'gracias ⟦1⟧ hola',
    );
  });

  it('with more parts than anybody writes has none for the engine, and keeps its tokens', async () => {
    const text = Array.from({ length: 200 }, (_, at) => `⟦${at + 1}⟧ hello `).join('');
    const deep = meanings(
      ...Array.from({ length: 200 }, (_, at) => (at < 100 ? { opens: 50 } : { closes: 50 })),
    );
    let mostParts = 0;
    const used = engine((runs) => {
      mostParts = Math.max(mostParts, ...runs.map(({ parts }) => parts.length));
      return runs;
    });
    expect(await translateWithSlots(text, deep, used)).toBe(text.replaceAll('hello', 'hola'));
    expect(mostParts).toBeLessThan(200);
  });

  it('of tokens alone is not sent', async () => {
    const used = engine();
    expect(await translateWithSlots('⟦1⟧ ⟦2⟧', new Map(), used)).toBe('⟦1⟧ ⟦2⟧');
    expect(used.read).toEqual([]);
  });
});

describe('characters that the engine cannot read', () => {
  it('are replaced by ASCII signs, and put back', async () => {
    const used = engine();
    const line = await translateWithSlots('“Hello” — the ‘big’ dragon’s…', new Map(), used);
    expect(used.read).toEqual(['"Hello" - the "big" dragon\'s...']);
    expect(line).toBe('“hola” — el ‘grande’ dragón’s…');
  });

  it('keep their words, in the place of one that it can read', async () => {
    const used = engine();
    const line = await translateWithSlots('Zoë eats 東京, €18.50 < hello', new Map(), used);
    expect(used.read).toEqual(['Zoe eats Martin, $18.50 < hello']);
    expect(line).toBe('Zoë come 東京, €18.50 < hola');
  });

  it('are no part of a word in a script without spaces', async () => {
    const used = engine();
    const reads = (text: string): boolean => !text.includes('龘');
    expect(await translateWithSlots('我爱龘龘很', new Map(), { ...used, reads })).toBe(
      '我爱龘龘很',
    );
    expect(used.read[0]).not.toContain('龘');
    expect(used.read[0]).toMatch(/^我爱.*很$/);
  });
});

describe('whatever an engine answers', () => {
  const part = fc.oneof(
    fc.nat(9).map((number) => `⟦${number + 1}⟧`),
    fc.constantFrom(
      'hello',
      ' ',
      'Zoë',
      '“',
      '”',
      '東京',
      '<',
      '&',
      'X1',
      '⟦',
      'name: [',
      '\u200F',
    ),
    fc.string({ maxLength: 6 }),
  );
  const line = fc.uniqueArray(part, { maxLength: 24 }).map((parts) => parts.join(''));
  const meaning = fc.record({
    opens: fc.nat(2),
    closes: fc.nat(2),
    word: fc.option(fc.constantFrom('friends', 'X1', '⟦2⟧', 'name ] "', '東京', 'a'), {
      nil: undefined,
    }),
  });
  const run = fc.record({
    text: fc.constantFrom('', 'hola', ' ', 'X1', 'X2', 'amigos', 'a', '"'),
    word: fc.option(fc.nat(6), { nil: undefined }),
    hole: fc.option(fc.nat(6), { nil: undefined }),
    parts: fc.array(fc.nat(4), { maxLength: 3 }),
  });
  const tokensIn = (text: string): readonly string[] => (text.match(/⟦\d+⟧/g) ?? []).toSorted();

  it('has each token of the source as often', async () => {
    await fc.assert(
      fc.asyncProperty(
        line,
        fc.array(meaning, { maxLength: 10 }),
        fc.array(fc.array(run, { maxLength: 12 }), { minLength: 2, maxLength: 2 }),
        async (text, given, replies) => {
          const wrong = engine((_, call) => replies[call - 1] ?? []);
          const result = await translateWithSlots(text, meanings(...given), wrong);
          expect(tokensIn(result)).toEqual(tokensIn(text));
        },
      ),
    );
  });

  it('comes back as it was from an engine that changes nothing', async () => {
    const same: LineTranslator = {
      words: async (texts) => texts,
      runs: async (runs) => runs,
      reads: (text) => ascii.test(text),
    };
    await fc.assert(
      fc.asyncProperty(line, fc.array(meaning, { maxLength: 10 }), async (text, given) => {
        const result = await translateWithSlots(text, meanings(...given), same);
        expect(tokensIn(result)).toEqual(tokensIn(text));
        expect(result.replaceAll(/\s|⟦\d+⟧/g, '')).toBe(text.replaceAll(/\s|⟦\d+⟧/g, ''));
      }),
    );
  });
});
