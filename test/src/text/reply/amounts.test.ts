import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changesAmounts } from '../../../../src/text/reply/amounts.ts';

describe('the numbers of a translation', () => {
  it.each([
    ['It costs 1,250 dollars', 'Custa 1.250 dólares'],
    ['It costs 1,250.50', 'Das kostet 1.250,50'],
    ['There are 1,250 people', 'Il y a 1 250 personnes'],
    ['There are 1,250 people', 'هناك ١٢٥٠ شخصا'],
    ['There are 1,250 people', 'هناك ١٬٢٥٠ شخصا'],
    ['There are 1,250 people', 'यहाँ १,२५० लोग हैं'],
    ['12,50,000 rupees', '1,250,000 rupees'],
    ['€18.50', '18,50 €'],
    ['It is $18.50', 'São US$ 18,50'],
    ['$1.5M', '1,5 millones de dólares'],
    ['1.5 million people', '150万人'],
    ['20,000 yen', '2万円'],
    ['5.3 billion', '5300 millones'],
    ['2k likes', '2.000 curtidas'],
    ['2 days', 'zwei Tage'],
    ['two days', '2 Tage'],
    ['The 3rd time', 'Das dritte Mal'],
    ['twenty years ago', '20年前'],
    ['The 21st century', 'o século XXI'],
    ['12/25/2024', '25.12.2024'],
    ['at 5:30 pm', 'às 17:30'],
    ['at 5 pm', 'um 17 Uhr'],
    ['at 17:00', 'at 5 pm'],
    ['half past five', '5:30'],
    ['the 1990s', 'die 90er Jahre'],
    ['GPT-4 and B2B', 'el modelo y las empresas'],
    ['50%', '50 %'],
    ['50%', '٥٠٪'],
    ['see ⟦1⟧ and ⟦2⟧', 'mira ⟦2⟧'],
    ['三十五人', '35 people'],
    ['Call 555-1234', 'Llama al 555-1234'],
    ['3-2', '3 a 2'],
    ['100元', '100 yuan'],
    ['I saw it at https://example.org/2024/05', 'Lo vi'],
    ['no numbers', 'sin números'],
  ])('are the same in another form: %j, %j', (source, reply) => {
    expect(changesAmounts(source, reply)).toBe(false);
  });

  it.each([
    ['€18.50', '$14.50'],
    ['€18.50', 'US $ 18,50'],
    ['It costs 1,250 dollars', 'Custa 1.520 dólares'],
    ['It costs 250 dollars', 'Custa dólares'],
    ['It is free', 'Custa 1.250 dólares'],
    ['2 days', '3 Tage'],
    ['5:30 pm', '18:30'],
    ['at 5 pm', 'às 19:00'],
    ['in 2024', 'em 2042'],
    ['50%', '15%'],
    ['1.5 million', '15 millones'],
    ['3.5', '35'],
    ['200 people and 350 cars', '200 pessoas e carros'],
    ['£20', '20 €'],
    ['Call 15123456789', 'Llama al 15123456788'],
  ])('are changed, lost or invented: %j, %j', (source, reply) => {
    expect(changesAmounts(source, reply)).toBe(true);
  });

  it('are not compared where there are over a thousand', () => {
    const row = (digit: string): string => `${digit}23x`.repeat(1_100);
    expect(changesAmounts(row('1'), row('9'))).toBe(false);
  });

  it('are those of a text itself, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        expect(changesAmounts(text, text)).toBe(false);
      }),
    );
    const numbers = fc.array(
      fc.oneof(fc.integer({ min: 0 }), fc.double({ min: 0, max: 1e9, noNaN: true })),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(
        numbers,
        fc.constantFrom('de', 'en', 'fr', 'ar-EG', 'hi', 'pt'),
        (all, locale) => {
          const written = (language: string) =>
            all.map((number) => number.toLocaleString(language)).join(' x ');
          expect(changesAmounts(written('en'), written(locale))).toBe(false);
        },
      ),
    );
  });
});
