import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalise } from '../../../../src/model/normalise-rich-text.ts';
import {
  bulleted,
  codeBlock,
  heading,
  item,
  numbered,
  paragraph,
  quote,
  spoiler,
  styled,
  subtext,
  text,
  type RichText,
} from '../../../../src/model/rich-text.ts';
import { visit } from '../../../../src/model/walk-rich-text.ts';
import { protect, protectTerms, type Term } from '../../../../src/text/protect/protect.ts';
import { anyRichText } from '../../../fakes/any-rich-text.ts';
import { tree, written } from '../../../fakes/markup.ts';
import { anyText, longTexts } from '../any-text.ts';

const TOKEN = /⟦(\d+)⟧/g;
const tokensOf = (shown: string): string[] => shown.match(TOKEN) ?? [];
const keptTerms: Term[] = [{ term: 'Dragoman' }, { term: '漢字' }, { term: 'i' }, { term: '한국' }];
const WHOLE = { ok: true, missing: [], extra: [] };

const anyTree = fc.oneof(anyRichText().map(normalise), anyText.map(tree));

const restored = (source: string, terms: readonly Term[]): string => {
  const guarded = protect(tree(source), terms);
  return written(guarded.restore(guarded.text).tree);
};

/** What becomes of a message when an engine answers `translated`. */
const back = (source: string, translated: string) => {
  const { tree: rich, ...check } = protect(tree(source)).restore(translated);
  return { ...check, text: written(rich) };
};

describe('protect then restore', () => {
  it('is the identity, whatever the tree', () => {
    fc.assert(
      fc.property(anyTree, (rich) => {
        const guarded = protect(rich);
        expect(guarded.restore(guarded.text)).toEqual({ ...WHOLE, tree: rich });
      }),
      { numRuns: 2_000 },
    );
  });

  it('is the identity with terms that are kept', () => {
    fc.assert(
      fc.property(anyTree, (rich) => {
        const guarded = protect(rich, keptTerms);
        expect(guarded.restore(guarded.text)).toEqual({ ...WHOLE, tree: rich });
      }),
      { numRuns: 500 },
    );
  });

  it.each(longTexts(100_000))('is the identity for a long row of %s', (_, row) => {
    for (const rich of [tree(row), normalise([paragraph(text(row))])]) {
      const guarded = protect(rich);
      const again = guarded.restore(guarded.text);
      expect(again.ok).toBe(true);
      expect(again.tree).toEqual(rich);
    }
  });

  it('leaves no bracket in the text that is not a token’s', () => {
    fc.assert(
      fc.property(anyTree, (rich) => {
        const guarded = protect(rich);
        expect(tokensOf(guarded.text).length).toBe(guarded.tokens);
        expect(guarded.text.replaceAll(TOKEN, '')).not.toMatch(/[⟦⟧]/);
      }),
    );
  });
});

describe('protect', () => {
  it('makes one token of neighbours, and keeps words between markers', () => {
    expect(protect(tree('hi <@1> 🎉🎉 :x: **very** good https://a.b')).text).toBe(
      'hi ⟦1⟧ ⟦2⟧very⟦3⟧ good ⟦4⟧',
    );
  });

  it('shows an engine lines, each block’s mark as a token before its words', () => {
    const rich: RichText = [
      heading(1, text('Big')),
      paragraph(text('plain\nlines')),
      quote(paragraph(text('one\n\ntwo')), codeBlock('code')),
      bulleted(item([text('a')], numbered(3, item([text('b\nc')]), item([text('d')])))),
      codeBlock('x', 'js'),
      subtext(text('small')),
    ];
    const guarded = protect(rich);
    expect(guarded.text).toBe(
      [
        '⟦1⟧ Big',
        'plain',
        'lines',
        '⟦2⟧ one',
        '⟦3⟧',
        '⟦4⟧ two',
        '⟦5⟧',
        '⟦6⟧ a',
        '⟦7⟧ b',
        '⟦8⟧ c',
        '⟦9⟧ d',
        '⟦10⟧',
        '⟦11⟧ small',
      ].join('\n'),
    );
    expect(guarded.restore(guarded.text).tree).toEqual(rich);
  });

  it('says whether there is anything left to translate', () => {
    expect(protect(tree('<@1> https://a.b/c `code` 42!')).hasWords).toBe(false);
    expect(protect(tree('<@1> ok')).hasWords).toBe(true);
    expect(protect([]).hasWords).toBe(false);
  });

  it('hides what in plain text is not language either', () => {
    const plain = [paragraph(text('ask @ann or me@a.example at www.a.b :x: ⟦ok⟧ 1️⃣'))];
    expect(protect(plain).text).toBe('ask ⟦1⟧ or ⟦2⟧ at ⟦3⟧ ⟦4⟧ok⟦5⟧ ⟦6⟧');
  });
});

