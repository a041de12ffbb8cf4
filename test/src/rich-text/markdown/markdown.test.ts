import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bulleted,
  code,
  codeBlock,
  emoji,
  heading,
  item,
  link,
  mention,
  numbered,
  paragraph,
  quote,
  spoiler,
  styled,
  subtext,
  text,
  timestamp,
  type Inline,
  type RichText,
} from '../../../../src/rich-text/rich-text.ts';
import { parseMarkdown } from '../../../../src/rich-text/markdown/parse.ts';
import { reduceMarkdown, renderMarkdown } from '../../../../src/rich-text/markdown/render.ts';
import { anyWords } from '../../../fakes/any-rich-text.ts';
import { checkLaws } from '../../../fakes/check-laws.ts';
import { MARKDOWN_LAWS } from '../../../fakes/rich-text-laws.ts';
import { anyMessage } from '../../text/any-message.ts';
import { anyText, longTexts } from '../../text/any-text.ts';
import { bold, italic } from '../../../fakes/rich-text.ts';

const URL = 'https://b.c';
const a = text('a');

describe('what stands within lines', () => {
  it.each<[string, readonly Inline[]]>([
    ['**a**', [bold(a)]],
    ['__a__', [bold(a)]],
    ['*a* _a_', [italic(a), text(' '), italic(a)]],
    ['***a***', [bold(italic(a))]],
    ['**a *b***', [bold(text('a '), italic(text('b')))]],
    ['~~a~~', [styled('strike', a)]],
    ['||a||', [spoiler(a)]],
    ['`a *b*`', [code('a *b*')]],
    ['`` `a` ``', [code('`a`')]],
    ['```a``` b', [code('a'), text(' b')]],
    ['**太字**です', [bold(text('太字')), text('です')]],
    ['[a](https://b.c)', [link(URL, a)]],
    ['[a](<https://b.c> "title")', [link(URL, a)]],
    ['![a](https://b.c)', [text('!'), link(URL, a)]],
    ['[https://b.c](https://b.c)', [text('['), link('https://b.c](https://b.c)')]],
    ['<https://b.c>', [link(URL)]],
    ['see https://b.c.', [text('see '), link(URL), text('.')]],
    ['&lt;b&gt; &amp;&#42; &nope;', [text('<b> &* &nope;')]],
    [String.raw`\*a\* \# \\`, [text(String.raw`*a* # \ `.trimEnd())]],
    ['a\\\nb  \nc', [text('a\nb\nc')]],
    ['<b>a</b> <@1> @everyone', [text('<b>a</b> <@1> @everyone')]],
  ])('%j', (written, row) => {
    expect(parseMarkdown(written)).toEqual([paragraph(...row)]);
  });

  it.each([
    'snake_case_name',
    'foo_bar_ baz',
    '2 * 3 * 4',
    '** a **',
    '**never closed',
    '[a](b)',
    '嗯~好~',
    'www.a.example',
    'C:\\dir',
    '---',
    '| a | b |',
  ])('finds nothing in %j', (written) => {
    expect(parseMarkdown(written)).toEqual([paragraph(text(written))]);
  });
});

