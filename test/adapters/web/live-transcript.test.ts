import { describe, expect, it } from 'vitest';
import { applyWords, canDictate } from '../../../adapters/web/page/live-transcript.ts';
import type { DictatedWords } from '../../../src/model/message.ts';

const words = (id: number, text: string, isFinal = false): DictatedWords => ({
  id,
  text,
  language: 'en',
  isFinal,
});

describe('the live transcript', () => {
  it('takes words in place of those with the same id, in the order of speech', () => {
    const events = [words(2, 'Two'), words(1, 'One'), words(2, 'Two three', true)];
    expect(events.reduce(applyWords, [] as readonly DictatedWords[])).toEqual([
      words(1, 'One'),
      words(2, 'Two three', true),
    ]);
  });

  it('takes back what was no speech', () => {
    const shown = [words(1, 'One', true), words(2, 'Thanks for watching')];
    expect(applyWords(shown, words(2, '', true))).toEqual([words(1, 'One', true)]);
  });

  it.each([
    ['audio/webm;codecs=opus', true],
    ['audio/webm; codecs=opus', true],
    ['audio/ogg;codecs=opus', false],
    ['audio/mp4', false],
    ['', false],
  ])('is there for recordings in %s: %s', (mediaType, isThere) => {
    expect(canDictate(mediaType)).toBe(isThere);
  });
});
