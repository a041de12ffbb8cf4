import * as fc from 'fast-check';
import { parseMessage } from '../../../../adapters/slack/rich-text/parse-message.ts';
import { describe, expect, it } from 'vitest';
import type { Element, RichTextPart } from '../../../../adapters/slack/rich-text/blocks.ts';
import { parseSlackBlocks } from '../../../../adapters/slack/rich-text/parse-blocks.ts';
import { parseMrkdwn } from '../../../../adapters/slack/rich-text/parse-mrkdwn.ts';
import { reduceMrkdwn, reduceSlack } from '../../../../adapters/slack/rich-text/reduce.ts';
import { renderSlackBlocks } from '../../../../adapters/slack/rich-text/render-blocks.ts';
import { renderMrkdwn } from '../../../../adapters/slack/rich-text/render-mrkdwn.ts';
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
  text,
  timestamp,
  type Inline,
  type MentionTarget,
  type RichText,
} from '../../../../src/rich-text/rich-text.ts';
import { anyWords } from '../../../fakes/any-rich-text.ts';
import { checkLaws } from '../../../fakes/check-laws.ts';
import { mrkdwnPings } from '../../../fakes/read-pings.ts';
import { SLACK_LAWS } from '../../../fakes/rich-text-laws.ts';
import { anyText, longTexts } from '../../../src/text/any-text.ts';
import { bold, italic } from '../../../fakes/rich-text.ts';

const NOTIFYING = { mayNotify: () => true };
const URL = 'https://b.c';
const at = (target: MentionTarget, id: string, name?: string): Inline =>
  mention('slack', target, id, name);
const a = text('a');
const section = (...elements: readonly Element[]): RichTextPart => ({
  type: 'rich_text_section',
  elements,
});
const words = (written: string): Element => ({ type: 'text', text: written });
const items = (...rows: readonly string[]) =>
  rows.map((row) => ({ type: 'rich_text_section' as const, elements: [words(row)] }));

