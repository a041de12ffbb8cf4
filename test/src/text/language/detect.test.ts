import * as fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { detectLanguage } from '../../../../src/text/language/detect.ts';
import { languageText } from '../../../../src/text/message-checks.ts';
import { tree } from '../../../fakes/markup.ts';
import { LANGUAGES } from '../../../../src/text/language/language-list.ts';
import { anyText, longTexts } from '../any-text.ts';

const readLines = (name: string): [language: string, line: string][] =>
  Object.entries(
    JSON.parse(readFileSync(`test/fixtures/${name}.json`, 'utf8')) as Record<string, string[]>,
  ).flatMap(([language, lines]) => lines.map((line): [string, string] => [language, line]));

const share = (lines: readonly [string, string][]): number =>
  lines.filter(([language, line]) => detectLanguage(line)?.language === language).length /
  lines.length;

describe('detectLanguage', () => {
  const lines = readLines('chat-lines');
  const heldOut = readLines('chat-lines-held-out');

  it('tells 97 of 100 short chat lines, and of lines that nothing was fitted to', () => {
    expect(lines.length).toBeGreaterThan(400);
    expect(share(lines)).toBeGreaterThan(0.97);
    expect(share(heldOut)).toBeGreaterThan(0.97);
  });

  it('is right as often as its confidence says', () => {
    const sure = [...lines, ...heldOut].filter(
      ([, line]) => (detectLanguage(line)?.confidence ?? 0) >= 0.9,
    );
    expect(sure.length).toBeGreaterThan(500);
    expect(share(sure)).toBeGreaterThan(0.98);
  });

  it.each([
    '',
    ' ',
    '42',
    '🎉',
    '<@1> https://a.b',
    'lol',
    'gg',
    'ok',
    'xd',
    'no',
    '\uD83D',
    '...',
  ])('does not guess at %j', (text) => {
    expect(detectLanguage(text)).toBeUndefined();
  });

  it.each([
    ['hello', 'en'],
    ['gracias', 'es'],
    ['谢谢', 'zh'],
    ['謝謝你們', 'zh-Hant'],
    ['了解', 'ja'],
    ['deployしました', 'ja'],
    ['how do you say 猫 in japanese', 'en'],
    ['สวัสดี', 'th'],
    ['Що ви робите сьогодні?', 'uk'],
  ])('%j is %s', (text, language) => {
    expect(detectLanguage(text)?.language).toBe(language);
  });

  it('is not misled by addresses, code, mentions and emoji', () => {
    const line =
      '<@1> https://example.com/the/english/words `const value = input` :thinking_face: 今日は寒い';
    expect(detectLanguage(languageText(tree(line)))?.language).toBe('ja');
  });

  it('gives listed languages and a confidence of 0 to 1, whatever the text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const found = detectLanguage(text);
        if (!found) return;
        expect(LANGUAGES).toContain(found.language);
        expect(found.confidence).toBeGreaterThan(0);
        expect(found.confidence).toBeLessThanOrEqual(1);
      }),
    );
  });

  it.each(longTexts(100_000))('bears a long row of %s', (_, text) => {
    expect(detectLanguage(text)?.confidence ?? 0).toBeLessThanOrEqual(1);
  });
});
