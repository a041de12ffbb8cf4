import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { spokenWords } from '../../../../src/text/speech/spoken-words.ts';
import { anyText, longTexts } from '../any-text.ts';

/** By language: money, a measure with a decimal, a temperature, a range, a foreign number. */
const TABLE: Readonly<Record<string, readonly string[]>> = {
  en: ['5 dollars', '1.50 euros', '3.5 gigabytes', '20 degrees Celsius', '10 to 12', '1234.56'],
  de: ['5 Dollar', '1,50 Euro', '3,5 Gigabyte', '20 Grad Celsius', '10 bis 12', '1234,56'],
  fr: ['5 dollars', '1,50 euro', '3,5 gigaoctets', '20 degrés Celsius', '10 à 12', '1234,56'],
  pt: ['5 dólares', '1,50 euro', '3,5 gigabytes', '20 graus Celsius', '10 a 12', '1234,56'],
  it: ['5 dollari', '1,50 euro', '3,5 gigabyte', '20 gradi Celsius', '10 a 12', '1234,56'],
  nl: ['5 dollar', '1,50 euro', '3,5 gigabyte', '20 graden Celsius', '10 tot 12', '1234,56'],
  sv: ['5 dollar', '1,50 euro', '3,5 gigabyte', '20 grader Celsius', '10 till 12', '1234,56'],
  pl: ['5 dolarów', '1,50 euro', '3,5 gigabajta', '20 stopni Celsjusza', '10 do 12', '1234,56'],
  ru: ['5 долларов', '1,50 евро', '3,5 гигабайта', '20 градусов Цельсия', '10–12', '1234,56'],
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
    expect(written.map((text) => spokenWords(`z ${text} z`, locale).slice(2, -2))).toEqual(spoken);
  });

  it.each([
    ['en', 'it is £3.50, or ₹1,00,000', 'it is 3.50 pounds, or 100000 rupees'],
    ['en', '¥500 and US$2', '500 Japanese yen and 2 US dollars'],
    ['ja', '¥500です', '500円です'],
    ['zh', '只要¥500', '只要500人民币'],
    ['pt', 'R$ 1.234,56 no total', '1234,56 reais no total'],
    ['de', '1.234 €', '1234 Euro'],
    ['fr', '12 500 km', '12500 kilomètres'],
    ['ru', '5 км за 20 мин, 100 км/ч', '5 километров за 20 минут, 100 километров в час'],
    ['en', '-5°C at 60 mph', 'minus 5 degrees Celsius at 60 miles per hour'],
    ['en', '1 km', '1 kilometer'],
    ['en', 'from 2-3 pm, 5-10 km', 'from 2 to 3 p m, 5 to 10 kilometers'],
    ['de', '14-16 Uhr', '14 bis 16 Uhr'],
  ])('are read in %s: %s', (locale, written, spoken) => {
    expect(spokenWords(written, locale)).toBe(spoken);
  });

  it.each([
    ['en', 'page 3-2, 3–2, 7 - 2'],
    ['en', 'v1.2.3 and 192.168.1.1'],
    ['de', '$5 Trillion'],
    ['en', '1.234 € and the 3rd'],
    ['fr', '1.234 €'],
    ['en', '1,234.56'],
    ['de', '1.234,56'],
    ['en', '5m 5g 5s 4GBx B5 km2'],
    ['en', '1000000 III'],
    ['sw', '10–12'],
  ])('are kept in %s: %s', (locale, written) => {
    expect(spokenWords(written, locale)).toBe(written);
  });

  it.each([
    ['en', 'They paid $6.2 billion', 'They paid 6.2 billion dollars'],
    ['en', 'about $3k', 'about 3 thousand dollars'],
    ['en', '€3bn, £2M', '3 billion euros, 2 million pounds'],
    ['de', '3,5 Mrd. €', '3,5 Milliarden Euro'],
    ['fr', '3 milliards €', '3 milliards d’euros'],
    ['ru', '$5 млн', '5 миллионов долларов'],
    ['pt', 'R$ 5,3 milhões', '5,3 milhões de reais'],
    ['ja', '3万円で¥3万', '3万円で3万円'],
    ['zh', '今天-5度', '今天零下5度'],
    ['ko', '지금 -8도', '지금 영하 8도'],
    ['ja', '気温は-8度', '気温はマイナス8度'],
    ['en', '5 - 3 = 2', '5 minus 3 equals 2'],
    ['en', 'it was -$20', 'it was minus 20 dollars'],
    ['en', '10 < 20', '10 less than 20'],
    ['zh', '增长了50%', '增长了百分之50'],
    ['ja', '50%増', '50 パーセント増'],
    ['ko', '50% 늘었다', '50퍼센트 늘었다'],
    ['ru', 'на 50%', 'на 50 процентов'],
    ['en', '1/2 cup', 'half a cup'],
    ['en', '2 1/2 hours', '2 and a half hours'],
    ['de', '3/4 Liter', 'drei Viertel Liter'],
    ['fr', '2/3 des gens', 'deux tiers des gens'],
    ['ru', '2/3', 'две третьих'],
    ['ja', '2/3', '3分の2'],
    ['en', '20min', '20 minutes'],
    ['en', '3pm', '3 p m'],
    ['en', 'in the 1760s, back in the ’90s', 'in the seventeen sixties, back in the nineties'],
    ['de', 'die 1990er, die 80er', 'die neunzehnhundertneunziger, die achtziger'],
    ['en', 'C++ & C#', 'C++ and C#'],
  ])('are read with their magnitudes and signs in %s: %s', (locale, written, spoken) => {
    expect(spokenWords(written, locale)).toBe(spoken);
    expect(spokenWords(spoken, locale)).toBe(spoken);
  });

  it.each(['2-1', 'F-16', '1/2/2026', '24/7', 'A/B', 'a -> b', 'x-5'])(
    'are not found in %s',
    (text) => {
      expect(spokenWords(text, 'en')).toBe(text);
    },
  );

  it.each([
    ['de', 'Nr. 7, z. B. morgen, z.B. heute', 'Nummer 7, zum Beispiel morgen, zum Beispiel heute'],
    ['de', 'bzw. Dr. Weber', 'beziehungsweise Doktor Weber'],
    ['fr', 'M. Durand, 3 M.', 'monsieur Durand, 3 M.'],
    ['es', 'n.º 8 de EE. UU.', 'número 8 de Estados Unidos'],
    ['it', 'n. 8', 'numero 8'],
    ['pl', 'godz. 8', 'godzina 8'],
    ['ru', 'стр. 5', 'страница 5'],
  ])('have their abbreviations written out in %s: %s', (locale, written, spoken) => {
    expect(spokenWords(written, locale)).toBe(spoken);
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
