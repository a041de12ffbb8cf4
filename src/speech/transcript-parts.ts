import type { DictatedTranscript, TranscriptSegment } from '../model/message.ts';

/** A part of a transcript, with its language (BCP 47; empty when it is not known). */
export interface TranscriptPart extends TranscriptSegment {
  readonly language: string;
}

const UNSPACED = /^(?:ja|zh|th|lo|km|my)\b/;

/** Puts the text of a part behind the text so far. */
export const appendPart = (text: string, part: Pick<TranscriptPart, 'text' | 'language'>): string =>
  text + (text === '' || UNSPACED.test(part.language) ? '' : ' ') + part.text;

/** The language of most of the speech. */
const mainLanguage = (parts: readonly TranscriptPart[]): string => {
  const lengths = new Map<string, number>();
  for (const { language, text } of parts)
    lengths.set(language, (lengths.get(language) ?? 0) + text.length);
  return [...lengths].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? '';
};

/** Joins parts in their order. */
export const joinParts = (parts: readonly TranscriptPart[]): DictatedTranscript => ({
  text: parts.reduce(appendPart, ''),
  language: mainLanguage(parts),
  segments: parts.map(({ startMs, endMs, text }) => ({ startMs, endMs, text })),
});
