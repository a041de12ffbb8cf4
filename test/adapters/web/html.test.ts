import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toHtml } from '../../../adapters/web/html.ts';
import {
  codeBlock,
  link,
  ownCommand,
  paragraph,
  spoiler,
  subtext,
  text,
  timestamp,
} from '../../../src/rich-text/rich-text.ts';
import { anyRichText } from '../../fakes/any-rich-text.ts';
import { rich } from '../../fakes/rich-text.ts';

const htmlOf = (markdown: string): string => toHtml(rich(markdown));

test('signs of state are drawn by the page, and stay text', () => {
  expect(htmlOf('✅ <ok> ⚠️ `❌` 🎉')).toBe(
    '<p><span class="sign good">✅</span> &lt;ok&gt; <span class="sign warning">⚠️</span> <code>❌</code> 🎉</p>',
  );
});

test('a command of ours is code, as people type it', () => {
  expect(toHtml([paragraph(ownCommand('help', '<hilfe>'))])).toBe(
    '<p><code>/&lt;hilfe&gt;</code></p>',
  );
});

describe('what people write', () => {
  test('is shown with the marks that chats share', () => {
    expect(htmlOf('**b** *i* ~~s~~ `c`')).toBe(
      '<p><strong>b</strong> <em>i</em> <s>s</s> <code>c</code></p>',
    );
    expect(htmlOf('```\n<b>\n```')).toContain('<pre><code>&lt;b&gt;');
    expect(htmlOf('one\ntwo\n\n**three**\nfour')).toBe(
      '<p>one<br>\ntwo</p>\n<p><strong>three</strong><br>\nfour</p>',
    );
    expect(htmlOf('# one\n> two\n- three\n  - four\n\n5. five')).toBe(
      [
        '<h1>one</h1>',
        '<blockquote dir="auto"><p>two</p></blockquote>',
        '<ul dir="auto"><li>three<ul dir="auto"><li>four</li></ul></li></ul>',
        '<ol start="5" dir="auto"><li>five</li></ol>',
      ].join('\n'),
    );
    expect(toHtml([subtext(text('small'))])).toBe('<p><small>small</small></p>');
  });

  test('is hidden where it is a spoiler', () => {
    expect(htmlOf('he ||wins\n\n`2:1`||')).toBe(
      '<p>he <spoiler-text><span>wins<br>\n<br>\n<code>2:1</code></span></spoiler-text></p>',
    );
    expect(toHtml([codeBlock('x', undefined, true)])).toBe(
      '<spoiler-text><span><pre><code>x</code></pre></span></spoiler-text>',
    );
  });

  test('has times as the browser can write them in the time zone of its reader', () => {
    expect(toHtml([paragraph(timestamp(60, 'R'))])).toBe(
      '<p><local-time data-seconds="60" data-style="R">1970-01-01 00:01 UTC</local-time></p>',
    );
  });

  test.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '[x](javascript:alert(1))',
    '[x](data:text/html,hello)',
    '![x](https://example.org/x.png)',
    '"><svg/onload=alert(1)>',
  ])('never becomes markup or a script of the author: %s', (written) => {
    const isUnsafe = /<(?:script|img|svg)|href="(?:javascript|data):/i;
    expect(htmlOf(written)).not.toMatch(isUnsafe);
    expect(toHtml([paragraph(link(written, spoiler(text(written))))])).not.toMatch(isUnsafe);
  });

  test('has links that open elsewhere and tell nothing', () => {
    for (const written of ['https://example.org/', '[name](https://example.org/)'])
      expect(htmlOf(written)).toContain(
        '<a href="https://example.org/" target="_blank" rel="noopener noreferrer">',
      );
    expect(htmlOf('example.org and a@example.org')).not.toContain('<a');
  });

  test('keeps its marks however long it is', () => {
    expect(htmlOf('**b** <i>\n'.repeat(50_000)).match(/<strong>b/g)).toHaveLength(50_000);
  });

  test('holds only tags that we know, whatever it is', () => {
    const known =
      /^<\/?(?:p|br|strong|em|u|s|small|code|pre|(?:ul|ol(?: start="\d+")?|blockquote)(?: dir="auto")?|li|h[1-3]|spoiler-text|local-time(?: data-seconds="-?\d+" data-style="[tTdDfFR]")?|span(?: class="sign [a-z]+")?|a(?: href="(?:https?:|mailto:|tel:)[^"]*" target="_blank" rel="noopener noreferrer")?)$/i;
    const check = (html: string): void => {
      for (const [tag] of html.matchAll(/<[^>]*/g)) expect(tag).toMatch(known);
    };
    const signs = fc.constantFrom(...Array.from('<>"&\'()[]!`*_~#|- \n:a/='));
    fc.assert(fc.property(fc.string({ unit: signs }), (written) => check(htmlOf(written))));
    fc.assert(fc.property(anyRichText(), (tree) => check(toHtml(tree))));
  });
});
