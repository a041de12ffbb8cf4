import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalise } from '../../../../src/rich-text/normalise.ts';
import {
  bulleted,
  code,
  codeBlock,
  heading,
  item,
  link,
  numbered,
  paragraph,
  quote,
  spoiler,
  styled,
  text as words,
  mention,
  type Block,
  type Inline,
  type RichText,
} from '../../../../src/rich-text/rich-text.ts';
import { plainText } from '../../../../src/rich-text/walk.ts';
import { splitRichText, type SplitOptions } from '../../../../src/text/split/split-rich-text.ts';
import { anyRichText } from '../../../fakes/any-rich-text.ts';
import { tree, written as write } from '../../../fakes/markup.ts';
import { isBlank } from '../../../../src/text/unicode.ts';
import { anyText, longTexts } from '../any-text.ts';

const LIMIT = 200;
const SENTENCE = 'We met at the old gate, and nobody knew the way. ';
const sentences = (count: number): string => SENTENCE.repeat(count).trimEnd();
/** Zero-width spaces that fill a piece. */
const UNSEEN = '\u200B'.repeat(LIMIT);
const render = (rich: RichText): string => write(rich);

const splitTree = (rich: RichText, options: Partial<SplitOptions> = {}) =>
  splitRichText(rich, { render, limit: LIMIT, ...options });

const splitMarkdown = (text: string, limit: number, room: Partial<SplitOptions> = {}): string[] =>
  splitTree(tree(text), { limit, ...room }).map(({ written }) => written);

const units = (written: string): number => written.length;

const row = (...nodes: readonly Inline[]): RichText => [
  { kind: 'paragraph', children: Array.from({ length: 5_000 }, () => nodes).flat() },
];
const LONG_TREES: readonly (readonly [string, RichText])[] = [
  ['links', row(link('https://example.org/a', words('label')), words(' '))],
  ['mentions', row(mention('discord', 'member', '1'))],
  ['code', row(code('x'), words(' and '))],
  [
    'styles',
    row(styled('bold', words('a')), words(' '), styled('italic', words('b')), words(', ')),
  ],
  ['items', [bulleted(...Array.from({ length: 5_000 }, () => item([words('an item')])))]],
  ['headings', Array.from({ length: 5_000 }, () => heading(1, words('A title')))],
  ['blocks of code', Array.from({ length: 2_000 }, () => codeBlock('let a;', 'js'))],
];

const SIGNS =
  '*;_;~~;||;`;```;[;](https://a.b);\\;https://a.b/;www.a.b/;<@1>;a;@everyone;&;(;word;\n;> ;- ;# ; ;\u2060'.split(
    ';',
  );
const split = (text: string): string[] => splitMarkdown(text, LIMIT);