describe('blocks', () => {
  it.each<[string, RichText]>([
    ['# a\n###### b ##', [heading(1, a), heading(3, text('b'))]],
    ['> a\n>b\n\nc', [quote(paragraph(text('a\nb'))), paragraph(text('\nc'))]],
    ['> a\n>> b', [quote(paragraph(a), quote(paragraph(text('b'))))]],
    ['- a\n+ b\n* c', [bulleted(item([a]), item([text('b')]), item([text('c')]))]],
    ['2) a\n3) b', [numbered(2, item([a]), item([text('b')]))]],
    ['1. a\n   - b\n     c', [numbered(1, item([a], bulleted(item([text('b\nc')]))))]],
    ['1. a\n\n2. b', [numbered(1, item([a])), paragraph(), numbered(2, item([text('b')]))]],
    [
      '1. a:\n   ```sh\n   npm ci\n     x\n   ```\n2. b',
      [
        numbered(1, item([text('a:')])),
        codeBlock('npm ci\n  x', 'sh'),
        numbered(2, item([text('b')])),
      ],
    ],
    ['- ```\n  a\n  ```', [codeBlock('a')]],
    ['```ts title="x"\n# a\n\n> b\n```\nc', [codeBlock('# a\n\n> b', 'ts'), paragraph(text('c'))]],
    ['````\n```\n````', [codeBlock('```')]],
    ['~~~\na\n~~~', [codeBlock('a')]],
    ['```js\nnever closed', [codeBlock('never closed', 'js')]],
    ['a\n```\nb\n```', [paragraph(a), codeBlock('b')]],
    ['> ```\n> a\n> ```', [quote(codeBlock('a'))]],
  ])('%j', (written, tree) => {
    expect(parseMarkdown(written)).toEqual(tree);
  });

  it('bounds the depth of quotes', () => {
    expect(parseMarkdown('>'.repeat(5_000))).toHaveLength(1);
    expect(renderMarkdown(parseMarkdown(`${'>'.repeat(9)} a`))).toMatch(/^> > > \\?>/);
  });
});

describe('writing', () => {
  it.each<[string, RichText, string]>([
    [
      'signs',
      [paragraph(text('*a* `b` [c](d) <e> &amp;'))],
      '\\*a\\* \\`b\\` \\[c](d) \\<e> \\&amp;',
    ],
    [
      'beginnings of lines',
      [paragraph(text('# a\n- b\n> c\n1. d\n---'))],
      '\\# a\n\\- b\n\\> c\n1\\. d\n\\---',
    ],
    ['an address that is text', [paragraph(text(URL))], 'https\\://b.c'],
    ['an address among words', [paragraph(text('a '), link(URL), text(' b'))], 'a https://b.c b'],
    ['an address beside a word', [paragraph(link(URL), text('を'))], '<https://b.c>を'],
    ['code with backticks', [paragraph(code('a`b'))], '``a`b``'],
    ['code that begins with one', [paragraph(code('`b'))], '`` `b ``'],
    ['a block with a fence', [codeBlock('```', 'md')], '````md\n```\n````'],
    ['neighbours of one sign', [paragraph(italic(a), bold(text('b')))], '*a*\u2060**b**'],
    [
      'what it does not have',
      [
        subtext(styled('underline', a)),
        paragraph(
          mention('discord', 'member', '1', 'Ann'),
          emoji('discord', '1', 'party'),
          timestamp(0),
        ),
      ],
      'a\n@Ann:party:1970-01-01 00:00 UTC',
    ],
  ])('%s', (_, tree, written) => {
    expect(renderMarkdown(tree)).toBe(written);
    expect(parseMarkdown(written)).toEqual(reduceMarkdown(tree));
  });

  it('tells what it can hold', () => {
    const held = [paragraph(bold(a)), quote(quote(paragraph(a)))];
    expect(reduceMarkdown(held)).toEqual(held);
    expect(reduceMarkdown([subtext(a)])).toEqual([paragraph(a)]);
  });
});

describe('any tree', () => {
  checkLaws(MARKDOWN_LAWS);
});

describe('any text', () => {
  const stays = (written: string): void => {
    const tree = parseMarkdown(written);
    expect(parseMarkdown(renderMarkdown(tree))).toEqual(tree);
  };

  it('looks the same when it is written again', () => {
    const odd = fc.array(anyWords, { maxLength: 8 }).map((parts) => parts.join(''));
    const message = anyMessage.map(({ text: written }) => written);
    fc.assert(fc.property(fc.oneof(message, anyText, odd), stays));
  });

  it.each(longTexts(32_000))('bears a long row of %s', (_, written) => stays(written));
});
