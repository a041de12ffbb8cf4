import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDiscord } from '../../../../adapters/discord/rich-text/parse.ts';
import { reduceDiscord, renderDiscord } from '../../../../adapters/discord/rich-text/render.ts';
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
  type MentionTarget,
  type RichText,
} from '../../../../src/rich-text/rich-text.ts';
import { anyWords } from '../../../fakes/any-rich-text.ts';
import { checkLaws } from '../../../fakes/check-laws.ts';
import { discordPings } from '../../../fakes/read-pings.ts';
import { DISCORD_LAWS } from '../../../fakes/rich-text-laws.ts';
import { anyMessage } from '../../../src/text/any-message.ts';
import { anyText, longTexts } from '../../../src/text/any-text.ts';
import { bold, italic } from '../../../fakes/rich-text.ts';

const NOTIFYING = { mayNotify: () => true };
const URL = 'https://b.c';
const under = (...children: readonly Inline[]): Inline => styled('underline', ...children);
const strike = (...children: readonly Inline[]): Inline => styled('strike', ...children);
const quiet = (url: string, ...children: readonly Inline[]): Inline => ({
  ...link(url, ...children),
  noPreview: true,
});
const at = (target: MentionTarget, id: string, name?: string): Inline =>
  mention('discord', target, id, name);
const a = text('a');

it.each([
  'steam://connect/10.0.0.1:27015/a_b_c',
  'magnet:?xt=urn:btih:ab12&dn=a_b_c',
  'tel:+49-30-1234',
  'C:\\Users\\ana\\Program Files',
])('has no further backslash in %s', (address) => {
  const tree = [paragraph(at('member', '123'), text(` see ${address} now`))];
  expect(renderDiscord(tree, NOTIFYING)).toBe(`<@123> see ${address} now`);
});

describe('what stands within lines', () => {
  it.each<[string, readonly Inline[]]>([
    ['**a**', [bold(a)]],
    ['*a* _a_', [italic(a), text(' '), italic(a)]],
    ['__a__', [under(a)]],
    ['~~a~~', [strike(a)]],
    ['||a||', [spoiler(a)]],
    ['***a***', [bold(italic(a))]],
    ['***a* b**', [bold(italic(a), text(' b'))]],
    ['***a** b*', [italic(bold(a), text(' b'))]],
    ['**a *b***', [bold(text('a '), italic(text('b')))]],
    ['*a **b***', [italic(text('a '), bold(text('b')))]],
    ['___a___', [italic(under(a))]],
    ['**~~||a||~~**', [bold(strike(spoiler(a)))]],
    ['**a\nb**', [bold(text('a\nb'))]],
    ['**a *b** c*', [bold(text('a *b')), text(' c*')]],
    ['__@here__', [under(at('broadcast', 'here'))]],
    [String.raw`**a\***`, [bold(text('a*'))]],
    ['`a *b*`', [code('a *b*')]],
    ['``a`b``', [code('a`b')]],
    ['**`a`**', [bold(code('a'))]],
    ['**`**`**', [bold(code('**'))]],
    ['`<@1> @here`', [code('<@1> @here')]],
    ['[a](https://b.c)', [link(URL, a)]],
    ['[a](<https://b.c>)', [quiet(URL, a)]],
    ['[a](https://b.c/d_(e))', [link('https://b.c/d_(e)', a)]],
    ['[a](https://b.c "title")', [link(URL, a)]],
    ['[**a** b](https://b.c)', [link(URL, bold(a), text(' b'))]],
    ['**[a](https://b.c)**', [bold(link(URL, a))]],
    ['[a [b] c](https://b.c)', [link(URL, text('a [b] c'))]],
    ['<https://b.c>', [quiet(URL)]],
    ['https://b.c/d?e=f#g', [link('https://b.c/d?e=f#g')]],
    ['(https://b.c/d).', [text('('), link('https://b.c/d'), text(').')]],
    ['https://b.c/d_(e), f', [link('https://b.c/d_(e)'), text(', f')]],
    ['**https://b.c**', [bold(link(URL))]],
    ['**https://b.c**を', [bold(link(URL)), text('を')]],
    ['*https://b.c*', [italic(link(URL))]],
    ['~~https://b.c~~🎉', [strike(link(URL)), text('🎉')]],
    ['見てhttps://a.b/日本。次', [text('見て'), link('https://a.b/日本'), text('。次')]],
    ['xhttps://b.c', [text('x'), link(URL)]],
    ['https://b.c<@1>', [link(URL), at('member', '1')]],
    ['<@1> <@!1>', [at('member', '1'), text(' '), at('member', '1')]],
    ['<@&1>', [at('role', '1')]],
    ['<#1>', [at('channel', '1')]],
    ['@everyone', [at('broadcast', 'everyone')]],
    ['</ask now:1>', [at('command', '1', 'ask now')]],
    ['<id:customize>', [at('page', 'customize')]],
    ['<:n:1>', [emoji('discord', '1', 'n')]],
    ['<a:n:1>', [emoji('discord', '1', 'n', true)]],
    ['<t:1700000000>', [timestamp(1_700_000_000)]],
    ['<t:1700000000:R>', [timestamp(1_700_000_000, 'R')]],
    [String.raw`\*a\* \<@1\> \:smile:`, [text('*a* <@1> :smile:')]],
    [String.raw`¯\_(ツ)_/¯`, [text(String.raw`¯\_(ツ)_/¯`)]],
    ['👩‍👩‍👧 🇯🇵 1️⃣', [text('👩‍👩‍👧 🇯🇵 1️⃣')]],
  ])('%s', (written, row) => {
    expect(parseDiscord(written)).toEqual([paragraph(...row)]);
  });

  it.each([
    'snake_case_name',
    '2 * 3 * 4',
    '**never closed',
    '****',
    '||||',
    'at 10:30:45',
    'std::vector',
    'a [note] (here)',
    '[a](b)',
    '[](https)',
    '嗯~好~',
    'a < b > c',
    '-5 degrees',
    'one ` backtick\n\nanother ` there',
    '5 @ 3',
    '@ann',
    '@heretic',
    'me@a.example',
    'www.a.example',
    '<@U1> <!here> <#C1|general> <!subteam^S1|@team>',
    '<t:99999999999999999>',
    '```\n```',
    '```js\nnever closed',
    'a ``` b',
  ])('finds nothing in %j', (written) => {
    expect(parseDiscord(written)).toEqual([paragraph(text(written))]);
  });

  it('shows a label that looks like an address as it is written', () => {
    expect(parseDiscord('[http://b.c x](https://evil.example)')).toEqual([
      paragraph(
        text('['),
        link('http://b.c'),
        text(' x]('),
        link('https://evil.example'),
        text(')'),
      ),
    ]);
  });
});

