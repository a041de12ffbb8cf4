import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wordUnits } from '../../../../src/text/word-units.ts';
import { withoutUnspoken } from '../../../../src/voice/stt/unspoken-words.ts';

/** Words of so many ms, each with its start. */
const said = (...words: readonly (readonly [text: string, startMs: number, lengthMs?: number])[]) =>
  words.map(([text, startMs, lengthMs = 300]) => ({ text, startMs, endMs: startMs + lengthMs }));

const SPOKEN = said(['We', 0], ['meet', 300], ['at', 600], ['nine.', 900]);
const TEXT = 'We meet at nine.';
const VOICE = [{ startMs: 0, endMs: 1_200 }];
/** Keys that are pressed, each for a moment. */
const CLICKS = Array.from({ length: 15 }, (_, at) => ({
  startMs: 1_600 + 200 * at,
  endMs: 1_620 + 200 * at,
}));

const leftOf = (
  text: string,
  words: ReturnType<typeof said> | undefined,
  voice: typeof VOICE | undefined = [...VOICE, ...CLICKS],
) => withoutUnspoken({ text, words, voice }).text;

describe('of a text', () => {
  it('words at whose time nobody spoke are dropped, and no others', () => {
    const words = [...SPOKEN, ...said(['Thank', 2_500], ['you.', 2_800])];
    const left = withoutUnspoken({
      text: `${TEXT} Thank you.`,
      words,
      voice: [...VOICE, ...CLICKS],
    });
    expect(left).toEqual({ text: TEXT, words: SPOKEN });
  });

  it('such words are dropped before others, too, and between them', () => {
    const later = SPOKEN.map((word) => ({
      ...word,
      startMs: word.startMs + 5_000,
      endMs: word.endMs + 5_000,
    }));
    const voice = [...CLICKS, { startMs: 5_000, endMs: 6_200 }];
    const you = said(['you', 2_500]);
    expect(leftOf(`you ${TEXT}`, [...you, ...later], voice)).toBe(TEXT);
    const between = [...SPOKEN, ...you, ...later];
    expect(leftOf(`${TEXT} you ${TEXT}`, between, [...VOICE, ...voice])).toBe(`${TEXT} ${TEXT}`);
  });

  it('words stay that a recogniser times late, as at the end of the voice', () => {
    const late = SPOKEN.map((word) => ({
      ...word,
      startMs: word.startMs + 300,
      endMs: word.endMs + 300,
    }));
    expect(leftOf(TEXT, late)).toBe(TEXT);
    expect(leftOf(TEXT, late, VOICE)).toBe(TEXT);
  });

  it('words that are told behind the end of the sound are dropped', () => {
    const words = [...SPOKEN, ...said(['Thank', 2_500], ['you.', 2_800])];
    expect(leftOf(`${TEXT} Thank you.`, words, VOICE)).toBe(TEXT);
  });

  it('words are dropped that nobody says so fast', () => {
    const more = 'Thanks for watching, see you in the next video.';
    const fast = more.split(' ').map((text) => [text, 1_170, 30] as const);
    expect(leftOf(`${TEXT} ${more}`, [...SPOKEN, ...said(...fast)])).toBe(TEXT);
  });

  it('a few words stay that are told at one moment', () => {
    const words = [...SPOKEN, ...said(['all', 1_200, 0], ['of', 1_200, 0], ['us', 1_200, 0])];
    expect(leftOf(`${TEXT} all of us`, words)).toBe(`${TEXT} all of us`);
  });

  it('signs go with the word before them, also where the recogniser tells words without', () => {
    const bare = said(['We', 0], ['meet', 300], ['at', 600], ['nine', 900], ['Bye', 2_500]);
    expect(leftOf('We meet at nine! Bye …', bare)).toBe('We meet at nine!');
  });

  it('words of scripts without spaces are dropped, too', () => {
    const words = said(['九', 0], ['点', 300], ['见。', 600], ['谢', 2_500], ['谢', 2_800]);
    expect(leftOf('九点见。谢谢', words)).toBe('九点见。');
  });

  it.each([
    ['no times are known', undefined],
    ['the words are others', said(['Something', 2_500], ['else', 2_800])],
    ['words are missing', SPOKEN.slice(0, -1)],
    ['no word would be left', SPOKEN.map((word) => ({ ...word, startMs: 2_500, endMs: 2_800 }))],
    ['all are told at once', SPOKEN.map((word) => ({ ...word, startMs: 0, endMs: 0 }))],
  ])('all stays where %s', (_, words) => {
    expect(leftOf(TEXT, words)).toBe(TEXT);
  });

  it('what is left is a part of its words, in their order, whatever the times', () => {
    const ms = fc.integer({ min: -500, max: 5_000 });
    const span = fc.record({ startMs: ms, endMs: ms });
    const word = fc.record({
      text: fc.constantFrom<string>('We', 'meet,', 'at', 'nine.', '你', '好。', '…', 'a', ''),
      startMs: ms,
      endMs: ms,
    });
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 20 }),
        fc.array(span, { maxLength: 5 }),
        fc.constantFrom(' ', '', ', '),
        (words, voice, between) => {
          const text = words.map((one) => one.text).join(between);
          const left = withoutUnspoken({ text, words, voice });
          const all = wordUnits(text).map(({ bare }) => bare);
          let at = 0;
          if (between !== '')
            for (const { bare } of wordUnits(left.text)) {
              at = all.indexOf(bare, at) + 1;
              expect(at).toBeGreaterThan(0);
            }
          let from = 0;
          for (const one of left.words ?? []) {
            from = words.indexOf(one, from) + 1;
            expect(from).toBeGreaterThan(0);
          }
        },
      ),
    );
  });
});
