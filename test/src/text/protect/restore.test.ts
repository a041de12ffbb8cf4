import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalise } from '../../../../src/rich-text/normalise.ts';
import { paragraph, styled, text, type RichText } from '../../../../src/rich-text/rich-text.ts';
import { visit } from '../../../../src/rich-text/walk.ts';
import { protect, type Term } from '../../../../src/text/protect/protect.ts';
import { anyRichText } from '../../../fakes/any-rich-text.ts';
import { tree, written } from '../../../fakes/markup.ts';
import { anyText } from '../any-text.ts';

const keptTerms: Term[] = [{ term: 'Dragoman' }, { term: '漢字' }, { term: 'i' }, { term: '한국' }];
const WHOLE = { ok: true, missing: [], extra: [] };

const anyTree = fc.oneof(anyRichText().map(normalise), anyText.map(tree));

/** What becomes of a message when an engine answers `translated`. */
const back = (source: string, translated: string) => {
  const { tree: rich, ...check } = protect(tree(source)).restore(translated);
  return { ...check, text: written(rich) };
};

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
    ['in the wrong order', 'a ⟦2⟧b⟦1⟧ c ⟦3⟧d⟦4⟧', 'a b c __d__'],
    ['around nothing', '⟦1⟧⟦2⟧ a ⟦3⟧d⟦4⟧', 'a __d__'],
    ['around two paragraphs', '⟦1⟧a\n\nb⟦2⟧ ⟦3⟧d⟦4⟧', 'a\n\nb __d__'],
  ])('drops markers that stand %s', (_, translated, kept) => {
    const shown = back('**a** or __b__', translated);
    expect({ ...shown, text: shown.text.replaceAll('  ', ' ') }).toEqual({ ...WHOLE, text: kept });
  });

  it('lets pairs that cross lie on both parts', () => {
    expect(protect(tree('**a** or __b__')).restore('⟦1⟧a ⟦3⟧b⟦2⟧ c⟦4⟧')).toEqual({
      ...WHOLE,
      tree: [
        paragraph(
          styled('bold', text('a '), styled('underline', text('b'))),
          text(' '),
          styled('underline', text('c')),
        ),
      ],
    });
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

  it('puts what was lost to the end of its own line where the lines are those of the source', () => {
    const source = '- see <https://a.b> now\n- `x` is one\n> ok 🎉 yes';
    expect(back(source, 'mira ahora\nes uno\nbien').text.replaceAll(/ +/g, ' ')).toBe(
      '- mira ahora <https://a.b>\n- es uno `x`\n> bien 🎉',
    );
  });

  it('leaves a block of code after its line, wherever in it its token stands', () => {
    const source = '- one 🎉\n```\nx\n```\ntwo';
    expect(back(source, '⟦2⟧ ⟦1⟧ eins\nzwei').text).toBe('- eins 🎉\n```\nx\n```\nzwei');
  });

  it('keeps a block of code that was lost, or stands within a line', () => {
    const source = 'Look:\n```js\nx\n```\nnice';
    expect(back(source, 'Mira:\nbonito').text).toBe('Mira:\nbonito\n```js\nx\n```');
    expect(back(source, 'Mira: ⟦1⟧ bonito').text).toBe('Mira:\n```js\nx\n```\nbonito');
  });

  it.each([
    ['the end of its line', 'Titel ⟦1⟧\neins ⟦2⟧\n⟦3⟧ zwei', '# Titel\n- eins\n- zwei'],
    ['a line with others', 'Titel ⟦1⟧\n⟦2⟧ eins ⟦3⟧ zwei', '# Titel\n- eins \n- zwei'],
    ['nowhere', '⟦1⟧ Titel\neins\n⟦3⟧ zwei', '# Titel\n- eins\n- zwei'],
    ['nowhere, as all others', 'Titel\neins\nzwei', '# Titel\n- eins\n- zwei'],
    ['another line', '⟦1⟧ Titel ⟦3⟧\n⟦2⟧ eins\nzwei', '# Titel\n- eins\n- zwei'],
    ['a line without words', '⟦1⟧⟦2⟧⟦3⟧ zwei', '- zwei'],
  ])('finds a place for the mark of a line that stands at %s', (_, translated, kept) => {
    const lines = (shown: string): string => shown.replaceAll(/ +$/gm, '');
    expect(lines(back('# Title\n- one\n- two', translated).text)).toBe(lines(kept));
  });

  it.each([
    ['marks of direction before every token', /⟦/g, '\u200F⟦'],
    ['marks of direction on every line', /^/gm, '\u200F'],
    ['isolates around every token', /⟦\d⟧/g, '\u2068$&\u2069'],
    ['a byte order mark on every line', /^/gm, '\uFEFF'],
    ['no space after a token', /⟧ /g, '⟧'],
    ['another space after a token', /⟧ /g, '⟧\u00A0'],
    ['mirrored brackets', /⟦(\d)⟧/g, '⟧$1⟦'],
  ])('keeps headings, quotes, items and code although a reply has %s', (_, found, added) => {
    const source = tree('# عنوان\n> قال <1> شيئا\n- واحد\n```js\nx\n```\nنهاية');
    const { text: shown, restore } = protect(source);
    const { ok, tree: rich } = restore(shown.replaceAll(found, added));
    expect(ok).toBe(true);
    const visible = JSON.stringify(rich).replaceAll(/[\p{Cf}\u00A0]/gu, '');
    expect(visible).toBe(JSON.stringify(source));
  });

  it.each(['`Hola ⟦1⟧`', '```\nHola ⟦1⟧\n```', ' ```text\nHola ⟦1⟧\n``` ', '```Hola ⟦1⟧```'])(
    'takes the wrapping off a reply that is wrapped whole: %j',
    (translated) => {
      expect(back('Hello <@1>', translated)).toEqual({ ...WHOLE, text: 'Hola <@1>' });
    },
  );

  it.each(['`', '```\nHola', '``` '])(
    'reads a long reply that begins with %j in no time',
    (begin) => {
      const reply = `${begin}${' '.repeat(200_000)}x`;
      const { restore, preview } = protect(tree('Hello'));
      for (const rich of [restore(reply).tree, preview(reply)]) expect(rich).toHaveLength(1);
    },
  );

  it('takes off no backticks that the source has, or that are not around the whole', () => {
    const own = [paragraph(text('`Hello` you`'))];
    expect(protect(own).restore('`Hola` tú`').tree).toEqual([paragraph(text('`Hola` tú`'))]);
    const none = [paragraph(text('Hello you'))];
    expect(protect(none).restore('`Hola` a `ti`').tree).toEqual([paragraph(text('`Hola` a `ti`'))]);
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

  it('shows no wrapping at the beginning', () => {
    const { preview } = protect(tree('Hello <@1>'));
    for (const partial of ['```text\nHola', '`Hola', '```\nHola'])
      expect(written(preview(partial))).toBe('Hola');
  });

  it('shows what is not closed yet as it will be', () => {
    const { preview } = protect(tree('a **bold** [word](https://a.b) __or__ two'));
    expect(written(preview('ein ⟦1⟧fet'))).toBe('ein **fet**');
    expect(written(preview('ein ⟦1⟧fettes⟦2⟧ ⟦3⟧Wo'))).toBe('ein **fettes** [Wo](https://a.b)');
    expect(written(preview('ein ⟦1⟧fettes⟦2⟧ ⟦3⟧Wort⟦4⟧ ⟦5⟧od'))).toBe(
      'ein **fettes** [Wort](https://a.b) __od__',
    );
  });
});
