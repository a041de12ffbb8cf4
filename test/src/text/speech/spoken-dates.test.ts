import { describe, expect, it } from 'vitest';
import { spokenWords } from '../../../../src/text/speech/spoken-words.ts';
import type { TimestampStyle } from '../../../../src/rich-text/rich-text.ts';
import { speakable } from '../../../../src/text/speech/speakable.ts';
import { timeOf } from '../../../../src/text/timestamps.ts';
import { tree } from '../../../fakes/markup.ts';

describe('dates', () => {
  it.each([
    ['en', 'November 23, 2026'],
    ['de', 'dreiundzwanzigster November 2026'],
    ['fr', '23 novembre 2026'],
    ['es', '23 de noviembre de 2026'],
    ['pt', '23 de novembro de 2026'],
    ['it', '23 novembre 2026'],
    ['nl', '23 november 2026'],
    ['pl', '23 listopada 2026'],
    ['ru', '23 ноября 2026 года'],
    ['tr', '23 Kasım 2026'],
    ['hi', '23 नवंबर 2026'],
    ['ar', '23 نوفمبر 2026'],
    ['th', '23 พฤศจิกายน 2026'],
    ['ja', '2026年11月23日'],
    ['zh', '2026年11月23日'],
    ['ko', '2026년 11월 23일'],
  ])('are read in %s as %s', (locale, words) => {
    for (const date of ['2026-11-23', '23.11.2026', '2026/11/23', '2026. 11. 23.', '11/23/2026'])
      expect(spokenWords(`(${date})`, locale)).toBe(`(${words})`);
  });

  it.each([
    ['de', '3/4/2026', 'dritter April 2026'],
    ['fr', '3/4/2026', '3 avril 2026'],
    ['en', '3/3/2026', 'March 3, 2026'],
    [
      'de',
      'am 23.11. und Kapitel 1.2. hier',
      'am dreiundzwanzigsten November und Kapitel 1.2. hier',
    ],
    ['en', 'on 2024-02-29T14:30', 'on February 29, 2024 14:30'],
    ['ja', '今日は2026-11-23です', '今日は2026年11月23日です'],
  ])('are read in the order of the language: %s %s', (locale, written, words) => {
    expect(spokenWords(written, locale)).toBe(words);
  });

  it.each([
    ['en', '3/4/2026'],
    ['ja', '3/4/2026'],
    ['de', '2026-02-30'],
    ['de', '2023-02-29'],
    ['de', '31.4.2026'],
    ['de', 'v1.2.2026-beta'],
    ['en', 'log-2026-11-23.txt'],
    ['en', 'open 24/7'],
    [undefined, '2026-11-23'],
  ])('are kept where they may be two, or none: %s %s', (locale, written) => {
    expect(spokenWords(written, locale)).toBe(written);
  });
});

describe('times of day', () => {
  it.each([
    ['de', '14:30', '14 Uhr 30'],
    ['de', 'um 18:00 Uhr', 'um 18 Uhr'],
    ['de', '14:00–15:30', '14 Uhr bis 15 Uhr 30'],
    ['fr', '14:05', '14 heures 5'],
    ['fr', '1:30', '1 heure 30'],
    ['nl', '14:30', '14 uur 30'],
    ['ja', '14:30に', '14時30分に'],
    ['zh', '9:00', '9点'],
    ['ko', '14:30', '14시 30분'],
    ['th', '14:30', '14 นาฬิกา 30 นาที'],
    ['vi', '14:30', '14 giờ 30 phút'],
    ['en', '14:30', '14:30'],
    ['de', '10:30:45', '10:30:45'],
    ['de', '25:30 16:9', '25:30 16:9'],
  ])('are read in %s: %s', (locale, written, words) => {
    expect(spokenWords(written, locale)).toBe(words);
  });
});

const NOW_MS = Date.UTC(2026, 10, 23, 12);
const NOW_S = NOW_MS / 1_000;

describe('timestamps', () => {
  it.each([
    ['en', 300, 'in 5 minutes'],
    ['en', -300, '5 minutes ago'],
    ['en', 0, 'now'],
    ['en', 3_599, 'in 1 hour'],
    ['en', 36 * 3_600, 'in 2 days'],
    ['en', 40 * 86_400, 'in 1 month'],
    ['en', -800 * 86_400, '2 years ago'],
    ['de', 300, 'in 5 Minuten'],
    ['ja', 300, '5 分後'],
    ['ru', -7_200, '2 часа назад'],
  ])('that are relative are read from now, in %s: %d s', (locale, seconds, words) => {
    expect(timeOf({ seconds: NOW_S + seconds, style: 'R' }, locale, NOW_MS)).toBe(words);
  });

  it('that are relative are read within a message', () => {
    const message = tree(`it starts <t:${NOW_S + 600}:R>!`);
    expect(speakable(message, { locale: 'en', nowMs: NOW_MS })).toBe('it starts in 10 minutes!');
  });

  it.each<[TimestampStyle, string]>([
    ['t', '12:00 PM UTC'],
    ['D', 'November 23, 2026'],
    ['f', 'November 23, 2026 at 12:00 PM UTC'],
    ['F', 'Monday, November 23, 2026 at 12:00 PM UTC'],
  ])('of style %s are read as %s', (style, words) => {
    expect(timeOf({ seconds: NOW_S, style }, 'en', NOW_MS).replaceAll('\u202F', ' ')).toBe(words);
  });

  it('are written in the time zone of who reads them, where that is known', () => {
    const [zone, midnight] = ['Asia/Tokyo', { seconds: Date.UTC(2026, 10, 23) / 1_000 }];
    const words = timeOf({ ...midnight, style: 'f' }, 'en', NOW_MS, zone);
    expect(words).toMatch(/^November 23, 2026 at 9:00.AM GMT\+9$/);
  });

  it('say nothing outside the calendar and in no language', () => {
    expect(timeOf({ seconds: 9e15, style: 'D' }, 'en', NOW_MS)).toBe('');
    expect(timeOf({ seconds: 0, style: 'R' }, 'not a locale', NOW_MS)).toBe('');
  });
});
