import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainSpans } from '../../../src/text/plain-spans.ts';
import { anyText } from './any-text.ts';

const found = (text: string): readonly string[] =>
  plainSpans(text).map(({ start, end }) => text.slice(start, end));

describe('what is written for computers', () => {
  it.each([
    ['See report_final_v2.docx.', ['report_final_v2.docx']],
    ['Open /usr/local/bin, then ~/notes or ./run.sh!', ['/usr/local/bin', '~/notes', './run.sh']],
    ['It is in C:\\Users\\ana\\file.txt.', ['C:\\Users\\ana\\file.txt']],
    ['Type /help to see all', ['/help']],
    ['look at src/text/plain-spans.ts and README.md', ['src/text/plain-spans.ts', 'README.md']],
    ['a relatório_final.PDF b', ['relatório_final.PDF']],
    ['请看report.md文件', ['report.md']],
    ['v2.3.1 is out, 10.0.19045 too, and 2.0.0-beta.1', ['v2.3.1', '10.0.19045', '2.0.0-beta.1']],
    ['the host is 192.168.0.1.', ['192.168.0.1']],
    ['write in #general or #off-topic, #東京 too', ['#general', '#off-topic', '#東京']],
    ['call get_user_name and __init__x', ['get_user_name', '__init__x']],
    ['Hello {name}, ${count} of %s in {{ n }}', ['{name}', '${count}', '%s', '{{ n }}']],
    ['%1$s of %(x)d, %05.2f and %ld', ['%1$s', '%(x)d', '%05.2f', '%ld']],
    ['%{count} in #{name}, {price:.2f}', ['%{count}', '#{name}', '{price:.2f}']],
    ['{{user.name}} and {{ user.name | upper }}', ['{{user.name}}', '{{ user.name | upper }}']],
    [
      '<a href="https://x.org" title="a b">here</a>',
      ['<a href="https://x.org" title="a b">', '</a>'],
    ],
    ['<br/>so <b>much</b>', ['<br/>', '<b>', '</b>']],
    ['<color=#ff0000>alert</color>', ['<color=#ff0000>', '</color>']],
    ['in "C:\\Program Files (x86)\\Steam".', ['C:\\Program Files (x86)\\Steam']],
    ['C:\\My Documents\\a.txt and D:\\b', ['C:\\My Documents\\a.txt', 'D:\\b']],
    ['join steam://connect/10.0.0.1:27015/a_b.', ['steam://connect/10.0.0.1:27015/a_b']],
    ['call tel:+49-30-1234 or mailto:a@b.org', ['tel:+49-30-1234', 'mailto:a@b.org']],
    ['get magnet:?xt=urn:btih:ab12&dn=a_b', ['magnet:?xt=urn:btih:ab12&dn=a_b']],
    ['on discord.gg/abc and example.com', ['discord.gg/abc', 'example.com']],
    ['see https://a.b/c_d/e.txt now', ['https://a.b/c_d/e.txt']],
    ['mail ann_b@example.com', ['ann_b@example.com']],
    ['in node_modules/@types/node', ['node_modules/@types/node']],
  ])('is found in %j', (text, spans) => {
    expect(found(text)).toEqual(spans);
  });

  it.each([
    'and/or he/she, 24/7, s/he, w/o, km/h, TCP/IP, yes/no/maybe',
    'e.g. 3.5, i.e. this, a.m. and p.m., U.S.A.',
    'done.Now we go.Then stop',
    'on 04.07.1995 and 1.2.26 for 1.234.567 or 12.500',
    '#1 of 50% for $5, {that is it}, C# and 100%s',
    'a / b, - c -, :/ and ¯\\_(ツ)_/¯',
    'I am OK... really?',
    '<your name here> <3 a < b, c > d',
    'tel: 030, Re: this, data: now, time:now',
    '%50 off, 50 % de, 5% so',
  ])('is not in %j', (text) => {
    expect(found(text)).toEqual([]);
  });

  it('leaves the spans of a text in order and apart', () => {
    const pieces = fc.constantFrom(
      'a_b',
      '/x/y',
      '.md',
      '@',
      'a',
      ' ',
      '#c',
      '{n}',
      '://',
      '😀',
      '⟦1⟧',
      '\\',
    );
    const texts = fc.oneof(
      anyText,
      fc.array(pieces, { maxLength: 12 }).map((all) => all.join('')),
    );
    fc.assert(
      fc.property(texts, (text) => {
        let end = 0;
        for (const span of plainSpans(text)) {
          expect(span.start).toBeGreaterThanOrEqual(end);
          expect(span.end).toBeGreaterThan(span.start);
          ({ end } = span);
        }
        expect(end).toBeLessThanOrEqual(text.length);
      }),
    );
  });
});
