import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { WEB_LIMITS } from '../../../adapters/web/limits.ts';
import { toHtml } from '../../../adapters/web/markdown.ts';

describe('what people write', () => {
  test('is shown with the marks that chats share', () => {
    expect(toHtml('**b** *i* ~~s~~ `c`').trim()).toBe(
      '<p><strong>b</strong> <em>i</em> <s>s</s> <code>c</code></p>',
    );
    expect(toHtml('```\n<b>\n```')).toContain('<pre><code>&lt;b&gt;');
    expect(toHtml('one\ntwo')).toContain('<br>');
  });

  test.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '[x](javascript:alert(1))',
    '[x](data:text/html,hello)',
    '![x](https://example.org/x.png)',
    '"><svg/onload=alert(1)>',
  ])('never becomes markup or a script of the author: %s', (text) => {
    expect(toHtml(text)).not.toMatch(/<(?:script|img|svg)|href="(?:javascript|data):/i);
  });

  test('has links that open elsewhere and tell nothing', () => {
    for (const text of ['https://example.org/', '[name](https://example.org/)'])
      expect(toHtml(text)).toContain(
        '<a href="https://example.org/" target="_blank" rel="noopener noreferrer">',
      );
    expect(toHtml('example.org and a@example.org')).not.toContain('<a');
  });

  test('is shown as it was typed when it is very long', () => {
    const long = `**b** <i> & ${'x'.repeat(WEB_LIMITS.markdownChars)}`;
    expect(toHtml(long)).toMatch(/^<p class="as-typed">\*\*b\*\* &lt;i&gt; &amp; x+<\/p>$/);
  });

  test('holds only tags that we know, whatever it is', () => {
    const known =
      /^<\/?(?:p|br|strong|em|s|code|pre|a|ul|ol|li|blockquote|h[1-6]|hr|table|thead|tbody|tr|th|td)\b/;
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...Array.from('<>"&\'()[]!`*_~#|- \n:a/=')) }),
        (text) => {
          for (const [tag] of toHtml(text).matchAll(/<[^>]*/g)) expect(tag).toMatch(known);
        },
      ),
    );
  });
});
