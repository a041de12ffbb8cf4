import { describe, expect, it } from 'vitest';
import type { TimestampStyle } from '../../../../src/rich-text/rich-text.ts';
import { speakable } from '../../../../src/text/speech/speakable.ts';
import { timeOf } from '../../../../src/text/speech/spoken-timestamp.ts';
import { tree } from '../../../fakes/markup.ts';

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

  it('say nothing outside the calendar and in no language', () => {
    expect(timeOf({ seconds: 9e15, style: 'D' }, 'en', NOW_MS)).toBe('');
    expect(timeOf({ seconds: 0, style: 'R' }, 'not a locale', NOW_MS)).toBe('');
  });
});
