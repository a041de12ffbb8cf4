import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildTermIndex, indexTerms } from '../../../../src/text/terms/term-index.ts';
import { anyText } from '../any-text.ts';

const terms = (...written: readonly string[]) => written.map((term) => ({ term }));

/** What stands in the text where the terms are found. */
const found = (text: string, ...written: readonly string[]): readonly string[] =>
  indexTerms(terms(...written))
    .find(text)
    .map(({ start, end }) => text.slice(start, end));

describe('a term', () => {
  it.each([
    ['case', 'DRAGON dragon', 'Dragon', ['DRAGON', 'dragon']],
    ['composition', 'cafe\u0301, caf\u00E9', 'CAFÉ', ['cafe\u0301', 'caf\u00E9']],
    ['the apostrophe', "O’Brien O'Brien", "o'brien", ['O’Brien', "O'Brien"]],
    ['half-width kana', 'ﾄﾞﾗｺﾞﾝが', 'ドラゴン', ['ﾄﾞﾗｺﾞﾝ']],
    ['full-width letters', 'ＡＰＩを', 'api', ['ＡＰＩ']],
    [
      'the dots of a Turkish i',
      'istanbul İSTANBUL I\u0307stanbul',
      'İstanbul',
      ['istanbul', 'İSTANBUL', 'I\u0307stanbul'],
    ],
    ['the form of ß and ς', 'STRASSE straße ΟΔΟΣ', 'Straße', ['STRASSE', 'straße']],
    ['final letters', 'ΟΔΟΣ οδος', 'οδός'.normalize('NFD').replace('\u0301', ''), ['ΟΔΟΣ', 'οδος']],
  ])('is found whatever %s', (_, text, term, expected) => {
    expect(found(text, term)).toEqual(expected);
  });

  it.each([
    ['東京都庁へ', '京都', []],
    ['東京都庁へ', '都庁', ['都庁']],
    ['ドラゴンボールを読む', 'ドラゴン', []],
    ['ドラゴンボールを読む', 'ボール', []],
    ['ドラゴンが強い', 'ドラゴン', ['ドラゴン']],
    ['日本語を話す', '日本', []],
    ['我去北京大学', '北京', ['北京']],
    ['中国人', '中国', []],
    ['สวัสดีชาวโลก', 'โล', []],
    ['สวัสดีชาวโลก', 'โลก', ['โลก']],
    ['東京Dome', '東京', ['東京']],
    ['か\u3099く', 'か', []],
  ])('in %j is found as a whole word: %s', (text, term, expected) => {
    expect(found(text, term)).toEqual(expected);
  });

  it.each([
    ['한국은 한국에서 한국에서는 한국들의 한국까지도 한국!', 6],
    ['한국어 한국인 한국가 한국는 남한국', 0],
    ['한국이라는 한국과 한국으로부터', 3],
  ])('in Korean is found before particles only: %s', (text, count) => {
    expect(found(text, '한국')).toEqual(Array.from({ length: count }, () => '한국'));
  });

  it('in Korean has the particles of its last sound', () => {
    expect(found('서울로 부산으로 제주로 제주는 제주은', '서울', '부산', '제주')).toEqual([
      '서울',
      '부산',
      '제주',
      '제주',
    ]);
    expect(found('API를 쓰는', 'API')).toEqual(['API']);
  });

  it.each([
    ['龙来了', '龙', 1],
    ['打死那条龙。', '龙', 1],
    ['恐龙和小龙虾，还有龙卷风', '龙', 0],
    ['黑龙江省的成龙', '龙', 0],
    ['龍が来た', '龍', 1],
    ['火の龍', '火', 1],
    ['火車と恐竜', '火', 0],
    ['木を切る', '木', 1],
    ['木曜日に', '木', 0],
    ['용은 강하다', '용', 1],
    ['용감하다', '용', 0],
  ])('of one character is found where it is a word of its own: %j, %s', (text, term, count) => {
    expect(found(text, term)).toHaveLength(count);
  });

  it('of one character is not found in a longer term, whether that is found or not', () => {
    expect(found('龙傲天来了', '龙')).toEqual(['龙']);
    expect(found('龙傲天来了', '龙', '龙傲天')).toEqual([]);
    expect(found('屠龙刀和龙', '龙', '屠龙刀')).toEqual(['屠龙刀', '龙']);
    expect(found('我打龙，龙族', '龙', '我打', '龙族').toSorted()).toEqual(['我打', '龙', '龙族']);
    const many = ['龙', '龙族', ...Array.from('abcdefghij')];
    expect(found('龙族的龙', ...many).toSorted()).toEqual(['龙', '龙族']);
  });

  it('of one character is nowhere found in a longer one, whatever these and the text', () => {
    const written = (minLength: number, maxLength: number) =>
      fc
        .array(fc.constantFrom('龙', '族', '傲', '天', '的', 'a', ' '), { minLength, maxLength })
        .map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.array(written(2, 4), { maxLength: 12 }), written(0, 12), (longer, text) => {
        const all = indexTerms(terms('龙', '天', ...longer)).find(text);
        const alone = indexTerms(terms('龙', '天')).find(text);
        const isWithin = (at: number): boolean =>
          longer
            .map((term) => term.trim())
            .some(
              (term) =>
                term.length > 1 &&
                Array.from(term, (_, offset) => at - offset).some(
                  (from) =>
                    from >= 0 &&
                    text.startsWith(term, from) &&
                    (from === 0 || !text.startsWith('aa', from - 1)),
                ),
            );
        const expected = alone.filter(({ start }) => !isWithin(start)).map(({ start }) => start);
        const singles = all.filter(({ term }) => ['龙', '天'].includes(term.term));
        expect(new Set(singles.map(({ start }) => start))).toEqual(new Set(expected));
      }),
    );
  });

  it('that is a stem is found in each word that begins with it', () => {
    expect(found('Dragons, DRAGONER! dragon undragon', 'dragon*')).toEqual([
      'Dragons',
      'DRAGONER',
      'dragon',
    ]);
    expect(found('ドラゴンボールと日本語', 'ドラ*', '日本*')).toEqual(['ドラゴンボール', '日本語']);
    expect(found('한국어와 한국은', '한국*')).toEqual(['한국어와', '한국']);
    expect(found('5 or 5* hotel', '5*')).toEqual(['5*']);
  });

  it('is not found in a part of what was one character', () => {
    expect(found('oﬃce ℡ …', 'f', 'ffi', 'tel', '.')).toEqual(['℡']);
  });

  it('is found wherever a search for each alone finds it, whatever the terms and the text', () => {
    const words = fc
      .array(fc.constantFrom('a', 'b', 'ab', 'ba', '.', ' '), { minLength: 1, maxLength: 6 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.uniqueArray(words, { maxLength: 12 }), words, words, (list, one, other) => {
        const text = `${one} ${other}.${one}`;
        const together = indexTerms(terms(...list)).find(text);
        const alone = list.flatMap((term) => indexTerms(terms(term)).find(text));
        const keys = (all: readonly (typeof alone)[number][]) =>
          all.map(({ start, end, term }) => `${start} ${end} ${term.term}`).toSorted();
        expect(keys(together)).toEqual(keys(alone));
        for (const { start, end, term } of together)
          expect(text.slice(start, end)).toBe(term.term.trim());
      }),
    );
  });

  it('taken from a text is found there again, whatever the text', () => {
    fc.assert(
      fc.property(anyText, fc.nat(), fc.nat({ max: 20 }), (text, from, length) => {
        const start = from % (text.length + 1);
        const { find } = indexTerms(terms(text.slice(start, start + length)));
        for (const { start: at, end } of find(text)) {
          expect(at).toBeLessThan(end);
          expect(end).toBeLessThanOrEqual(text.length);
        }
        const whole = text.trim();
        const all = indexTerms(terms(whole)).find(text);
        if (whole !== '' && !whole.endsWith('*'))
          expect(all[0]).toMatchObject({
            start: text.indexOf(whole),
            end: text.indexOf(whole) + whole.length,
          });
      }),
    );
  });
});

describe('the index of many terms', () => {
  it('is built in many small steps', () => {
    const many = Array.from({ length: 20_000 }, (_, index) => `term number ${index * 7919}`);
    let steps = 0;
    const build = buildTermIndex(terms(...many));
    let step = build.next();
    for (; !step.done; step = build.next()) steps += 1;
    expect(steps).toBeGreaterThan(50);
    const last = `see Term Number ${19_999 * 7919}!`;
    expect(step.value.find(last)).toMatchObject([{ start: 4, end: last.length - 1 }]);
  });
});