describe('glossary terms', () => {
  it('become their translation, or stay as they were written', () => {
    const terms = [{ term: 'dragoman', translation: 'ドラゴマン' }, { term: 'API' }];
    expect(restored('Dragoman has an api', terms)).toBe('ドラゴマン has an api');
    expect(protect(tree('Dragoman has an api'), terms).text).toBe('⟦1⟧ has an ⟦2⟧');
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

  it('are found within styles and labels, not across their ends', () => {
    const terms = [{ term: 'blue mage', translation: 'X' }];
    expect(restored('a **blue mage**, [blue mage](https://a.b)', terms)).toBe(
      'a **X**, [X](https://a.b)',
    );
    expect(restored('a **blue** mage', terms)).toBe('a **blue** mage');
  });

  it('never become markup or a mention', () => {
    const terms = [{ term: 'all', translation: '**@everyone** <@1>' }];
    const guarded = protect(tree('hi all'), terms);
    expect(guarded.restore(guarded.text).tree).toEqual([paragraph(text('hi **@everyone** <@1>'))]);
  });

  it('that are blank or twice do no harm', () => {
    const terms = [
      { term: ' ' },
      { term: '\uFFFC' },
      { term: 'a', translation: 'b' },
      { term: 'A', translation: 'c' },
    ];
    expect(restored('a x <@1>', terms)).toBe('b x <@1>');
  });
});

describe('restore', () => {
  const message = 'Hello <@1>, see **bold words** at https://a.b/c now 🎉';

  it('takes tokens in any order', () => {
    expect(back(message, '⟦5⟧⟦1⟧さん、⟦4⟧の⟦2⟧太字⟦3⟧')).toEqual({
      ...WHOLE,
      text: '🎉<@1>さん、https://a.b/c の**太字**',
    });
  });

  it.each([
    ['spaces inside', '⟦ 1 ⟧ ⟦2⟧a⟦3⟧ ⟦4 ⟧ ⟦5⟧'],
    ['full-width digits', '⟦１⟧ ⟦2⟧a⟦3⟧ ⟦4⟧ ⟦5⟧'],
    ['digits of other scripts', '⟦١⟧ ⟦२⟧a⟦৩⟧ ⟦๔⟧ ⟦𝟝⟧'],
    ['format characters inside', '⟦\u200F1\u200E⟧ ⟦2⟧a⟦3⟧ ⟦\u20664\u2069⟧ ⟦5⟧'],
    ['doubled brackets', '⟦⟦1⟧⟧ ⟦2⟧a⟦3⟧ ⟦4⟧ ⟦5⟧'],
    ['other brackets', '[1] 【2】a［3］ {4} 〚5〛'],
    ['mirrored brackets', '⟧1⟦ ⟦2⟧a⟦3⟧ ⟧ 4 ⟦ ⟧5⟦'],
    ['spaces that cling to markers', '⟦1⟧ ⟦2⟧ a ⟦3⟧ ⟦4⟧ ⟦5⟧'],
  ])('bears %s', (_, translated) => {
    expect(back(message, translated)).toEqual({ ...WHOLE, text: '<@1> **a** https://a.b/c 🎉' });
  });

  it('reads numbers of several digits in any script', () => {
    const many = Array.from({ length: 12 }, (_, index) => `x <@${index + 1}>`).join(' ');
    const translated = Array.from({ length: 12 }, (_, index) =>
      Array.from(String(index + 1), (char) => String.fromCodePoint(0x660 + Number(char))).join(''),
    );
    expect(back(many, translated.map((digits) => `x ⟦${digits}⟧`).join(' '))).toEqual({
      ...WHOLE,
      text: many,
    });
  });

  it('keeps an address apart from the words around it', () => {
    expect(back(message, '⟦1⟧ ⟦2⟧a⟦3⟧ ver⟦4⟧ahora ⟦5⟧').text).toBe(
      '<@1> **a** ver https://a.b/c ahora 🎉',
    );
  });

  it.each([
    ['in the wrong order', 'a ⟦2⟧b⟦1⟧ c ⟦3⟧d⟦4⟧', 'a b c ||d||'],
    ['around nothing', '⟦1⟧⟦2⟧ a ⟦3⟧d⟦4⟧', 'a ||d||'],
    ['around two paragraphs', '⟦1⟧a\n\nb⟦2⟧ ⟦3⟧d⟦4⟧', 'a\n\nb ||d||'],
  ])('drops markers that stand %s', (_, translated, kept) => {
    const shown = back('**a** or ||b||', translated);
    expect({ ...shown, text: shown.text.replaceAll('  ', ' ') }).toEqual({ ...WHOLE, text: kept });
  });

  it('lets pairs that cross lie on both parts', () => {
    expect(protect(tree('**a** or ||b||')).restore('⟦1⟧a ⟦3⟧b⟦2⟧ c⟦4⟧')).toEqual({
      ...WHOLE,
      tree: [
        paragraph(
          styled('bold', text('a')),
          text(' '),
          spoiler(styled('bold', text('b')), text(' c')),
        ),
      ],
    });
  });

  it('keeps a spoiler hidden that came back the wrong way round', () => {
    expect(back('it was ||the cook||', '⟦2⟧コック⟦1⟧だった').text).toBe('||コック||だった');
  });

  it('drops a pair around another of its kind', () => {
    expect(back('**a** or **b**', '⟦1⟧a ⟦3⟧b⟦4⟧ c⟦2⟧').text).toBe('a **b** c');
  });

  it('keeps styles apart between which nothing was left', () => {
    expect(back('**a** or **b**', '⟦1⟧a⟦2⟧⟦3⟧b⟦4⟧').text).toBe('**a** **b**');
    expect(protect(tree('**a *b***')).restore('⟦1⟧⟦2⟧a⟦3⟧').tree).toEqual([
      paragraph(styled('bold', styled('italic', text('a')))),
    ]);
    expect(back('see https://a.b or **x**', '⟦1⟧⟦2⟧x⟦3⟧').text).toBe('https://a.b **x**');
    expect(back('**https://a.b** or 🎉', '⟦1⟧⟦2⟧').text).toBe('**https://a.b** 🎉');
    expect(back('**https://a.b** for us', '⟦1⟧を見て').text).toBe('**https://a.b** を見て');
  });

  it('does not take a number in brackets of the text itself for a lost token', () => {
    expect(back('as [1] says, ask <@1>', 'como dice [1], pregunta')).toMatchObject({
      ok: false,
      missing: [1],
    });
  });

  it('names what is missing and what was invented, and makes the best of it', () => {
    expect(back(message, 'Hola ⟦1⟧ ⟦9⟧, mira ⟦2⟧esto ⟦1⟧ahora')).toEqual({
      ok: false,
      text: 'Hola <@1> , mira esto ahora https://a.b/c 🎉',
      missing: [3, 4, 5],
      extra: [9, 1],
    });
  });

  it.each([
    ['its beginning', 'lee los ⟦2⟧ ahora', 'lee los https://a.b ahora'],
    ['its end', 'lee ⟦1⟧los documentos', 'lee los documentos https://a.b'],
    ['its words', 'lee ⟦1⟧⟦2⟧ ahora', 'lee https://a.b ahora'],
  ])('keeps the address of a link that lost %s', (_, translated, kept) => {
    expect(back('read [the docs](https://a.b) now', translated).text.replaceAll(/ +/g, ' ')).toBe(
      kept,
    );
  });

  it('keeps a block of code that was lost, or stands within a line', () => {
    const source = 'Look:\n```js\nx\n```\nnice';
    expect(back(source, 'Mira:\nbonito').text).toBe('Mira:\nbonito\n```js\nx\n```');
    expect(back(source, 'Mira: ⟦1⟧ bonito').text).toBe('Mira:\n```js\nx\n```\nbonito');
  });

  it.each([
    ['the end of its line', 'Titel ⟦1⟧\neins ⟦2⟧\n⟦3⟧ zwei', '# Titel\n- eins\n- zwei'],
    ['a line with others', 'Titel ⟦1⟧\n⟦2⟧ eins ⟦3⟧ zwei', '# Titel\n- eins \n- zwei'],
    ['nowhere', '⟦1⟧ Titel\neins\n⟦3⟧ zwei', '# Titel\neins\n- zwei'],
    ['a line without words', '⟦1⟧⟦2⟧⟦3⟧ zwei', '- zwei'],
  ])('finds a place for the mark of a line that stands at %s', (_, translated, kept) => {
    const lines = (shown: string): string => shown.replaceAll(/ +$/gm, '');
    expect(lines(back('# Title\n- one\n- two', translated).text)).toBe(lines(kept));
  });

  it('accepts a translation only when every token is there once', () => {
    fc.assert(
      fc.property(anyTree, fc.nat(), fc.boolean(), (source, pick, twice) => {
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

  it('never throws, and gives a tree in canonical form, whatever a model answers', () => {
    fc.assert(
      fc.property(anyTree, anyText, (source, answer) => {
        const { restore, preview } = protect(source, keptTerms);
        for (const rich of [restore(answer).tree, preview(answer)])
          expect(normalise(rich)).toEqual(rich);
      }),
    );
  });

  it('loses no mention, address, code or emoji, however a model moves and drops tokens', () => {
    const kept = (rich: RichText): readonly string[] => {
      const found: string[] = [];
      visit(rich, (node) => {
        if (node.kind === 'link') found.push(node.url);
        // Neighbours may have become one.
        else if (node.kind === 'code') found.push(...Array.from(node.text.replaceAll(/\s/g, '')));
        else if (node.kind !== 'text' && !('children' in node) && node.kind !== 'list')
          found.push(JSON.stringify(node));
      });
      return found.toSorted();
    };
    fc.assert(
      fc.property(anyTree, fc.infiniteStream(fc.nat({ max: 9 })), (source, choices) => {
        const { text: shown, restore } = protect(source);
        const moved = shown
          .split(/(⟦\d+⟧|\s+)/)
          .map((part) => ({ part, at: Number(choices.next().value) }))
          .filter(({ at }) => at < 8)
          .toSorted((a, b) => a.at - b.at)
          .map(({ part }) => part)
          .join('');
        expect(kept(restore(moved).tree)).toEqual(kept(source));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('preview', () => {
  it('puts back what is whole, and waits with a token that is not', () => {
    const { preview } = protect(tree('Hello <@1> and https://a.b'));
    expect(written(preview('Hola ⟦1⟧ y ⟦'))).toBe('Hola <@1> y');
    expect(written(preview('Hola ⟦1⟧ y ⟦2'))).toBe('Hola <@1> y');
    expect(written(preview('Hola ⟦1⟧ y ⟦2⟧'))).toBe('Hola <@1> y https://a.b');
  });

  it('shows what is not closed yet as it will be', () => {
    const { preview } = protect(tree('a **bold** [word](https://a.b) ||or|| two'));
    expect(written(preview('ein ⟦1⟧fet'))).toBe('ein **fet**');
    expect(written(preview('ein ⟦1⟧fettes⟦2⟧ ⟦3⟧Wo'))).toBe('ein **fettes** [Wo](https://a.b)');
    expect(written(preview('ein ⟦1⟧fettes⟦2⟧ ⟦3⟧Wort⟦4⟧ ⟦5⟧od'))).toBe(
      'ein **fettes** [Wort](https://a.b) ||od||',
    );
  });
});

describe('protectTerms', () => {
  it('hides terms, addresses and the tokens of others, and puts them back', () => {
    const terms = [{ term: 'Dragoman' }, { term: '⟦1⟧' }];
    const guarded = protectTerms('ask Dragoman at https://a.b ⟦1⟧ now', terms);
    expect(guarded.text).toBe('ask ⟦1⟧ at ⟦2⟧ ⟦3⟧ now');
    expect(guarded.restore('pregunta a ⟦1⟧ en ⟦2⟧ ⟦3⟧')).toBe(
      'pregunta a Dragoman en https://a.b ⟦1⟧',
    );
  });

  it('keeps at the end what a translation lost', () => {
    expect(protectTerms('ask Dragoman', [{ term: 'Dragoman' }]).restore('pregunta')).toBe(
      'pregunta Dragoman',
    );
  });

  it('changes nothing by itself, whatever the text', () => {
    fc.assert(
      fc.property(anyText, (plain) => {
        const guarded = protectTerms(plain, [{ term: 'hello' }, { term: '漢字' }]);
        expect(guarded.restore(guarded.text)).toBe(plain);
      }),
      { numRuns: 500 },
    );
  });
});
