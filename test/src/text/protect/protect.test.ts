import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalise } from '../../../../src/rich-text/normalise.ts';
import {
  bulleted,
  codeBlock,
  heading,
  item,
  link,
  numbered,
  paragraph,
  quote,
  subtext,
  text,
  type RichText,
} from '../../../../src/rich-text/rich-text.ts';
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

describe('protect then restore', () => {
  it('is the identity, whatever the tree', () => {
    fc.assert(
      fc.property(anyTree, (rich) => {
        const guarded = protect(rich);
        expect(guarded.restore(guarded.text)).toEqual({ ...WHOLE, tree: rich });
      }),
    );
  });

  it('is the identity with terms that are kept', () => {
    fc.assert(
      fc.property(anyTree, (rich) => {
        const guarded = protect(rich, keptTerms);
        expect(guarded.restore(guarded.text)).toEqual({ ...WHOLE, tree: rich });
      }),
    );
  });

  it('is the identity where a link stands between the halves of a mark', () => {
    for (const [open, close] of [
      '<|',
      '|>',
      '<|',
      '>',
      '<',
      '|>',
      '[|',
      '|]',
      '<｜',
      '｜>',
    ].flatMap((mark, at, all) => (at % 2 === 0 ? [[mark, all[at + 1] ?? '']] : []))) {
      const rich = normalise([paragraph(text(open ?? ''), link('https://x.y'), text(close ?? ''))]);
      const guarded = protect(rich);
      expect(guarded.restore(guarded.text).tree).toEqual(rich);
    }
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

  it('match whole words in scripts without spaces, and before Korean particles', () => {
    expect(restored('東京都庁へ', [{ term: '京都', translation: 'X' }])).toBe('東京都庁へ');
    expect(restored('京都へ', [{ term: '京都', translation: 'X' }])).toBe('Xへ');
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
    );
  });
});