describe('blocks', () => {
  it.each<[string, RichText]>([
    ['# a\n## a\n### a', [heading(1, a), heading(2, a), heading(3, a)]],
    ['#### a', [paragraph(text('#### a'))]],
    ['#a', [paragraph(text('#a'))]],
    ['x # a', [paragraph(text('x # a'))]],
    ['-# a\nb', [subtext(a), paragraph(text('b'))]],
    ['> a\n> b\nc', [quote(paragraph(text('a\nb'))), paragraph(text('c'))]],
    ['>a', [paragraph(text('>a'))]],
    ['> a\n> \n> b', [quote(paragraph(text('a\n\nb')))]],
    ['> > a', [quote(paragraph(text('> a')))]],
    ['x\n>>> a\n\nb', [paragraph(text('x')), quote(paragraph(text('a\n\nb')))]],
    ['> # a\n> - b', [quote(heading(1, a), bulleted(item([text('b')])))]],
    ['> **a\n> b**', [quote(paragraph(bold(text('a\nb'))))]],
    ['- a\n* b', [bulleted(item([a]), item([text('b')]))]],
    ['- a\n  - b\n- c', [bulleted(item([a], bulleted(item([text('b')]))), item([text('c')]))]],
    ['3. a\n9. b', [numbered(3, item([a]), item([text('b')]))]],
    ['1. a\n   - b', [numbered(1, item([a], bulleted(item([text('b')]))))]],
    ['- a\n  b\nc', [bulleted(item([text('a\nb')])), paragraph(text('c'))]],
    ['- a\n\n- b', [bulleted(item([a])), paragraph(), bulleted(item([text('b')]))]],
    ['a\n\n# b\n\nc', [paragraph(text('a\n')), heading(1, text('b')), paragraph(text('\nc'))]],
    ['```js\na\n\nb\n```', [codeBlock('a\n\nb', 'js')]],
    ['```a```', [codeBlock('a')]],
    ['```js```', [codeBlock('js')]],
    ['```c++\n  a\n```', [codeBlock('  a', 'c++')]],
    ['see ```a``` now', [paragraph(text('see')), codeBlock('a'), paragraph(text('now'))]],
    ['x\n```\na\n```\ny', [paragraph(text('x')), codeBlock('a'), paragraph(text('y'))]],
    ['```\n> a\n# b\n```', [codeBlock('> a\n# b')]],
    ['> ```js\n> a\n> ```', [quote(codeBlock('a', 'js'))]],
    ['||```a```||', [codeBlock('a', undefined, true)]],
    ['[```a```](https://x.y)', [codeBlock('a'), paragraph(link('https://x.y'))]],
    ['||a\n- b||', [paragraph(spoiler(text('a\n- b')))]],
    ['- ```js\na\n```\n- b', [codeBlock('a', 'js'), bulleted(item([text('b')]))]],
    [String.raw`\# a`, [paragraph(text('# a'))]],
  ])('%j', (written, tree) => {
    expect(parseDiscord(written)).toEqual(tree);
  });
});

