import { languageOf } from '../language/language-names.ts';
import words from './words.json' with { type: 'json' };

/** Laughter by language, in a spelling that its voices read well: Portuguese ones do not pronounce `h`. */
const LAUGHTER: Readonly<Record<string, string>> = words.laughter;
const ANYWHERE = 'haha';

/** Pattern of laughter, with its spoken form where that is not the language's own. */
type Rule = readonly [RegExp, string?];

/** Laughter in Thai, where 5 is read `ha`; prices, room numbers and quantities are excluded. */
const THAI_FIVES =
  /(?<![\d๐-๙.,:/$€£¥฿#-]|(?:ราคา|ห้อง|เลข|เบอร์|หน้า|ข้อ|รหัส|สาย) ?)[5๕]{3,}(?!\+*[\d๐-๙%]|[.,:/-][\d๐-๙]|\+* ?(?:บาท|คน|ตัว|อัน|ชิ้น|เล่ม|ครั้ง|วัน|เดือน|ปี|นาที|กิโล|กม|เมตร|เหรียญ|ดอลลาร์|หยวน|เยน|ล้าน|พัน))\+*/gu;

const CHINESE_COUNTED = '[元块塊个個人次分年月日号號楼樓万萬亿億%]';

/** Rules of single languages; patterns that may touch other laughter come first. */
const RULES: Readonly<Record<string, readonly Rule[]>> = {
  ar: [[/(?<!\p{L})ه{3,}(?!\p{L})/gu]],
  he: [[/(?<!\p{L})ח{3,}(?!\p{L})/gu]],
  ja: [
    [
      /(?<![A-Za-zＡ-Ｚａ-ｚ\d])[wｗＷ]{2,}(?![A-Za-zＡ-Ｚａ-ｚ])|(?<=[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}ー!?！？])[wｗ](?![A-Za-zＡ-Ｚａ-ｚ])/giu,
    ],
    [/草{2,}/gu, '草'],
    [/[(（]笑+[)）]|(?<!\p{sc=Han})笑+(?![\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\d])/gu],
  ],
  pt: [[/(?<![\p{L}\p{N}])(?:[kK]{2,}|rs)(?![\p{L}\p{N}])/gu]],
  th: [[THAI_FIVES]],
  zh: [
    [new RegExp(`(?<![\\d.,:/-])23{3,}(?![.,:/-]?\\d| ?${CHINESE_COUNTED})`, 'gu')],
    [new RegExp(`(?<![\\d.,:/-])6{3,}(?![.,:/-]?\\d| ?${CHINESE_COUNTED})`, 'gu'), '六六六'],
    [/(?<![\p{L}\p{N}])h{3,}(?![\p{L}\p{N}])/giu],
  ],
};

/** Korean letters outside syllables; the second pattern is tears. */
const KOREAN: readonly Rule[] = [[/[ㅋㅎ][ㅋㅎㄱㅌ]*/gu], [/[ㅠㅜ]+/gu, '']];

/** Laughter that is a word in no language, and that a voice would spell. */
const SPELLED: Rule = [
  /(?<![\p{L}\p{N}])(?:([jkr]s|s[jkr]|wk|kw)\1+[jkrsw]?|k{4,}|w{4,}|xd+)(?![\p{L}\p{N}])/giu,
];

/** Laughter written out: `HAHAHHAHA`. */
const writtenOut =
  /(?<![\p{L}\p{N}])[aeiou]?([hjх])\1*([aeiouаеи])\2*(?:\1+\2+)+\1*(?![\p{L}\p{N}])/giu;
const MOST_SYLLABLES = 3;

const shortLaughter = (written: string, first: string, vowel: string): string => {
  const syllable = `${first}${vowel}`.toLowerCase();
  const count = written.toLowerCase().split(first.toLowerCase()).filter(Boolean).length;
  return syllable.repeat(Math.min(count, MOST_SYLLABLES));
};

/**
 * Replaces laughter that a voice would spell, or read as a number, by laughter of the voice's
 * language.
 */
export const spokenLaughter = (text: string, locale: string | undefined): string => {
  const language = languageOf(locale);
  const laughter = LAUGHTER[language] ?? ANYWHERE;
  let spoken = text;
  for (const [pattern, word = laughter] of [...KOREAN, ...(RULES[language] ?? []), SPELLED])
    spoken = spoken.replaceAll(pattern, ` ${word} `);
  return spoken.replaceAll(writtenOut, shortLaughter);
};
