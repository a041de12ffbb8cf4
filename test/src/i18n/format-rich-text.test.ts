import * as fc from 'fast-check';
import { IntlMessageFormat } from 'intl-messageformat';
import { describe, expect, it } from 'vitest';
import { formatRich, type RichValue } from '../../../src/i18n/format-rich-text.ts';
import {
  bulleted,
  code,
  codeBlock,
  heading,
  item,
  link,
  mention,
  ownCommand,
  paragraph,
  quote,
  styled,
  text,
  type RichText,
} from '../../../src/rich-text/rich-text.ts';
import { plainText } from '../../../src/rich-text/walk.ts';
import { anyRichText, anyWords } from '../../fakes/any-rich-text.ts';
import { realTexts as texts } from '../../fakes/texts.ts';

const say = (sentence: string, params?: Readonly<Record<string, RichValue>>): RichText =>
  formatRich(new IntlMessageFormat(sentence, 'en', undefined, { ignoreTag: true }), params);

const CHANNEL = mention('discord', 'channel', '4', 'general');

describe('a sentence as rich text', () => {
  it('has the markup of the sentence, and nodes where they are named', () => {
    expect(say('**Now** in {channel}: `/help`', { channel: CHANNEL })).toEqual([
      paragraph(styled('bold', text('Now')), text(' in '), CHANNEL, text(': '), code('/help')),
    ]);
    expect(say('**{who}** said [so]({no})', { who: 'Ann', no: 'x' })).toEqual([
      paragraph(styled('bold', text('Ann')), text(' said [so](x)')),
    ]);
  });

  it.each([
    '**bold** _it_',
    '<@1> @everyone',
    '[a](https://evil.example)',
    'https://evil.example',
    '`code`',
    '||x||',
    '\\',
    '{count}',
    '\uE000',
  ])('takes %j for words', (value) => {
    expect(say('It is {value}, **yes**', { value })).toEqual([
      paragraph(text(`It is ${value.replace('\uE000', '')}, `), styled('bold', text('yes'))),
    ]);
  });

  it.each(['# Title', '> quote', '- item', '1. item', '```\nx\n```'])(
    'takes %j at the beginning of a line for words',
    (value) => {
      expect(say('{value}', { value })).toEqual([paragraph(text(value))]);
    },
  );

  it('writes values into code as words', () => {
    expect(say('Type `{name}`:\n```\n{log}\n```', { name: '`a`', log: '```\nb' })).toEqual([
      paragraph(text('Type '), code('`a`'), text(':')),
      codeBlock('```\nb'),
    ]);
  });

  it('puts blocks on lines of their own', () => {
    const tree = [
      heading(1, styled('italic', text('Title'))),
      quote(paragraph(text('said'))),
      bulleted(item([link('https://a.b', text('one'))])),
    ];
    expect(say('**Read** {tree} and {last}', { tree, last: [codeBlock('x')] })).toEqual([
      paragraph(styled('bold', text('Read')), text(' ')),
      ...tree,
      paragraph(text('and')),
      codeBlock('x'),
    ]);
  });

  it('keeps a row of nodes in its line', () => {
    const tree = [paragraph(text('a '), styled('bold', text('b')))];
    expect(say('- it is {tree}.', { tree })).toEqual([
      bulleted(item([text('it is a '), styled('bold', text('b')), text('.')])),
    ]);
  });

  it('chooses by the values as they are', () => {
    const sentence =
      '{kind, select, text {words} other {none}}, {n, plural, one {# line} other {# lines}}';
    expect(plainText(say(sentence, { kind: 'text', n: 1 }))).toBe('words, 1 line');
    expect(plainText(say(sentence, { kind: [paragraph(text('text'))], n: 2_000 }))).toBe(
      'words, 2,000 lines',
    );
  });

  it('says the words of every value once, in the sentence’s order, whatever they are', () => {
    const words = (all: string): string => all.replaceAll(/[\s\u2060]/g, '');
    fc.assert(
      fc.property(anyWords, anyRichText(), anyWords, (one, tree, other) => {
        const said = say('**A** {one} B {tree} C {other} D', { one, tree, other });
        const flat = words(plainText(said));
        const expected = words(`A${one}B${plainText(tree)}C${other}D`);
        fc.pre(!/\r/.test(expected));
        expect(flat.startsWith(words(`A${one}B`))).toBe(true);
        expect(flat.endsWith(words(`C${other}D`))).toBe(true);
      }),
    );
  });

  it('never lets a value’s words become anything else', () => {
    const kinds = /"kind":"(?!paragraph|text")/;
    fc.assert(
      fc.property(anyWords, (value) => {
        expect(JSON.stringify(say('{value} or {value}', { value }))).not.toMatch(kinds);
      }),
    );
  });
});

describe('sentences of the locales', () => {
  it('name languages, and commands under their local names', () => {
    expect(plainText(texts.rich('de')('language.current', { language: { language: 'ja' } }))).toBe(
      texts.in('de')('language.current', { language: { language: 'ja' } }),
    );
    const [voice] = texts.rich('de', 'local')('voice.unknown', { voice: CHANNEL });
    expect(voice).toMatchObject({
      children: expect.arrayContaining([CHANNEL, ownCommand('voices', 'stimmen')]) as unknown,
    });
  });

  it('mention commands where they are named as the locale does, an option behind one as code', () => {
    const [how] = texts.rich('de', 'local')('why.how', { entry: 'x' });
    expect(how).toMatchObject({
      children: expect.arrayContaining([
        ownCommand('why', 'warum'),
        text(' '),
        code('nachricht:'),
      ]) as unknown,
    });
    for (const naming of ['plain', 'under dragoman'] as const)
      expect(JSON.stringify(texts.rich('de', naming)('why.how', { entry: 'x' }))).not.toContain(
        '"mention"',
      );
  });

  it('mention no command that a value names', () => {
    const command = 'help';
    for (const locale of texts.locales)
      for (const value of ['/help', '`/help`', code('/help'), [paragraph(code('/help'))]]) {
        const said = texts.rich(locale, 'local')('voice.unknown', { voice: value });
        expect(JSON.stringify(said)).not.toContain(JSON.stringify(ownCommand(command)));
      }
    const refused = texts.rich('en', 'local')('errors.needs-role', { command });
    expect(JSON.stringify(refused)).not.toContain('"mention"');
  });

  it('say in words what they say as Markdown', () => {
    const words = (markdown: string): string => markdown.replaceAll(/[*`_]/g, '');
    expect(plainText(texts.rich('en')('glossary.full', { limit: 5 }))).toBe(
      words(texts.in('en')('glossary.full', { limit: 5 })),
    );
  });
});