describe('writing', () => {
  it.each<[string, RichText, string]>([
    [
      'signs',
      [paragraph(text('*a* _b_ ~~c~~ ||d|| `e`'))],
      '\\*a\\* \\_b\\_ \\~\\~c\\~\\~ \\|\\|d\\|\\| \\`e\\`',
    ],
    ['words with signs in them', [paragraph(text('snake_case 2 * 3 a~b'))], 'snake_case 2 * 3 a~b'],
    [
      'beginnings of lines',
      [paragraph(text('# a\n- b\n> c\n1. d\n-# e'))],
      '\\# a\n\\- b\n\\> c\n1\\. d\n\\-# e',
    ],
    ['an address that is text', [paragraph(text(URL))], 'https\\://b.c'],
    ['a link in text', [paragraph(text('[a](https://b.c)'))], '\\[a](https\\://b.c)'],
    ['everybody in text', [paragraph(text('@everyone'))], '@\u2060everyone'],
    ['a mention in text', [paragraph(text('<@1>'))], '\\<\u2060@1>'],
    ['emoji in text', [paragraph(text('<:n:1>'))], '\\<:n:1>'],
    ['neighbours of one sign', [paragraph(italic(a), bold(text('b')))], '*a*\u2060**b**'],
    ['bold and italic at once', [paragraph(bold(italic(a)))], '***a***'],
    ['code with backticks', [paragraph(code('a`b``c'))], '``a`b`\u2060`c``'],
    ['a block with backticks', [codeBlock('a```b', 'js')], '```js\na`\u2060`\u2060`b\n```'],
    ['a hidden block', [codeBlock('a', undefined, true)], '||```\na\n```||'],
    ['an address before a word', [paragraph(link(URL), text('を見て'))], 'https://b.c を見て'],
    ['an address before a full stop', [paragraph(link(URL), text('.'))], 'https://b.c.'],
    ['an address that ends with one', [paragraph(link('https://b.c/d.'))], '<https://b.c/d.>'],
    [
      'a label with an address',
      [paragraph(link(URL, text('http://x')))],
      'http\\://x (https://b.c)',
    ],
    ['quotes in quotes', [quote(quote(paragraph(a)), paragraph(text('b')))], '> a\n> b'],
    [
      'lists in lists',
      [numbered(9, item([a]), item([text('b\nc')], bulleted(item([text('d')]))))],
      '9. a\n10. b\n    c\n    - d',
    ],
  ])('%s', (_, tree, written) => {
    expect(renderDiscord(tree)).toBe(written);
    expect(parseDiscord(written)).toEqual(reduceDiscord(tree));
  });

  const mentions = paragraph(
    at('member', '1', 'Ann'),
    at('broadcast', 'everyone'),
    mention('slack', 'member', 'U1', 'Ben'),
  );

  it('writes mentions as names unless they may notify and are Discord’s own', () => {
    expect(renderDiscord([mentions])).toBe('@Ann@\u2060everyone@Ben');
    expect(renderDiscord([mentions], NOTIFYING)).toBe('<@1>@everyone@Ben');
    const onlyMembers = { mayNotify: ({ target }: { target: string }) => target === 'member' };
    expect(renderDiscord([mentions], onlyMembers)).toBe('<@1>@\u2060everyone@Ben');
  });

  it.each(['everyone', '*a* `b`', '](https://evil.example)', '<@2>', 'two\nlines', '```'])(
    'makes the name %j harmless',
    (name) => {
      const written = renderDiscord([paragraph(text('hey '), at('member', '1', name), text('!'))]);
      expect(discordPings(written)).toEqual([]);
      expect(parseDiscord(written)).toEqual([paragraph(text(`hey @${name.replace('\n', ' ')}!`))]);
    },
  );

  it('reduces only what it cannot hold', () => {
    expect(reduceDiscord([mentions], NOTIFYING)).not.toEqual([mentions]);
    const held = [paragraph(bold(a)), codeBlock('a', 'js')];
    expect(reduceDiscord(held)).toEqual(held);
    expect(reduceDiscord([quote(quote(paragraph(a)))])).toEqual([quote(paragraph(a))]);
  });
});

describe('any tree', () => {
  checkLaws(DISCORD_LAWS);
});

describe('any message', () => {
  const idsIn = (written: string): Set<string> => new Set(written.match(/\d+|everyone|here/g));
  const stays = (written: string): void => {
    const tree = parseDiscord(written);
    const again = renderDiscord(tree, NOTIFYING);
    expect(parseDiscord(again)).toEqual(tree);
    expect(discordPings(renderDiscord(tree))).toEqual([]);
    for (const ping of discordPings(again))
      expect(idsIn(written).has(ping.split(' ')[1] ?? 'everyone') || ping === 'everyone').toBe(
        true,
      );
  };

  it('looks the same when it is written again, and loses nothing that is no language', () => {
    fc.assert(
      fc.property(anyMessage, ({ text: written, kept }) => {
        stays(written);
        const again = renderDiscord(parseDiscord(written), NOTIFYING);
        for (const part of kept) expect(again).toContain(part);
      }),
    );
  });

  it('looks the same when it is written again, however odd', () => {
    const odd = fc.array(anyWords, { maxLength: 8 }).map((parts) => parts.join(''));
    fc.assert(fc.property(fc.oneof(anyText, odd), stays));
  });

  it.each(longTexts(4_000))('bears a long row of %s', (_, written) => stays(written));
});
