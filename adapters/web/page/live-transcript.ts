import type { DictatedWords } from '../../../src/model/message.ts';

/** The words of a recording under way, as far as they are known. */
export interface LiveTranscript {
  /** Words in the order of speech; only the last ones are not final. */
  readonly words: readonly DictatedWords[];
  /** True when no more words follow. */
  readonly isOver: boolean;
}

/** Takes over new words, in place of those with the same id. */
export const applyWords = (
  shown: readonly DictatedWords[],
  words: DictatedWords,
): readonly DictatedWords[] => {
  const others = shown.filter(({ id }) => id !== words.id);
  return words.text === '' ? others : [...others, words].toSorted((a, b) => a.id - b.id);
};

/** True for recordings that the server can read while they are made. */
export const canDictate = (mediaType: string): boolean => /^audio\/webm\b/i.test(mediaType);
