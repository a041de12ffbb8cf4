import { describe, expect, it } from 'vitest';
import { spokenWords } from '../../../../src/text/speech/spoken-words.ts';

describe('ranges', () => {
  it.each([
    ['en', 'open 10:00-12:00, 2020-2024', 'open 10 o’clock to 12 o’clock, 2020 to 2024'],
    ['de', 'nachts 22:00-02:00', 'nachts 22 Uhr bis 2 Uhr'],
    ['fr', '3–5', '3 à 5'],
    ['es', '3–5', '3 a 5'],
    ['it', '3-5 giorni', '3 a 5 giorni'],
    ['pt', '3-5 dias', '3 a 5 dias'],
    ['ro', 'durează 3-5 zile', 'durează 3 până la 5 zile'],
    ['nl', '14:00-15:30', '14 uur tot 15 uur 30'],
    ['pl', '3-5 dni', '3 do 5 dni'],
    ['tr', '2020-2024 arasında', '2020 ila 2024 arasında'],
    ['ar', '3–5', '3 إلى 5'],
    ['hi', '3–5', '3 से 5'],
    ['ja', '10:00〜12:00に3～5人', '10時から12時に3から5人'],
    ['zh', '3~5天，2020-2024年', '3到5天，2020到2024年'],
    ['ko', '3~5일, 10:00~12:00', '3에서 5일, 10시에서 12시'],
  ])('are read in %s: %s', (locale, written, spoken) => {
    expect(spokenWords(written, locale)).toBe(spoken);
    expect(spokenWords(spoken, locale)).toBe(spoken);
  });

  it.each([
    ['ru', 'ждать 5–10 минут, 2020–2024'],
    ['uk', 'чекати 5-10 хвилин'],
    ['fi', 'kestää 3–5 päivää'],
    ['hu', '2020–2024-es'],
    ['en', '16:9, 5-3, 2024-11, 1234-5678'],
  ])('are kept in %s where numbers are inflected, or there is none: %s', (locale, written) => {
    expect(spokenWords(written, locale)).toBe(written);
  });

  it('bear a long row', () => {
    for (const locale of ['ru', 'fi', 'hu', 'en'])
      expect(spokenWords('1–2 '.repeat(5_000), locale).length).toBeGreaterThan(19_000);
  });
});
