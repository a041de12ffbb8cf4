import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { speakable } from '../../../../src/text/speech/speakable.ts';
import { spokenWords } from '../../../../src/text/speech/spoken-words.ts';
import { tree } from '../../../fakes/markup.ts';
import { anyText, longTexts } from '../any-text.ts';

const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'pt', 'ru', 'pl', 'ja', 'zh', 'ko'];

describe('what a voice reads', () => {
  it.each([
    ['en', 'We raised $1.5M', 'We raised 1.5 million dollars'],
    ['en', 'it costs €18.50', 'it costs 18.50 euros'],
    ['en', 'born 04/07/1995', 'born 4, 7, 1995'],
    ['en-US', 'born 04/07/1995', 'born April 7, 1995'],
    ['en-GB', 'born 04/07/1995', 'born 4 July 1995'],
    ['en', '300 m away, 2 h by train', '300 meters away, 2 hours by train'],
    [
      'en',
      'a 5th St. flat on Main St. by St. Mary',
      'a 5th Street flat on Main Street by Saint Mary',
    ],
    ['en', 'at 18:00, 9:00, 10:00 am', 'at 6 p m, 9 o’clock, 10 a m'],
    ['en', 'lol idk omg gr8', 'haha I don’t know oh my god great'],
    ['en', 'waaaay too looong', 'way too long'],
    ['en', 'if a < b && c >= d', 'if a less than b and c greater than or equal to d'],
    ['en', 'wait <break time="2s"/> for <emphasis level="strong">it</emphasis>', 'wait for it'],
    ['en', 'a <name> here', 'a <name> here'],
    ['en', 'it is -5 out, ~10 of #1', 'it is minus 5 out, about 10 of number 1'],
    ['en', '10k likes, 1.5M views, my 401k', '10 thousand likes, 1.5 million views, my 401k'],
    ['en', '$5-10 or €5-€10', '5 to 10 dollars or 5 to 10 euros'],
    ['en', '½ cup, 2½ hours', 'half a cup, 2 and a half hours'],
    ['de', '5 Tsd. Leute, 3 Mio.', '5 Tausend Leute, 3 Millionen'],
    ['ru', '5 тыс. руб.', '5 тысяч российских рублей'],
    ['ru', '5-й этаж, 1990-е', 'пятый этаж, тысяча девятьсот девяностые'],
    ['pl', 'o godz. 8', 'o godzinie 8'],
    ['fr', 'à 18h30', 'à 18 heures 30'],
    ['pt', 'às 18h30', 'às 18 e 30'],
    ['it', 'alle 18:30', 'alle 18 e 30'],
    ['es', 'a las 18:30', 'a las 18 y 30'],
    ['ru', 'в 18:30', 'в 18 часов 30 минут'],
    ['ja', '300mを2hで', '300 メートルを2 時間で'],
  ])('is in words that it knows in %s: %s', (locale, written, spoken) => {
    expect(spokenWords(written, locale)).toBe(spoken);
    expect(spokenWords(spoken, locale)).toBe(spoken);
  });

  it.each([
    ['en', 'Mon-Fri, Sat, Dec 12', 'Monday to Friday, Saturday, December 12'],
    ['de', 'Mo-Fr, Sa, 12. Dez.', 'Montag bis Freitag, Samstag, zwölfter Dezember'],
    ['fr', 'lun.-ven., sam. 12 déc.', 'lundi à vendredi, samedi 12 décembre'],
    ['es', 'lun-vie, sáb, 12 dic', 'lunes a viernes, sábado, 12 diciembre'],
    ['it', 'lun-ven, sab 12 dic', 'lunedì a venerdì, sabato 12 dicembre'],
    ['pt', 'seg-sex, sáb, 12 dez.', 'segunda-feira a sexta-feira, sábado, 12 dezembro'],
    ['ru', 'Пн-Пт, сб, 12 дек.', 'понедельник – пятница, суббота, 12 декабря'],
    ['pl', 'pon.-pt., sob., 12 gru', 'poniedziałek do piątek, sobota, 12 grudnia'],
    ['ja', '月-金、12日(土)', '月曜日から金曜日、12日(土曜日)'],
    ['zh', '周一-周五', '星期一到星期五'],
    ['ko', '월~금, 12일(토)', '월요일에서 금요일, 12일(토요일)'],
  ])('is in whole names of days and months in %s', (locale, written, spoken) => {
    expect(spokenWords(written, locale)).toBe(spoken);
    expect(spokenWords(spoken, locale)).toBe(spoken);
  });

  it.each([
    ['en', 'we won 3-2', 'we won 3 to 2'],
    ['de', 'Sieg 3-2', 'Sieg 3 zu 2'],
    ['fr', 'gagné 3-2', 'gagné 3 à 2'],
    ['es', 'ganaron 3-2', 'ganaron 3 a 2'],
    ['ru', 'выиграли 3-2', 'выиграли 3 2'],
    ['ja', '3-2で勝った', '3対2で勝った'],
    ['ko', '3-2로 이겼다', '3대 2로 이겼다'],
  ])('is a score beside a word that says so in %s', (locale, written, spoken) => {
    expect(spokenWords(written, locale)).toBe(spoken);
  });

  it.each([
    ['5. Oktober ist mein Geburtstag', 'fünfter Oktober ist mein Geburtstag'],
    ['1. Platz für Anna', 'erster Platz für Anna'],
    ['am 5. Oktober, der 3. Tag', 'am fünften Oktober, der dritte Tag'],
    ['1. Milch\n2. Brot', '1. Milch\n2. Brot'],
    ['das war Kapitel 3. Danach kam 4.', 'das war Kapitel 3. Danach kam 4.'],
  ])('is an ordinal before a noun in German: %s', (written, spoken) => {
    expect(spokenWords(written, 'de')).toBe(spoken);
    expect(speakable(tree(written), { locale: 'de' })).toBe(spoken);
  });

  it.each([
    ['en', '2-1, F-16, 24/7, A/B, 1/2/2026, a -> b, GPT-4, 2026-1'],
    ['en', 'The Sun set on Mary, who may march; Wed them.'],
    ['en', 'I sat 3 times, 5m, 4K, 8 is a lot'],
    ['de', 'Das ist so. Do it, Mi casa.'],
    ['es', 'el mar y el sol'],
    ['it', 'ha vinto in 3 set, non mi va'],
    ['fr', 'la mer est belle'],
  ])('is left where it is something else in %s: %s', (locale, written) => {
    expect(spokenWords(written, locale)).toBe(written);
  });

  const PARTS =
    '$5|€3bn|5 km|-5°|1/2|2½|50%|3-2|10–12|Mon-Fri|12. Dez.|5. Oktober|1990er|04/07/1995|18:00|a < b|&&|~5|#1|Nr. 7|lol|soooo|<break/>| |\n|, |won |-|.|1|hello'.split(
      '|',
    );
  const anyAmounts = fc
    .array(fc.constantFrom(...PARTS), { maxLength: 12 })
    .map((parts) => parts.join(''));

  it('never throws, and keeps every word that it does not replace', () => {
    const word = fc.constantFrom('hello', 'Straße', 'привет', '猫', '안녕', 'número', 'snow');
    fc.assert(
      fc.property(anyAmounts, word, fc.constantFrom(...LANGUAGES), (amounts, kept, locale) => {
        const spoken = spokenWords(`${kept} ${amounts} ${kept}`, locale);
        expect(spoken.startsWith(kept)).toBe(true);
        expect(spoken.endsWith(kept)).toBe(true);
      }),
    );
  });

  it('is what is read when it is read again, in any language', () => {
    fc.assert(
      fc.property(fc.constantFrom(...PARTS), fc.constantFrom(...LANGUAGES), (part, locale) => {
        const spoken = spokenWords(`x ${part} x`, locale);
        expect(spokenWords(spoken, locale)).toBe(spoken);
      }),
    );
  });

  it.each([
    ...longTexts(20_000),
    ...PARTS.map((part) => [part, `${part} `.repeat(3_000)] as const),
    ...PARTS.map((part) => [part, part.repeat(3_000)] as const),
  ])('is made of a long row of %j without delay', (_, text) => {
    for (const locale of ['en', 'ja']) {
      const spoken = spokenWords(text, locale);
      expect(spoken.length).toBeLessThanOrEqual(text.length * 20 + 20);
    }
  });

  it('bears any text in any language', () => {
    fc.assert(
      fc.property(anyText, fc.constantFrom(...LANGUAGES, 'ar', 'th', 'xx'), (text, locale) => {
        expect(spokenWords(text, locale)).not.toMatch(/undefined|NaN/);
      }),
    );
  });
});
