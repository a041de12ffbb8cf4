import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { passagesOf, readableIn, textIn } from '../../../src/speech/passages.ts';
import { anyText, longTexts } from '../text/any-text.ts';

const inLanguages = (text: string, locale?: string) =>
  passagesOf(text, locale).map(({ text: part, language }) => [part, language]);

describe('the passages of a text', () => {
  it.each([
    [
      'en',
      'She said こんにちは、元気？ to me',
      ['She said ', 'こんにちは、元気', '？ to me'],
      'ja',
    ],
    ['en', 'my friend Привет, как дела', ['my friend ', 'Привет, как дела'], 'ru'],
    ['de', '안녕 heißt hallo', ['안녕', ' heißt hallo'], 'ko'],
    ['ru', 'скажи שלום всем', ['скажи ', 'שלום', ' всем'], 'he'],
    ['ja', 'これは Привет です', ['これは ', 'Привет', ' です'], 'ru'],
    ['en', 'a 猫 sat', ['a ', '猫', ' sat'], 'zh'],
  ])(
    'are split where a voice cannot read the letters, in %s: %s',
    (locale, text, parts, language) => {
      const passages = inLanguages(text, locale);
      expect(passages.map(([part]) => part)).toEqual(parts);
      expect(passages.map(([, found]) => found).filter((found) => found !== undefined)).toEqual([
        language,
      ]);
    },
  );

  it.each([
    ['en', 'plain words, naïve café 12 🎉'],
    ['en', 'α + β is π, 5 μm'],
    ['en', '¯\\_(ツ)_/¯ and ಠ_ಠ'],
    ['ja', '日本語のテキストとEnglish'],
    ['ko', '한국어 漢字 English'],
    ['zh-TW', '這是中文ㄅ text'],
    ['ru', 'Привет, hello'],
    ['sr', 'Здраво, svete'],
    [undefined, 'hello привет'],
    ['not a locale', 'hello'],
  ])('are one where a voice reads all, in %s: %s', (locale, text) => {
    expect(passagesOf(text, locale)).toEqual([{ text }]);
  });

  it('are the whole text, in its order, whatever it is', () => {
    const locales = fc.constantFrom('en', 'ja', 'zh', 'ko', 'ru', 'ar', 'xx', 'not a locale');
    fc.assert(
      fc.property(anyText, locales, (text, locale) => {
        const passages = passagesOf(text, locale);
        expect(passages.map((passage) => passage.text).join('')).toBe(text);
      }),
    );
  });

  it.each(longTexts(100_000))('are found in a long row of %s', (_, text) => {
    expect(passagesOf(text, 'en').length).toBeLessThanOrEqual(text.length + 1);
  });
});

describe('a text for one voice', () => {
  const speaksRussian = (language: string) => language === 'ru';

  it('names what the voice cannot read, in its language', () => {
    expect(readableIn('She said こんにちは to me', 'en', speaksRussian)).toBe(
      'She said text in Japanese to me',
    );
    expect(readableIn('она: こんにちは', 'ru', speaksRussian)).toBe('она: текст, японский');
    expect(textIn('ja', 'sv')).toBe('japanska');
  });

  it('keeps what the voice speaks too', () => {
    const text = 'She said привет to me';
    expect(readableIn(text, 'en', speaksRussian)).toBe(text);
  });
});