describe('rich_text blocks, both ways', () => {
  it.each<[string, RichText, readonly RichTextPart[]]>([
    ['text with signs', [paragraph(text('*a* <@U1> :x: &'))], [section(words('*a* <@U1> :x: &'))]],
    [
      'styles',
      [paragraph(bold(italic(a), code('b')), text(' '), styled('underline', styled('strike', a)))],
      [
        section(
          { type: 'text', text: 'a', style: { bold: true, italic: true } },
          { type: 'text', text: 'b', style: { bold: true, code: true } },
          words(' '),
          { type: 'text', text: 'a', style: { underline: true, strike: true } },
        ),
      ],
    ],
    [
      'links',
      [paragraph(link(URL), link(URL, a))],
      [section({ type: 'link', url: URL }, { type: 'link', url: URL, text: 'a' })],
    ],
    [
      'mentions',
      [
        paragraph(
          at('member', 'U1'),
          at('group', 'S1'),
          at('channel', 'C1'),
          at('broadcast', 'here'),
        ),
      ],
      [
        section(
          { type: 'user', user_id: 'U1' },
          { type: 'usergroup', usergroup_id: 'S1' },
          { type: 'channel', channel_id: 'C1' },
          { type: 'broadcast', range: 'here' },
        ),
      ],
    ],
    [
      'emoji and dates',
      [paragraph(emoji('slack', 'party', 'party'), timestamp(0, 'R'))],
      [
        section(
          { type: 'emoji', name: 'party' },
          { type: 'date', timestamp: 0, format: '{ago}', fallback: '1970-01-01 00:00 UTC' },
        ),
      ],
    ],
    [
      'blocks on lines of their own',
      [paragraph(a), codeBlock('x'), paragraph(text('\nb'))],
      [
        section(words('a\n')),
        { type: 'rich_text_preformatted', elements: [words('x')], border: 0 },
        section(words('\nb')),
      ],
    ],
    [
      'a quote of everything',
      [quote(paragraph(a), codeBlock('x'), bulleted(item([a])))],
      [
        { type: 'rich_text_quote', elements: [words('a')] },
        { type: 'rich_text_preformatted', elements: [words('x')], border: 1 },
        { type: 'rich_text_list', style: 'bullet', elements: items('a'), indent: 0, border: 1 },
      ],
    ],
    [
      'lists in lists, with numbers that go on',
      [numbered(3, item([a], bulleted(item([text('b')]))), item([text('c')]))],
      [
        {
          type: 'rich_text_list',
          style: 'ordered',
          elements: items('a'),
          indent: 0,
          offset: 2,
          border: 0,
        },
        { type: 'rich_text_list', style: 'bullet', elements: items('b'), indent: 1, border: 0 },
        {
          type: 'rich_text_list',
          style: 'ordered',
          elements: items('c'),
          indent: 0,
          offset: 3,
          border: 0,
        },
      ],
    ],
  ])('%s', (_, tree, elements) => {
    expect(renderSlackBlocks(tree, NOTIFYING)).toEqual({ type: 'rich_text', elements });
    expect(parseSlackBlocks({ type: 'rich_text', elements })).toEqual(tree);
  });

  it.each([
    [{ name: 'female-technologist', unicode: '1f469-200d-1f4bb', skin_tone: 3 }, '👩🏼‍💻'],
    [{ name: 'female-technologist', skin_tone: 3 }, '👩🏼‍💻'],
    [{ name: 'people_holding_hands', skin_tone: 6 }, '🧑🏿‍🤝‍🧑🏿'],
    [{ name: 'handshake', skin_tone: 2 }, '🤝🏻'],
    [{ name: 'point_up', unicode: '261d-fe0f', skin_tone: 4 }, '☝🏽'],
    [{ name: 'man-woman-girl-boy', unicode: '1f468-200d-1f469-200d-1f467-200d-1f466' }, '👨‍👩‍👧‍👦'],
    [{ name: 'man-woman-girl-boy' }, '👨‍👩‍👧‍👦'],
    [{ name: 'flag-pt' }, '🇵🇹'],
    [{ name: 'jp' }, '🇯🇵'],
    [{ name: 'rainbow-flag' }, '🏳️‍🌈'],
    [{ name: 'tada', skin_tone: 3 }, '🎉'],
  ] as const)('reads the emoji %j', (element, drawn) => {
    const elements = [
      { type: 'rich_text_section', elements: [{ type: 'emoji', ...element }] },
    ] as const;
    const blocks = [{ type: 'rich_text', elements }];
    expect(parseMessage({ ts: '1.0', blocks })).toEqual([paragraph(text(drawn))]);
    const tone = 'skin_tone' in element ? `::skin-tone-${element.skin_tone}` : '';
    const written = `:${element.name}${tone}:`;
    expect(parseMessage({ ts: '1.0', text: written })).toEqual([paragraph(text(drawn))]);
  });

  it('reads emoji that Unicode has as text, with their skin', () => {
    const elements = [
      section(
        { type: 'emoji', name: 'wave', unicode: '1f44b', skin_tone: 3 },
        { type: 'emoji', name: 'wave', unicode: '1f44b-1f3fc', skin_tone: 3 },
        { type: 'emoji', name: 'own', skin_tone: 2 },
      ),
    ];
    expect(parseSlackBlocks({ type: 'rich_text', elements })).toEqual([
      paragraph(text('👋🏼👋🏼'), emoji('slack', 'own::skin-tone-2', 'own::skin-tone-2')),
    ]);
  });

  it('reads colours as text, and passes over what it does not know', () => {
    const unknown = { type: 'workflow' } as unknown as Element;
    const part = { type: 'rich_text_poll', elements: [] } as unknown as RichTextPart;
    const elements = [section({ type: 'color', value: '#fff' }, unknown), part];
    expect(parseSlackBlocks({ type: 'rich_text', elements })).toEqual([paragraph(text('#fff'))]);
  });

  it.each<[object, Inline]>([
    [{ type: 'team', team_id: 'T123' }, code('T123')],
    [{ type: 'canvas', file_id: 'F1', title: 'Plan' }, code('Plan')],
    [{ type: 'canvas', url: 'https://a.b', title: 'Plan' }, link('https://a.b', text('Plan'))],
    [{ type: 'new_kind', text: 'words', style: { bold: true } }, bold(text('words'))],
  ])('keeps the words of an element that is not known: %j', (element, node) => {
    const elements = [section({ type: 'text', text: 'see ' }, element as Element)];
    const shown = node.kind === 'code' ? [text(`see ${node.text}`)] : [text('see '), node];
    expect(parseSlackBlocks({ type: 'rich_text', elements })).toEqual([paragraph(...shown)]);
  });

  it('makes of other things what Slack has', () => {
    expect(
      reduceSlack([
        heading(1, a),
        paragraph(
          spoiler(text('b')),
          mention('discord', 'member', '1', 'Ann'),
          at('member', 'U1', 'Ben'),
        ),
        quote(quote(paragraph(link(URL, bold(a), code('b'))))),
      ]),
    ).toEqual([
      paragraph(bold(a), text('\n||b||@Ann@Ben')),
      quote(paragraph(link(URL, text('ab')))),
    ]);
    expect(reduceSlack([paragraph(bold(a))])).toEqual([paragraph(bold(a))]);
    expect(reduceSlack([heading(1, a)])).toEqual([paragraph(bold(a))]);
  });
});

