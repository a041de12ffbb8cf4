import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  finnishElative,
  finnishIllative,
  russianGenitive,
  russianYear,
  russianYearTo,
  ukrainianGenitive,
  ukrainianHour,
  ukrainianYear,
} from '../../../../src/text/speech/inflected-numbers.ts';
import { spokenWords } from '../../../../src/text/speech/spoken-words.ts';

/** By language: numbers, times of day and years with a dash between them. */
const TABLE: Readonly<Record<string, readonly [string, string, string]>> = {
  en: ['3 to 5', '10:00 to 12:30', '2020 to 2024'],
  de: ['3 bis 5', '10 Uhr bis 12 Uhr 30', '2020 bis 2024'],
  fr: ['3 à 5', '10 heures à 12 heures 30', '2020 à 2024'],
  es: ['3 a 5', '10:00 a 12:30', '2020 a 2024'],
  it: ['3 a 5', '10:00 a 12:30', '2020 a 2024'],
  pt: ['3 a 5', '10:00 a 12:30', '2020 a 2024'],
  ro: ['3 până la 5', '10:00 până la 12:30', '2020 până la 2024'],
  nl: ['3 tot 5', '10 uur tot 12 uur 30', '2020 tot 2024'],
  sv: ['3 till 5', '10:00 till 12:30', '2020 till 2024'],
  da: ['3 til 5', '10:00 til 12:30', '2020 til 2024'],
  nb: ['3 til 5', '10:00 til 12:30', '2020 til 2024'],
  pl: ['3 do 5', '10:00 do 12:30', '2020 do 2024'],
  cs: ['3 až 5', '10:00 až 12:30', '2020 až 2024'],
  el: ['3 έως 5', '10:00 έως 12:30', '2020 έως 2024'],
  tr: ['3 ila 5', '10:00 ila 12:30', '2020 ila 2024'],
  ru: [
    'от трёх до пяти',
    'с десяти до двенадцати тридцати',
    'с две тысячи двадцатого по две тысячи двадцать четвёртый',
  ],
  uk: [
    'від трьох до п’яти',
    'з десятої до дванадцятої 30',
    'з дві тисячі двадцятого до дві тисячі двадцять четвертого',
  ],
  fi: [
    'kolmesta viiteen',
    'kymmenestä 12 kolmeenkymmeneen',
    'kahdestatuhannesta kahdestakymmenestä kahteentuhanteen kahteenkymmeneenneljään',
  ],
  hu: ['3-tól 5-ig', '10 órától 12 óra 30 percig', '2020-tól 2024-ig'],
  ar: ['3 إلى 5', '10:00 إلى 12:30', '2020 إلى 2024'],
  he: ['3 עד 5', '10:00 עד 12:30', '2020 עד 2024'],
  hi: ['3 से 5', '10:00 से 12:30', '2020 से 2024'],
  ja: ['3から5', '10時から12時30分', '2020から2024'],
  zh: ['3到5', '10点到12点30分', '2020到2024'],
  ko: ['3에서 5', '10시에서 12시 30분', '2020에서 2024'],
};

