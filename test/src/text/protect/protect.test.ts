import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { protect, type Term } from '../../../../src/text/protect/protect.ts';
import { anyText, longTexts } from '../any-text.ts';

const TOKEN = /⟦(\d+)⟧/g;
const tokensOf = (text: string): string[] => text.match(TOKEN) ?? [];

const keptTerms: Term[] = [{ term: 'Dragoman' }, { term: '漢字' }, { term: 'i' }, { term: '한국' }];

const restored = (text: string, terms: readonly Term[]): string => {
  const guarded = protect(text, terms);
  return guarded.restore(guarded.text).text;
};

describe('protect then restore', () => {
  it('is the identity, whatever the text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const guarded = protect(text);
        expect(guarded.restore(guarded.text)).toEqual({ ok: true, text });
      }),
      { numRuns: 1000 },
    );
  });

  it('is the identity with terms that are kept', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const guarded = protect(text, keptTerms);
        expect(guarded.restore(guarded.text)).toEqual({ ok: true, text });
      }),
      { numRuns: 500 },
    );
  });

  it.each(longTexts(300_000))('is the identity for a long row of %s', (_, text) => {
    const guarded = protect(text);
    const back = guarded.restore(guarded.text);
    expect(back.ok && back.text === text).toBe(true);
  });

  it('leaves no bracket in the text that is not a token’s', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const guarded = protect(text);
        expect(tokensOf(guarded.text).length).toBe(guarded.tokens);
        expect(guarded.text.replaceAll(TOKEN, '')).not.toMatch(/[⟦⟧]/);
      }),
    );
  });
});

describe('protect', () => {
  it('makes one token of neighbours, and keeps words between markers', () => {
    expect(protect('hi <@1> 🎉🎉 :x: **very** good https://a.b').text).toBe(
      'hi ⟦1⟧ ⟦2⟧very⟦3⟧ good ⟦4⟧',
    );
  });

  it('says whether there is anything left to translate', () => {
    expect(protect('<@1> https://a.b/c `code` 42!').hasWords).toBe(false);
    expect(protect('<@1> ok').hasWords).toBe(true);
  });
});

describe('glossary terms', () => {
  it('become their translation, or stay as they were written', () => {
    const terms = [{ term: 'dragoman', translation: 'ドラゴマン' }, { term: 'API' }];
    expect(restored('Dragoman has an api', terms)).toBe('ドラゴマン has an api');
    expect(protect('Dragoman has an api', terms).text).toBe('⟦1⟧ has an ⟦2⟧');
  });

  it('match whole words in scripts with spaces, the longest first', () => {
    const terms = [
      { term: 'art', translation: 'A' },
      { term: 'art director', translation: 'AD' },
    ];
    expect(restored('art start party Art Director, arts', terms)).toBe('A start party AD, arts');
  });

  it('match anywhere in scripts without spaces, and before Korean particles', () => {
    expect(restored('東京都庁へ', [{ term: '京都', translation: 'X' }])).toBe('東X庁へ');
    expect(restored('APIを使う', [{ term: 'API', translation: 'X' }])).toBe('Xを使う');
    expect(restored('드래곤은 강하다', [{ term: '드래곤', translation: 'X' }])).toBe('X은 강하다');
    expect(restored('물드래곤', [{ term: '드래곤', translation: 'X' }])).toBe('물드래곤');
  });

  it('are not looked for in addresses and code, but may hold emoji', () => {
    const terms = [
      { term: 'team 🚀', translation: 'T' },
      { term: 'api', translation: 'X' },
    ];
    expect(restored('Team 🚀 see https://a.b/api and `api`', terms)).toBe(
      'T see https://a.b/api and `api`',
    );
  });

  it('that are blank or twice do no harm', () => {
    const terms = [{ term: ' ' }, { term: 'a', translation: 'b' }, { term: 'A', translation: 'c' }];
    expect(restored('a x', terms)).toBe('b x');
  });
});

