import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { spokenWords } from '../../../../src/text/speech/spoken-words.ts';
import { anyText, longTexts } from '../any-text.ts';

/** By language: money, a measure with a decimal, a temperature, a range, a foreign number. */
const TABLE: Readonly<Record<string, readonly string[]>> = {
  en: ['5 dollars', '1.50 euros', '3.5 gigabytes', '20 degrees Celsius', '10 to 12', '1234.56'],
  de: ['5 Dollar', '1,50 Euro', '3,5 Gigabyte', '20 Grad Celsius', '10 bis 12', '1234,56'],
  fr: ['5 dollars', '1,50 euro', '3,5 gigaoctets', '20 degrés Celsius', '10 à 12', '1234,56'],
  pt: ['5 Dólares', '1,50 Euro', '3,5 gigabytes', '20 graus Celsius', '10 a 12', '1234,56'],
  it: ['5 dollari', '1,50 euro', '3,5 gigabyte', '20 gradi Celsius', '10 a 12', '1234,56'],
  nl: ['5 dollar', '1,50 euro', '3,5 gigabyte', '20 graden Celsius', '10 tot 12', '1234,56'],
  sv: ['5 dollar', '1,50 euro', '3,5 gigabyte', '20 grader Celsius', '10 till 12', '1234,56'],
  pl: ['5 dolarów', '1,50 euro', '3,5 gigabajta', '20 stopni Celsjusza', '10 do 12', '1234,56'],
  ru: [
    '5 долларов',
    '1,50 евро',
    '3,5 гигабайта',
    '20 градусов Цельсия',
    'от десяти до двенадцати',
    '1234,56',
  ],
  hi: ['5 डॉलर', '1.50 यूरो', '3.5 गीगाबाइट', '20 डिग्री सेल्सियस', '10 से 12', '1234.56'],
  ja: ['5米ドル', '1.50ユーロ', '3.5 ギガバイト', '摂氏 20 度', '10から12', '1234.56'],
  ko: ['5 달러', '1.50 유로', '3.5기가바이트', '섭씨 20도', '10에서 12', '1234.56'],
  zh: ['5美元', '1.50欧元', '3.5GB', '20摄氏度', '10到12', '1234.56'],
  es: ['$5', '1,50 euros', '3,5 gigabytes', '20 grados Celsius', '10 a 12', '1234,56'],
};
const POINT = new Set(['en', 'hi', 'ja', 'ko', 'zh']);

describe('amounts', () => {
  it.each(Object.entries(TABLE))('are read in %s', (locale, spoken) => {
    const foreign = POINT.has(locale) ? '1.234,56' : '1,234.56';
    const written = ['$5', '€1,50', '3.5GB', '20°C', '10–12', foreign];
    expect(written.map((text) => spokenWords(`a ${text} c`, locale).slice(2, -2))).toEqual(spoken);
  });

  it.each([
    ['en', 'it is £3.50, or ₹1,00,000', 'it is 3.50 pounds, or 100000 rupees'],
    ['en', '¥500 and US$2', '500 Japanese yen and 2 US dollars'],
    ['ja', '¥500です', '500円です'],
    ['zh', '只要¥500', '只要500人民币'],
    ['pt', 'R$ 1.234,56 no total', '1234,56 Reais brasileiros no total'],
    ['de', '1.234 €', '1234 Euro'],
    ['fr', '12 500 km', '12500 kilomètres'],
    ['ru', '5 км за 20 мин, 100 км/ч', '5 километров за 20 мин, 100 километров в час'],
    ['en', '-5°C at 60 mph', '-5 degrees Celsius at 60 miles per hour'],
    ['en', '1 km', '1 kilometer'],
    ['en', 'from 2-3 pm, 5-10 km', 'from 2 to 3 pm, 5 to 10 kilometers'],
    ['de', '14-16 Uhr', '14 bis 16 Uhr'],
  ])('are read in %s: %s', (locale, written, spoken) => {
    expect(spokenWords(written, locale)).toBe(spoken);
  });

  it.each([
    ['en', 'a score of 3-2, won 3–2, 7 - 2'],
    ['en', 'v1.2.3 and 192.168.1.1'],
    ['en', '$5 million, $5k, $2bn'],
    ['en', '1.234 € and 50% and the 3rd'],
    ['fr', '1.234 €'],
    ['en', '1,234.56'],
    ['de', '1.234,56'],
    ['en', '5m 5g 5s 20° 4GBx B5 km2'],
    ['en', '1000000 III'],
    ['sw', '10–12'],
  ])('are kept in %s: %s', (locale, written) => {
    expect(spokenWords(written, locale)).toBe(written);
  });

  it('are read once: what was read is left as it is', () => {
    for (const locale of Object.keys(TABLE)) {
      const text = '$5 €1,50 3.5GB 20°C 10–12 1,234.56 1.234,56 2026-11-23 14:30';
      const spoken = spokenWords(text, locale);
      expect(spokenWords(spoken, locale)).toBe(spoken);
    }
  });

  it('never throws, whatever the text and the locale', () => {
    const locales = fc.constantFrom('en', 'de', 'ar', 'x', 'en_US', 'not a locale', '');
    fc.assert(
      fc.property(anyText, locales, (text, locale) => {
        const spoken = spokenWords(text, locale);
        expect(spoken).toBe(spoken.trim());
      }),
    );
  });

  it.each([
    ...longTexts(20_000),
    ...['1,', '1 000 ', '$', '1–', '5 km ', '1.1.'].map(
      (part) => [part, part.repeat(5_000)] as const,
    ),
  ])('bears a long row of %j', (_, text) => {
    expect(spokenWords(text, 'de').length).toBeLessThanOrEqual(text.length * 12);
  });
});