describe('splitRichText', () => {
  it('leaves what fits as it was, and finds nothing in what is blank', () => {
    const short = tree('**a** b');
    expect(splitTree(short, { limit: 8 })).toEqual([{ tree: short, written: '**a** b' }]);
    expect(splitMarkdown(' \u200B\n', 1)).toEqual([]);
    expect(split(' '.repeat(500))).toEqual([]);
  });

  it('cuts at paragraphs, then at sentences, and drops the space around', () => {
    expect(split(`${sentences(2)}\n\n${sentences(3)}`)).toEqual([sentences(2), sentences(3)]);
    expect(split(sentences(6))).toEqual([sentences(4), sentences(2)]);
  });

  it('cuts before a list item or heading rather than within', () => {
    const items = Array.from({ length: 4 }, (_, index) => `${index + 1}. ${sentences(2)}`);
    expect(split(items.join('\n'))).toEqual(items);
    expect(split(`${sentences(3)}\n## A title. Of two`)).toHaveLength(1);
    expect(
      split(`${sentences(3)} yes.\n## A title. Of two sentences here. ${SENTENCE}`)[1],
    ).toMatch(/^## A title/);
  });

  it('closes a block of code and opens it again in its language', () => {
    const line = 'const here = there;';
    const pieces = split(`Look:\n\`\`\`js\n${`${line}\n`.repeat(20)}\`\`\`\n**So**`);
    expect(pieces.length).toBeGreaterThan(2);
    expect(pieces[0]).toMatch(/^Look:\n```js\nconst [^]*;\n```$/);
    expect(pieces[1]).toMatch(/^```js\nconst [^]*;\n```$/);
    expect(pieces.at(-1)).toMatch(/^```js\nconst [^]*;\n```\n\*\*So\*\*$/);
    expect(pieces.join('\n').split(line)).toHaveLength(21);
  });

  it('keeps the indentation of code, and cuts no block that fits', () => {
    const block = `\`\`\`\n${'    deep();\n'.repeat(8)}\`\`\``;
    expect(split(`${sentences(2)}\n${block}`)).toEqual([sentences(2), block]);
    for (const piece of split(`\`\`\`\n${'    deep();\n'.repeat(40)}\`\`\``))
      expect(piece).toMatch(/^```\n(?: {4}deep\(\);\n)+```$/);
  });

  it('takes a line of prose after a fence for code, not for a language', () => {
    expect(split(`\`\`\`${sentences(6)}\`\`\``)[1]).toMatch(/^```\n\w/);
  });

  it('keeps each line of a quoted block quoted', () => {
    for (const piece of split(`> \`\`\`js\n${'> let a = 1;\n'.repeat(40)}> \`\`\``))
      expect(piece).toMatch(/^> ```js\n(?:> let a = 1;\n)+> ```$/);
  });

  it('closes emphasis in the order of its nesting, and opens it again', () => {
    const [first = '', second = ''] = split(`**~~||${sentences(6)}||~~ end**`);
    expect(first).toBe(`**~~||${sentences(3)}||~~**`);
    expect(second).toBe(`**~~||${sentences(3)}||~~ end**`);
  });

  it('keeps markers of one sign apart', () => {
    const [first = '', second = ''] = split(`**Bold *${sentences(5)}* too**`);
    expect(first).toMatch(/^\*\*Bold \*We [^]*\.\*\u2060\*\*$/);
    expect(second).toMatch(/^\*\*\u2060\*We [^]*\.\* too\*\*$/);
  });

  it.each([
    ['> ', '> '],
    ['  > ', '> '],
    ['>>> ', '> '],
    ['# ', '# '],
    ['-# ', '-# '],
    ['- ', ''],
  ])('begins the rest of a line that began with %j with %j', (marker, again) => {
    expect(split(`${marker}${sentences(7)}`)[1]).toBe(`${again}${sentences(3)}`);
  });

  it('quotes everything after a block quote began, and only quoted lines after a quote', () => {
    expect(split(`>>> ${sentences(3)}\n\n${sentences(3)}`)[1]).toBe(`> ${sentences(3)}`);
    expect(split(`> ${sentences(4)}\n${sentences(3)}`)[1]).toBe(sentences(3));
  });

  it('quotes on from an indented mark that stood at a cut', () => {
    const pieces = split(`${sentences(3)}\n\n  > ${sentences(7)}`);
    expect(pieces.length).toBeGreaterThan(2);
    for (const piece of pieces.slice(1)) expect(piece).toMatch(/^> We/);
  });

  it('opens emphasis again after the mark of a quoted line', () => {
    expect(split(`> **${sentences(3)}\n> ${sentences(3)}**`)).toEqual([
      `> **${sentences(3)}**`,
      `> **${sentences(3)}**`,
    ]);
  });

  it.each([
    '[some words here](https://example.org/a?b=c)',
    '<https://example.org/a>',
    'https://example.org/a,b.c/d',
    '<@123456789012345678>',
    '<a:party_time:123456789012345678>',
    '<t:1700000000:R>',
    '`npm run a, b. c`',
    '👩‍👩‍👧👩‍👩‍👧',
    'mail.me@example.org',
  ])('never cuts %s', (written) => {
    for (let before = 150; before < LIMIT; before += 1) {
      const pieces = split(`${'x'.repeat(before)} ${written} ${sentences(2)}`);
      expect(pieces.filter((piece) => piece.includes(written))).toHaveLength(1);
    }
  });

  it('never cuts a link in which there is code, not even without a space around', () => {
    const written = '[words`code`words](https://example.org/a)';
    for (let before = 150; before < LIMIT; before += 1) {
      const pieces = split(`${'x'.repeat(before)}${written}${'x'.repeat(99)}`);
      expect(pieces.filter((piece) => piece.includes(written))).toHaveLength(1);
    }
  });

  it('lets a link that is too long fall apart into label and address', () => {
    const pieces = split(`see [${sentences(5)}](https://example.org/a) now`);
    expect(pieces.join(' ')).toContain('https://example.org/a now');
    expect(pieces.join(' ')).not.toMatch(/[[\]()]/);
  });

  it('cuts an address longer than a message only there, and code by closing it', () => {
    const address = `https://example.org/${'a'.repeat(500)}`;
    const pieces = splitTree(tree(`see ${address} now`)).map((piece) => plainText(piece.tree));
    expect(pieces.join('').replace(' ', '')).toBe(`see${address}now`);
    for (const piece of split(`\`${sentences(9)}\``)) expect(piece).toMatch(/^`[^`]+`$/);
  });

  it('cuts no escape and no fence in two', () => {
    for (const piece of split(`x${String.raw`\*`.repeat(300)}`))
      expect(piece).toMatch(/^x?(?:\\\*)+$/);
    for (let length = 180; length < 400; length += 1) {
      for (const piece of split(`\`${'a'.repeat(length)}\``)) expect(piece).toMatch(/^`a+`$/);
      for (const piece of split(`\`\`\`\n${'a'.repeat(length)}\n\`\`\``))
        expect(piece).toMatch(/^```\na+\n```$/);
      for (const piece of split(`\`\`\`${'a'.repeat(length)}\`\`\``))
        expect(piece).toMatch(/^```\n?a+\n?```$/);
    }
  });

  it('keeps room in the first and in the last piece', () => {
    const text = sentences(12);
    const pieces = splitMarkdown(text, LIMIT, { firstRoom: 60, lastRoom: 40 });
    expect(pieces[0]?.length).toBeLessThanOrEqual(LIMIT - 60);
    expect(pieces.at(-1)?.length).toBeLessThanOrEqual(LIMIT - 40);
    expect(splitMarkdown(sentences(4), LIMIT, { lastRoom: 10 })).toHaveLength(2);
    const [piece = ''] = splitMarkdown(`${'word '.repeat(39)}x \u200B`, LIMIT, { lastRoom: 5 });
    expect(piece.length).toBeLessThanOrEqual(LIMIT - 5);
    expect(pieces.join(' ')).toBe(text);
  });

  it.each<readonly [string, Block]>([
    ['a mark of a quoted line', quote(paragraph(spoiler(words(`${sentences(3)}\n`))))],
    ['invisible text in a style', paragraph(styled('bold', words(sentences(4) + UNSEEN)))],
    ['invisible code', paragraph(code(sentences(4) + UNSEEN))],
    ['an invisible part of a block of code', codeBlock(sentences(4) + UNSEEN)],
  ])('keeps room in the last piece where only %s follows it', (_, block) => {
    for (let lastRoom = 0; lastRoom < 80; lastRoom += 1) {
      const pieces = splitTree(normalise([block]), { lastRoom });
      const last = pieces.at(-1)?.written ?? '';
      expect(last.length).toBeLessThanOrEqual(LIMIT - lastRoom);
      expect(last).toMatch(/\w/);
      for (const { written } of pieces) expect(written.length).toBeLessThanOrEqual(LIMIT);
    }
  });

  it('goes on with a list at its own numbers, and with what lies in it', () => {
    const list = numbered(
      8,
      item([words(sentences(2))]),
      item([words(sentences(1))], bulleted(item([words(sentences(1))]))),
      item([words(sentences(2))]),
    );
    expect(splitTree([list]).map((piece) => piece.tree)).toEqual([
      [numbered(8, item([words(sentences(2))]), item([words(sentences(1))]))],
      [bulleted(item([words(sentences(1))])), numbered(10, item([words(sentences(2))]))],
    ]);
  });

  it('opens everything again that is open in the middle of a quoted line', () => {
    const line = styled('bold', words('so '), spoiler(words(sentences(5))), words(' end'));
    const pieces = splitTree([quote(heading(2, line))]);
    expect(pieces).toHaveLength(2);
    for (const piece of pieces) expect(piece.written).toMatch(/^> ## \*\*.*\|\|.*\|\|.*\*\*$/);
  });

  it('cuts by any measure', () => {
    const bytes = (written: string): number => Buffer.byteLength(written);
    const text = '日本語の文章はとても長いです。'.repeat(60);
    const pieces = splitTree([paragraph(words(text))], { limit: 400, measure: bytes });
    for (const [index, piece] of pieces.entries()) {
      expect(bytes(piece.written)).toBeLessThanOrEqual(400);
      if (index < pieces.length - 1) expect(bytes(piece.written)).toBeGreaterThan(300);
      expect(piece.written).toMatch(/。$/);
    }
    expect(pieces.map((piece) => piece.written).join('')).toBe(text);
  });

  it('loses nothing of any tree, and keeps every piece within the limit', () => {
    const seen = (rich: RichText): string =>
      plainText(rich).replaceAll(/[\s\u2800\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}]/gu, '');
    fc.assert(
      fc.property(
        fc.array(anyRichText(), { minLength: 6, maxLength: 16 }),
        fc.constantFrom(units, (written: string) => Buffer.byteLength(written)),
        (trees, measure) => {
          const rich = normalise(trees.flat());
          const pieces = splitTree(rich, { limit: 700, measure, lastRoom: 20 });
          for (const piece of pieces) {
            expect(measure(piece.written)).toBeLessThanOrEqual(700);
            expect(piece.tree).toEqual(normalise(piece.tree));
          }
          expect(measure(pieces.at(-1)?.written ?? '')).toBeLessThanOrEqual(680);
          expect(pieces.map((piece) => seen(piece.tree)).join('')).toBe(seen(rich));
        },
      ),
    );
  });

  it.each(LONG_TREES)('bears a long row of %s', (_, rich) => {
    const pieces = splitTree(rich, { limit: 2_000 });
    expect(pieces.length).toBeGreaterThan(1);
    for (const piece of pieces) expect(piece.written.length).toBeLessThanOrEqual(2_000);
  });

  it('gives pieces within the limit in which there is something to see, whatever the text', () => {
    fc.assert(
      fc.property(
        fc.array(anyText, { minLength: 3, maxLength: 12 }),
        fc.nat(40),
        fc.nat(40),
        (texts, firstRoom, lastRoom) => {
          const pieces = splitMarkdown(texts.join(' '), LIMIT, { firstRoom, lastRoom });
          for (const piece of pieces) {
            expect(piece.length).toBeLessThanOrEqual(LIMIT);
            expect(isBlank(piece)).toBe(false);
          }
          expect(pieces[0]?.length ?? 0).toBeLessThanOrEqual(LIMIT - firstRoom);
          expect(pieces.at(-1)?.length ?? 0).toBeLessThanOrEqual(LIMIT - lastRoom);
        },
      ),
    );
  });

  it.each([
    ['an address whose signs are escaped', `www.shop.example/?${'a[b][c]=1&'.repeat(185)}`],
    ['a label whose signs are escaped', `[${'(_a '.repeat(450)}](https://a.b)`],
    ['a label with many styles', `[${'**a** *b* '.repeat(215)}](https://a.b)`],
    ['a quoted block of code with many lines', `> \`\`\`\n${'> let a;\n'.repeat(235)}> \`\`\``],
  ])('cuts %s by what is written', (_, text) => {
    const pieces = splitMarkdown(text, 2_000);
    expect(pieces.length).toBeGreaterThan(1);
    for (const piece of pieces) expect(piece.length).toBeLessThanOrEqual(2_000);
  });

  it('keeps long texts of repeated signs within the limit', () => {
    const signs = fc.constantFrom(...SIGNS);
    const motif = fc.tuple(fc.array(signs, { minLength: 1, maxLength: 5 }), fc.nat(200));
    fc.assert(
      fc.property(fc.array(motif, { minLength: 2, maxLength: 8 }), (motifs) => {
        const text = motifs.map(([parts, times]) => parts.join('').repeat(times + 1)).join('');
        for (const piece of splitMarkdown(text.slice(0, 4_000), 2_000, { lastRoom: 100 }))
          expect(piece.length).toBeLessThanOrEqual(2_000);
      }),
    );
  });

  it('loses no letter, whatever the text', () => {
    // Those of ASCII are left out, as the language of code is written again in each piece.
    const letters = (text: string): string => text.replaceAll(/[^\p{L}\p{N}]|\w/gu, '');
    fc.assert(
      fc.property(fc.array(anyText, { minLength: 3, maxLength: 12 }), (texts) => {
        const text = texts.join(' ').toWellFormed();
        expect(letters(split(text).join('\n'))).toBe(letters(text));
      }),
    );
  });

  it.each(longTexts(100_000))('bears a long row of %s', (_, text) => {
    for (const piece of splitMarkdown(text, 2000)) expect(piece.length).toBeLessThanOrEqual(2000);
  });
});
