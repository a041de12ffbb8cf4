import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  detectLanguage,
  rankLanguages,
  type Detection,
} from '../../../../src/text/language/detect.ts';
import { languageText } from '../../../../src/text/message-checks.ts';
import { MAIN_LANGUAGES, readCorpus, type CorpusLine } from '../../../fakes/chat-corpus.ts';
import { tree } from '../../../fakes/markup.ts';
import { LANGUAGES } from '../../../../src/text/language/language-names.ts';
import { anyText, longTexts } from '../any-text.ts';

const NOTHING: Detection = { language: 'und', confidence: 1 };
const bestOf = (text: string): Detection => rankLanguages(text)[0] ?? NOTHING;

const rightShare = (lines: readonly CorpusLine[]): number =>
  lines.filter(({ text, language }) => bestOf(text).language === language).length / lines.length;

/** The share of lines that are taken for another language with confidence. */
const misleadingShare = (lines: readonly CorpusLine[]): number =>
  lines.filter(({ text, language }) => {
    const best = bestOf(text);
    return best.language !== 'und' && best.language !== language && best.confidence >= 0.7;
  }).length / lines.length;

describe('detectLanguage', () => {
  const heldOut = readCorpus('held-out');
  const main = heldOut.filter(({ written }) => MAIN_LANGUAGES.has(written));
  const others = heldOut.filter(({ written }) => !MAIN_LANGUAGES.has(written));
  const none = heldOut.filter(({ written }) => written === 'und');

  it('tells 97 of 100 chat lines that nothing was fitted to, and is seldom confident and wrong', () => {
    expect(main.length).toBeGreaterThan(1_200);
    expect(rightShare(main)).toBeGreaterThan(0.97);
    expect(misleadingShare(main)).toBeLessThan(0.02);
    expect(rightShare(readCorpus('earlier'))).toBeGreaterThan(0.97);
  });

  it('takes almost no short line in English for another language', () => {
    const lines = JSON.parse(
      readFileSync('test/fixtures/chat/short-english.json', 'utf8'),
    ) as readonly string[];
    const wrong = lines.filter((text) => (detectLanguage(text)?.language ?? 'en') !== 'en');
    expect(wrong.length).toBeLessThanOrEqual(2);
  });

  it.each(['2 hours ago', 'no cap', 'merge conflict', 'standup in 5'])('knows %j', (text) => {
    expect(detectLanguage(text)?.language ?? 'en').toBe('en');
  });

  it('tells 19 of 20 lines of one to three words', () => {
    expect(rightShare(main.filter(({ kind }) => kind === 'short'))).toBeGreaterThan(0.95);
  });

  it('tells most lines of rarer, related and romanised languages', () => {
    expect(new Set(others.map(({ written }) => written)).size).toBeGreaterThan(40);
    expect(rightShare(others)).toBeGreaterThan(0.86);
  });

  it('is never confident of a language where there is none', () => {
    expect(none.length).toBeGreaterThan(25);
    expect(misleadingShare(none)).toBe(0);
  });

  it('is right as often as its confidence says', () => {
    const sure = main.filter(({ text }) => bestOf(text).confidence >= 0.9);
    expect(sure.length).toBeGreaterThan(1_000);
    expect(rightShare(sure)).toBeGreaterThan(0.98);
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
    ['felicidades', 'es'],
    ['tusen takk', 'no'],
    ['grattis', 'sv'],
    ['谢谢', 'zh'],
    ['謝謝你們', 'zh-Hant'],
    ['又把鑰匙忘在公司了', 'zh-Hant'],
    ['了解', 'ja'],
    ['deployしました', 'ja'],
    ['watashi mo ikitai', 'ja'],
    ['how do you say 猫 in japanese', 'en'],
    ['สวัสดี', 'th'],
    ['Що ви робите сьогодні?', 'uk'],
    ['2024年12月25日开会', 'zh'],
  ])('%j is %s', (text, language) => {
    expect(detectLanguage(text)?.language).toBe(language);
  });

  it('is not misled by addresses, code, mentions and emoji', () => {
    const line =
      '<@1> https://example.com/the/english/words `const value = input` :thinking_face: 今日は寒い';
    expect(detectLanguage(languageText(tree(line)))?.language).toBe('ja');
    expect(detectLanguage('9f86d081884c7d659a2feaa0c55ad015 a3bf4f1b2b0b822c')).toBeUndefined();
  });

  it('gives listed languages and a confidence of 0 to 1, whatever the text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const ranked = rankLanguages(text);
        const total = ranked.reduce((sum, { confidence }) => sum + confidence, 0);
        expect(total).toBeLessThanOrEqual(1.000_001);
        for (const { language, confidence } of ranked) {
          expect([...LANGUAGES, 'und']).toContain(language);
          expect(confidence).toBeGreaterThanOrEqual(0);
        }
      }),
    );
  });

  it.each(longTexts(100_000))('bears a long row of %s', (_, text) => {
    expect(detectLanguage(text)?.confidence ?? 0).toBeLessThanOrEqual(1.000_001);
  });
});
