import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainWords } from '../../../../src/rich-text/compose.ts';
import { speakable } from '../../../../src/text/speech/speakable.ts';
import { spokenLaughter } from '../../../../src/text/speech/spoken-laughter.ts';
import { anyText, longTexts } from '../any-text.ts';

describe('laughter', () => {
  it.each([
    ['en', 'HAHA nice', 'haha nice'],
    ['en', 'hahahahhahahahahahhaaahah', 'hahaha'],
    ['en', 'heheheheh', 'hehehe'],
    ['en', 'good one XD', 'good one haha'],
    ['en', 'kkkkkkkk', 'haha'],
    ['en', 'ㅋㅋㅋㅋ same', 'haha same'],
    ['es', 'jajaja', 'jajaja'],
    ['es', 'jsjsjsjs', 'jaja'],
    ['pt', 'kkkk', 'rá rá rá'],
    ['pt', 'KKKKKKKKK demais', 'rá rá rá demais'],
    ['pt', 'boa rs', 'boa rá rá rá'],
    ['ja', 'それなｗｗｗ マジw wwww', 'それな わら マジ わら わら'],
    ['ja', 'うける（笑）', 'うける わら'],
    ['ja', 'うける笑笑', 'うける わら'],
    ['ja', '草草草草www', '草 わら'],
    ['ko', '진짜ㅋㅋㅋㅋㅋ', '진짜 하하'],
    ['ko', '앜ㅋㅋㄱㅋ ㅎㅎ', '앜 하하 하하'],
    ['ko', '슬퍼ㅠㅠㅜㅜ', '슬퍼'],
    ['th', 'ตลกมาก55555555555', 'ตลกมาก ฮ่าฮ่า'],
    ['th', '555+ ตลก', 'ฮ่าฮ่า ตลก'],
    ['th', 'อะไรเนี่ย ๕๕๕๕', 'อะไรเนี่ย ฮ่าฮ่า'],
    ['zh-TW', '笑死 hhhhh', '笑死 哈哈'],
    ['zh', '23333333333', '哈哈'],
    ['zh', '666666', '六六六'],
    ['id', 'wkwkwkwkwk', 'haha'],
    ['tr', 'sjsjsjsj', 'haha'],
    ['he', 'חחחחח', 'חה חה'],
    ['ar', 'ههههههه', 'ها ها'],
    ['ru', 'ХАХАХАХА', 'хахаха'],
  ])('is read as people laugh (%s): %s', (locale, text, spoken) => {
    expect(speakable(plainWords(text), { locale })).toBe(spoken);
  });

  it.each([
    ['th', 'ราคา 555 บาท'],
    ['th', 'ห้อง 555'],
    ['th', '5555 คน'],
    ['th', 'โทร 555-1234'],
    ['th', '1,555 และ 5.55'],
    ['th', '55 ปี'],
    ['en', 'room 5555'],
    ['en', 'ask the KKK on the www'],
    ['de', 'Jaja, ok'],
    ['ja', '大草原で爆笑した'],
    ['ja', '草を刈る人は笑う'],
    ['ja', 'wifi 5W'],
    ['pt', 'o RS fica ao sul, 10kk'],
    ['zh', '2333元 和 666块'],
    ['zh', '我有233个'],
    ['ar', 'هه'],
    ['en', 'Hawaii, Johanna, aha'],
  ])('is not found in what is none (%s): %s', (locale, text) => {
    expect(spokenLaughter(text, locale).toLowerCase()).toBe(text.toLowerCase());
  });

  it('is read without a language too', () => {
    expect(speakable(plainWords('HAHAHAHA xD'))).toBe('hahaha haha');
  });

  it('leaves as it is what it gave itself, whatever the text and the language', () => {
    const laughing = fc
      .array(
        fc.constantFrom('555', 'kkkk', 'ㅋㅋ', 'ww', '笑', 'haha', 'xD', ' ', '草', 'rs', '666'),
      )
      .map((parts) => parts.join(''));
    const languages = fc.constantFrom('en', 'es', 'pt', 'ja', 'ko', 'th', 'zh', 'he', undefined);
    fc.assert(
      fc.property(fc.oneof(laughing, anyText), languages, (text, locale) => {
        const spoken = spokenLaughter(text, locale);
        expect(spokenLaughter(spoken, locale)).toBe(spoken);
        expect(spoken.length).toBeLessThanOrEqual(text.length * 10);
      }),
    );
  });

  it.each([
    ...longTexts(100_000),
    ['5', '5'.repeat(100_000)] as const,
    ['ha', `${'ha'.repeat(50_000)}x`] as const,
  ])('bears a long row of %s', (_, text) => {
    for (const locale of ['th', 'ja', 'pt', 'zh'])
      expect(spokenLaughter(text, locale).length).toBeLessThanOrEqual(text.length * 10);
  });
});