describe('mrkdwn', () => {
  it.each<[string, readonly Inline[]]>([
    ['*a* _a_ ~a~', [bold(a), text(' '), italic(a), text(' '), styled('strike', a)]],
    ['*_a_*', [bold(italic(a))]],
    ['(*a*)', [text('('), bold(a), text(')')]],
    ['`*a* &lt;`', [code('*a* <')]],
    ['<https://b.c> <https://b.c|a &amp; b>', [link(URL), text(' '), link(URL, text('a & b'))]],
    ['<https://b.c?d=1&amp;e=2>', [link('https://b.c?d=1&e=2')]],
    ['https://b.c?d=1&amp;e=2 x', [link('https://b.c?d=1&e=2'), text(' x')]],
    ['<mailto:a@b.c|a@b.c>', [link('mailto:a@b.c', text('a@b.c'))]],
    ['<@U1> <@W1|ann>', [at('member', 'U1'), text(' '), at('member', 'W1', 'ann')]],
    ['<#C1|general>', [at('channel', 'C1', 'general')]],
    ['<!subteam^S1|@team>', [at('group', 'S1', 'team')]],
    [
      '<!here> <!channel|channel>',
      [at('broadcast', 'here'), text(' '), at('broadcast', 'channel')],
    ],
    ['<!date^1^{date_num} {time}|x>', [timestamp(1, 'f')]],
    ['<!date^1^{ago}^https://b.c|x>', [link(URL, timestamp(1, 'R'))]],
    [
      ':smile: :wave::skin-tone-2:',
      [
        emoji('slack', 'smile', 'smile'),
        text(' '),
        emoji('slack', 'wave::skin-tone-2', 'wave::skin-tone-2'),
      ],
    ],
    ['&lt;@U1&gt; &amp;amp;', [text('<@U1> &amp;')]],
  ])('%s', (written, row) => {
    expect(parseMrkdwn(written)).toEqual([paragraph(...row)]);
  });

  it.each([
    'a*b*c',
    'snake_case_name',
    '2 * 3 * 4',
    '* a *',
    '10:30:45',
    '**a**',
    '- a',
    '# a',
    '*a\nb',
  ])('finds nothing in %j', (written) => {
    expect(parseMrkdwn(written)).toEqual([paragraph(text(written))]);
  });

  it.each<[string, RichText]>([
    ['&gt; a\n&gt;b\nc', [quote(paragraph(text('a\nb'))), paragraph(text('c'))]],
    ['> a', [quote(paragraph(a))]],
    ['x\n&gt;&gt;&gt; a\n\nb', [paragraph(text('x')), quote(paragraph(text('a\n\nb')))]],
    ['x ```a &lt; b\n``` y', [paragraph(text('x')), codeBlock('a < b'), paragraph(text('y'))]],
  ])('%j', (written, tree) => {
    expect(parseMrkdwn(written)).toEqual(tree);
  });

  it.each<[string, RichText, string]>([
    ['entities', [paragraph(text('a & <b>'))], 'a &amp; &lt;b&gt;'],
    ['words with signs in them', [paragraph(text('a_b 2 * 3 https'))], 'a_b 2 * 3 https'],
    ['signs', [paragraph(text('*a*'))], '\u2060*\u2060a\u2060*\u2060'],
    ['a style within a word', [paragraph(a, bold(text('b')), text('c'))], 'a\u2060*b*\u2060c'],
    ['an emoji that is text', [paragraph(text(':a:'))], ':\u2060a:\u2060'],
    ['a quote that is text', [paragraph(text('> a'))], '\u2060&gt; a'],
    ['everybody in text', [paragraph(text('@here <!here>'))], '@\u2060here &lt;!here&gt;'],
    ['a list', [numbered(2, item([a], bulleted(item([text('b')]))))], '2. a\n    • b'],
    ['a quote around code', [quote(paragraph(a), codeBlock('b'))], '> a\n```\nb\n```'],
    ['a date', [paragraph(timestamp(0, 't'))], '<!date^0^{time}|1970-01-01 00:00 UTC>'],
  ])('%s', (_, tree, written) => {
    expect(renderMrkdwn(tree)).toBe(written);
    expect(parseMrkdwn(written)).toEqual(reduceMrkdwn(tree));
  });

  it('writes mentions as names unless they may notify and are Slack’s own', () => {
    const tree = [
      paragraph(
        at('member', 'U1', 'Ann'),
        at('broadcast', 'here'),
        mention('discord', 'member', '1', 'Ben'),
      ),
    ];
    expect(renderMrkdwn(tree)).toBe('@Ann@\u2060here@Ben');
    expect(mrkdwnPings(renderMrkdwn(tree))).toEqual([]);
    expect(renderMrkdwn(tree, NOTIFYING)).toBe('<@U1><!here>@Ben');
  });
});

describe('any tree', () => {
  checkLaws(SLACK_LAWS);
});

describe('any text', () => {
  const stays = (written: string): void => {
    const tree = reduceMrkdwn(parseMrkdwn(written), NOTIFYING);
    expect(parseMrkdwn(renderMrkdwn(tree, NOTIFYING))).toEqual(tree);
    expect(parseSlackBlocks(renderSlackBlocks(tree, NOTIFYING))).toEqual(
      reduceSlack(tree, NOTIFYING),
    );
  };

  it('looks the same when it is written again', () => {
    const odd = fc.array(anyWords, { maxLength: 8 }).map((parts) => parts.join(''));
    fc.assert(fc.property(fc.oneof(anyText, odd), stays));
  });

  it.each(longTexts(40_000))('bears a long row of %s', (_, written) => stays(written));
});