describe('restore', () => {
  const text = 'Hello <@1>, see **bold words** at https://a.b/c now 🎉';
  const guarded = protect(text);

  it('takes tokens in any order', () => {
    expect(guarded.restore('⟦5⟧⟦1⟧さん、⟦4⟧の⟦2⟧太字⟦3⟧')).toEqual({
      ok: true,
      text: '🎉<@1>さん、https://a.b/c の**太字**',
    });
  });

  it.each([
    ['spaces inside', '⟦ 1 ⟧ ⟦2⟧a⟦3⟧ ⟦4 ⟧ ⟦5⟧'],
    ['full-width digits', '⟦１⟧ ⟦2⟧a⟦3⟧ ⟦4⟧ ⟦5⟧'],
    ['doubled brackets', '⟦⟦1⟧⟧ ⟦2⟧a⟦3⟧ ⟦4⟧ ⟦5⟧'],
    ['other brackets', '[1] 【2】a［3］ {4} 〚5〛'],
    ['spaces that cling to markers', '⟦1⟧ ⟦2⟧ a ⟦3⟧ ⟦4⟧ ⟦5⟧'],
    ['missing spaces', '⟦1⟧ ⟦2⟧a⟦3⟧ ⟦4⟧ ⟦5⟧'],
  ])('bears %s', (_, translated) => {
    expect(guarded.restore(translated)).toEqual({
      ok: true,
      text: '<@1> **a** https://a.b/c 🎉',
    });
  });

  it('keeps an address apart from the words around it', () => {
    expect(guarded.restore('⟦1⟧ ⟦2⟧a⟦3⟧ ver⟦4⟧ahora ⟦5⟧').text).toBe(
      '<@1> **a** ver https://a.b/c ahora 🎉',
    );
  });

  it.each([
    ['in the wrong order', 'a ⟦2⟧b⟦1⟧ c ⟦3⟧d⟦4⟧', 'a b c ||d||'],
    ['around nothing', '⟦1⟧⟦2⟧ a ⟦3⟧d⟦4⟧', ' a ||d||'],
    ['around half of another pair', '⟦1⟧a ⟦3⟧b⟦2⟧ c⟦4⟧', '**a b** c'],
    ['around two paragraphs', '⟦1⟧a\n\nb⟦2⟧ ⟦3⟧d⟦4⟧', 'a\n\nb ||d||'],
  ])('drops markers that stand %s', (_, translated, kept) => {
    const back = protect('**a** or ||b||').restore(translated);
    expect({ ...back, text: back.text.replaceAll('  ', ' ') }).toEqual({ ok: true, text: kept });
  });

  it('drops a pair around another of its kind', () => {
    expect(protect('**a** or **b**').restore('⟦1⟧a ⟦3⟧b⟦4⟧ c⟦2⟧').text).toBe('a **b** c');
  });

  it('keeps markers apart between which nothing was left', () => {
    expect(protect('**a** or **b**').restore('⟦1⟧a⟦2⟧⟦3⟧b⟦4⟧').text).toBe('**a** **b**');
    expect(protect('**a *b***').restore('⟦1⟧⟦2⟧a⟦3⟧').text).toBe('**\u200B*a***');
    expect(protect('see https://a.b or **x**').restore('⟦1⟧⟦2⟧x⟦3⟧').text).toBe(
      'https://a.b **x**',
    );
    expect(protect('**https://a.b** or 🎉').restore('⟦1⟧⟦2⟧').text).toBe('**https://a.b** 🎉');
    expect(protect('**https://a.b** for us').restore('⟦1⟧を見て').text).toBe(
      '**https://a.b** を見て',
    );
  });

  it('does not take a number in brackets of the text itself for a lost token', () => {
    const cited = protect('as [1] says, ask <@1>');
    expect(cited.restore('como dice [1], pregunta')).toMatchObject({ ok: false, missing: [1] });
  });

  it('names what is missing and what was invented, and makes the best of it', () => {
    expect(guarded.restore('Hola ⟦1⟧ ⟦9⟧, mira ⟦2⟧esto ⟦1⟧ahora')).toEqual({
      ok: false,
      text: 'Hola <@1> , mira esto ahora https://a.b/c 🎉',
      missing: [3, 4, 5],
      extra: [9, 1],
    });
  });

  it.each([
    ['its opening bracket', 'lee los ⟦2⟧ ahora', 'lee los https://a.b ahora'],
    ['its address', 'lee ⟦1⟧los documentos', 'lee los documentos https://a.b'],
  ])('keeps the address of a link that lost %s', (_, translated, kept) => {
    const back = protect('read [the docs](https://a.b) now').restore(translated);
    expect(back.ok).toBe(false);
    expect(back.text.replaceAll(/ +/g, ' ')).toBe(kept);
  });

  it('accepts a translation only when every token is there once', () => {
    fc.assert(
      fc.property(anyText, fc.nat(), fc.boolean(), (source, pick, twice) => {
        const { text: shown, tokens, restore } = protect(source);
        fc.pre(tokens > 0);
        const number = (pick % tokens) + 1;
        const token = `⟦${number}⟧`;
        const changed = shown.replace(token, twice ? `${token} ${token}` : '');
        expect(restore(changed)).toMatchObject(
          twice ? { ok: false, extra: [number] } : { ok: false, missing: [number] },
        );
      }),
    );
  });

  it('never throws, whatever a model answers', () => {
    fc.assert(
      fc.property(anyText, anyText, (source, answer) => {
        const { restore, preview } = protect(source, keptTerms);
        expect(typeof restore(answer).text).toBe('string');
        expect(typeof preview(answer)).toBe('string');
      }),
    );
  });
});

describe('preview', () => {
  it('puts back what is whole, and waits with a token that is not', () => {
    const { preview } = protect('Hello <@1> and https://a.b');
    expect(preview('Hola ⟦1⟧ y ⟦')).toBe('Hola <@1> y ');
    expect(preview('Hola ⟦1⟧ y ⟦2')).toBe('Hola <@1> y ');
    expect(preview('Hola ⟦1⟧ y ⟦2⟧')).toBe('Hola <@1> y https://a.b');
  });
});
