import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findSpans, withoutSpans } from '../../../../src/text/markup/spans.ts';
import { anyText, longTexts } from '../any-text.ts';

const found = (text: string): string[] =>
  findSpans(text).map(({ kind, start, end }) => `${kind} ${text.slice(start, end)}`);

describe('findSpans', () => {
  it.each([
    ['a user', '<@1>', 'mention'],
    ['a nickname', '<@!1>', 'mention'],
    ['a role', '<@&1>', 'mention'],
    ['a channel', '<#1>', 'mention'],
    ['a command', '</ask now:1>', 'mention'],
    ['a Slack member', '<@U1>', 'mention'],
    ['a Slack channel', '<#C1|general>', 'mention'],
    ['a Slack broadcast', '<!here>', 'mention'],
    ['a Slack group', '<!subteam^S1|@team>', 'mention'],
    ['everyone', '@everyone', 'mention'],
    ['a custom emoji', '<:n:1>', 'custom-emoji'],
    ['a moving custom emoji', '<a:n:1>', 'custom-emoji'],
    ['a shortcode', ':smile:', 'shortcode'],
    ['a shortcode with skin', ':wave::skin-tone-2:', 'shortcode'],
    ['a family', '👩‍👩‍👧', 'emoji'],
    ['a flag', '🇯🇵', 'emoji'],
    ['a keycap', '1️⃣', 'emoji'],
    ['a skin tone', '👍🏽', 'emoji'],
    ['a timestamp', '<t:1700000000:R>', 'timestamp'],
    ['a Slack date', '<!date^1^{date}|Feb 18>', 'timestamp'],
    ['an address', 'https://a.b/c?d=e#f', 'url'],
    ['an address without scheme', 'www.a.b', 'url'],
    ['an address in brackets', '<https://a.b>', 'url'],
    ['mail', 'me.too@a.example', 'email'],
    ['inline code', '`a *b*`', 'code'],
    ['code with a backtick', '``a`b``', 'code'],
    ['a fence', '```js\na\n\nb\n```', 'code-block'],
    ['an open fence', '```js\na **b**', 'code-block'],
  ])('finds %s between words', (_, written, kind) => {
    const spans = findSpans(`see ${written}`);
    expect(spans).toEqual([{ start: 4, end: 4 + written.length, kind }]);
  });

  it.each([
    ['bold', '**a**', ['emphasis **', 'emphasis **']],
    ['italic', '*a* _b_', ['emphasis *', 'emphasis *', 'emphasis _', 'emphasis _']],
    ['strike', '~~a~~', ['emphasis ~~', 'emphasis ~~']],
    ['bold italic', '***a***', ['emphasis **', 'emphasis *', 'emphasis *', 'emphasis **']],
    ['italic within bold', '***a* b**', ['emphasis **', 'emphasis *', 'emphasis *', 'emphasis **']],
    ['bold within italic', '***a** b*', ['emphasis **', 'emphasis *', 'emphasis **', 'emphasis *']],
    [
      'bold that ends with italic',
      '**a *b***',
      ['emphasis **', 'emphasis *', 'emphasis *', 'emphasis **'],
    ],
    [
      'underlined mentions',
      '__@here__ __@ann__',
      ['emphasis __', 'mention @here', 'emphasis __', 'emphasis __', 'mention @ann', 'emphasis __'],
    ],
    ['bold after an escaped sign', String.raw`**a\***`, ['emphasis **', 'emphasis **']],
    ['a spoiler', '||a||', ['spoiler ||', 'spoiler ||']],
    ['a link', '[a](https://b.c/d_(e))', ['link [', 'link ](https://b.c/d_(e))']],
    ['a Slack link', '<https://b.c|a b>', ['link <https://b.c|', 'link >']],
    ['a heading', '# a', ['line-marker #']],
    ['a quote and a bullet', '> a\n- b', ['line-marker >', 'line-marker -']],
  ])('finds the markers of %s, not what is between them', (_, text, expected) => {
    expect(found(text)).toEqual(expected);
  });

  it.each([
    'snake_case_name',
    '2 * 3 * 4',
    '**never closed',
    'at 10:30:45',
    'std::vector',
    'a [note] (here)',
    '嗯~好~',
    String.raw`\*a\*`,
    'an escaped \\`backtick\\`',
    'a < b > c',
    '-5 degrees',
    'one ` backtick\n\nanother ` there',
    '5 @ 3',
  ])('finds nothing in %j', (text) => {
    expect(found(text)).toEqual([]);
  });

  it.each([
    ['(https://a.b/c).', 'https://a.b/c'],
    ['https://a.b/c_(d), e', 'https://a.b/c_(d)'],
    ['**https://a.b**', 'https://a.b'],
    ['**https://a.b**を', 'https://a.b'],
    ['~~https://a.b~~🎉', 'https://a.b'],
    ['見てhttps://a.b/日本。次', 'https://a.b/日本'],
  ])('leaves the punctuation of the sentence out of the address in %j', (text, url) => {
    expect(found(text)).toContain(`url ${url}`);
  });

  it('gives ordered spans that do not overlap, whatever the text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        let from = 0;
        for (const { start, end } of findSpans(text)) {
          expect(start).toBeGreaterThanOrEqual(from);
          expect(end).toBeGreaterThan(start);
          from = end;
        }
        expect(from).toBeLessThanOrEqual(text.length);
      }),
    );
  });

  it.each(longTexts(100_000))('reads a long row of %s', (_, text) => {
    expect(withoutSpans(text).length).toBeLessThanOrEqual(text.length + findSpans(text).length);
  });
});