describe('ranges', () => {
  it.each(Object.entries(TABLE))('are read in %s', (locale, spoken) => {
    const written = ['3–5', '10:00–12:30', '2020–2024'];
    expect(written.map((text) => spokenWords(text, locale))).toEqual(spoken);
    for (const text of spoken) expect(spokenWords(text, locale)).toBe(text);
  });

  it.each([
    ['ru', 'возраст 18–25, вход 10%', 'возраст от восемнадцати до двадцати пяти, вход 10%'],
    ['ru', 'ждать 5-10 минут', 'ждать от пяти до десяти минут'],
    ['ru', '1–5 минут, 1–5 часов', 'от одной до пяти минут, от одного до пяти часов'],
    ['ru', 'осталось 3–5 км', 'осталось от трёх до пяти километров'],
    ['ru', 'скидка 10–15%!', 'скидка от десяти до пятнадцати процентов!'],
    ['ru', '1998–2003 гг.', 'с тысяча девятьсот девяносто восьмого по две тысячи третий год'],
    ['ru', 'обед 13:00-13:45', 'обед с тринадцати до тринадцати сорока пяти'],
    ['ru', '1600–1800 калорий', 'от тысячи шестисот до тысячи восьмисот калорий'],
    ['uk', 'чекати 5-10 хвилин', 'чекати від п’яти до десяти хвилин'],
    ['uk', 'лишилося 3–5 км', 'лишилося від трьох до п’яти кілометрів'],
    ['uk', '2019–2021 роки', 'з дві тисячі дев’ятнадцятого до дві тисячі двадцять першого року'],
    ['fi', 'kestää 3–5 päivää', 'kestää kolmesta viiteen päivää'],
    ['fi', 'avoinna klo 10.00–12.00', 'avoinna klo kymmenestä kahteentoista'],
    ['fi', 'noin 10–15 %', 'noin kymmenestä viiteentoista prosenttia'],
    ['hu', 'nyitva 9:15-17:00', 'nyitva 9 óra 15 perctől 17 óráig'],
    ['hu', '2020–2024 között', '2020 és 2024 között'],
    ['hu', 'lásd 10–12.', 'lásd 10-től 12-ig.'],
    ['tr', '3-5 gün sürer', '3 ila 5 gün sürer'],
    ['tr', '2020-2024 arasında', '2020 ila 2024 arasında'],
    ['ro', 'durează 3-5 zile', 'durează 3 până la 5 zile'],
    ['de', 'nachts 22:00-02:00', 'nachts 22 Uhr bis 2 Uhr'],
    ['ja', '10:00〜12:00に3～5人', '10時から12時に3から5人'],
    ['zh', '3~5天，2020-2024年', '3到5天，2020到2024年'],
    ['ko', '3~5일, 10:00~12:00', '3에서 5일, 10시에서 12시'],
    ['en', 'open 10:00-12:00, 2020-2024', 'open 10:00 to 12:00, 2020 to 2024'],
  ])('are read in %s: %s', (locale, written, spoken) => {
    expect(spokenWords(written, locale)).toBe(spoken);
  });

  it.each([
    ['ru', '2–3 дня'],
    ['ru', 'через 3–5 дней'],
    ['ru', 'фильмы 2020–2024 годов'],
    ['ru', 'в 2020–2024 годах'],
    ['ru', 'счёт 3-2, телефон 12-34'],
    ['uk', 'за 3–5 днів'],
    ['fi', 'vuosina 2020–2024'],
    ['fi', '18–25-vuotiaat'],
    ['hu', '3–5 nap'],
    ['hu', '2020–2024-es'],
    ['hu', '1600–1800 kalória'],
    ['en', '16:9, 5-3, 2024-11, 1234-5678'],
  ])('are kept in %s where other words decide, or there is none: %s', (locale, written) => {
    expect(spokenWords(written, locale)).toBe(written);
  });

  it('bear a long row', () => {
    for (const locale of ['ru', 'fi', 'hu', 'en'])
      expect(spokenWords('1–2 '.repeat(5_000), locale).length).toBeGreaterThan(20_000);
  });
});

describe('numbers in a case', () => {
  it.each([
    [0, 'нуля', 'нуля', 'nollasta', 'nollaan'],
    [11, 'одиннадцати', 'одинадцяти', 'yhdestätoista', 'yhteentoista'],
    [40, 'сорока', 'сорока', 'neljästäkymmenestä', 'neljäänkymmeneen'],
    [
      342,
      'трёхсот сорока двух',
      'трьохсот сорока двох',
      'kolmestasadastaneljästäkymmenestäkahdesta',
      'kolmeensataanneljäänkymmeneenkahteen',
    ],
    [1_000, 'тысячи', 'тисячі', 'tuhannesta', 'tuhanteen'],
    [
      2_005,
      'двух тысяч пяти',
      'двох тисяч п’яти',
      'kahdestatuhannesta viidestä',
      'kahteentuhanteen viiteen',
    ],
  ])('are inflected: %i', (value, russian, ukrainian, from, to) => {
    expect(russianGenitive(value)).toBe(russian);
    expect(ukrainianGenitive(value)).toBe(ukrainian);
    expect(finnishElative(value)).toBe(from);
    expect(finnishIllative(value)).toBe(to);
  });

  it.each([
    [1900, 'тысяча девятисотого', 'тысяча девятисотый', 'тисяча дев’ятисотого'],
    [
      1940,
      'тысяча девятьсот сорокового',
      'тысяча девятьсот сороковой',
      'тисяча дев’ятсот сорокового',
    ],
    [2000, 'двухтысячного', 'двухтысячный', 'двохтисячного'],
    [2007, 'две тысячи седьмого', 'две тысячи седьмой', 'дві тисячі сьомого'],
    [2013, 'две тысячи тринадцатого', 'две тысячи тринадцатый', 'дві тисячі тринадцятого'],
    [
      2023,
      'две тысячи двадцать третьего',
      'две тысячи двадцать третий',
      'дві тисячі двадцять третього',
    ],
  ])('of years are ordinals: %i', (year, russian, to, ukrainian) => {
    expect(russianYear(year)).toBe(russian);
    expect(russianYearTo(year)).toBe(to);
    expect(ukrainianYear(year)).toBe(ukrainian);
  });

  it('of Ukrainian hours are feminine ordinals', () => {
    expect([1, 3, 8, 20, 23].map(ukrainianHour)).toEqual([
      'першої',
      'третьої',
      'восьмої',
      'двадцятої',
      'двадцять третьої',
    ]);
  });

  it('differ from each other, and have no gaps', () => {
    const value = fc.integer({ min: 0, max: 9_999 });
    const cases = [russianGenitive, ukrainianGenitive, finnishElative, finnishIllative];
    fc.assert(
      fc.property(value, value, (one, other) => {
        for (const inCase of cases) {
          expect(inCase(one)).toMatch(/^[\p{L}’]+(?: [\p{L}’]+)*$/u);
          expect(inCase(one) === inCase(other)).toBe(one === other);
        }
      }),
    );
  });
});
