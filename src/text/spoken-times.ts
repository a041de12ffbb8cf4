import type { SpokenWord, TranscriptSegment } from '../model/message.ts';

/** Counts what is spoken of a text: some recognisers tell words without their punctuation. */
export const lettersOf = (text: string): number => text.replaceAll(/[\s\p{P}]/gu, '').length;

/** Divides words behind so many letters; a word that is cut there is of the later ones. */
export const divideWords = (
  words: readonly SpokenWord[],
  letters: number,
): readonly [readonly SpokenWord[], readonly SpokenWord[]] => {
  let before = 0;
  const found = words.findIndex(({ text }) => (before += lettersOf(text)) > letters);
  const at = found < 0 ? words.length : found;
  return [words.slice(0, at), words.slice(at)];
};

/**
 * Times in a segment, in whole ms, by how many of its letters come before: those of its words, or divided by
 * length.
 */
export const timesIn = ({
  startMs,
  endMs,
  text,
  words = [],
}: Pick<TranscriptSegment, 'startMs' | 'endMs' | 'text' | 'words'>) => {
  const total = lettersOf(text);
  const evenly = (letters: number): number =>
    letters >= total ? endMs : startMs + ((endMs - startMs) * letters) / total;
  const within = (ms: number): number => Math.round(Math.min(endMs, Math.max(startMs, ms)));
  let letters = 0;
  const ends = words.map((word) => (letters += lettersOf(word.text)));
  const wordAt = (place: number): SpokenWord | undefined =>
    letters === total ? words[ends.findIndex((end) => end > place)] : undefined;
  return {
    begin: (before: number): number =>
      within(wordAt(before)?.startMs ?? (before === 0 ? startMs : evenly(before))),
    end: (before: number): number => within(wordAt(before - 1)?.endMs ?? evenly(before)),
  };
};
