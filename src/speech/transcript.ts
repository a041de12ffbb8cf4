import type {
  OutgoingFile,
  SpokenSegment,
  TranscriptKind,
  TranscriptSegment,
  DictatedTranscript,
} from '../model/message.ts';
import { subtitleParts, subtitlesOf } from '../text/subtitles.ts';

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
  segments: parts.map(({ startMs, endMs, text, words, speakerNumber }) => ({
    startMs,
    endMs,
    text,
    words,
    ...(speakerNumber === undefined ? {} : { speakerNumber }),
  })),
});

const MEDIA_TYPES: Readonly<Record<TranscriptKind, string>> = {
  txt: 'text/plain',
  srt: 'application/x-subrip',
  vtt: 'text/vtt',
};

/** Parts that are written before other work gets a turn. */
const SLICE_PARTS = 100;

const fileOf = (kind: TranscriptKind, bytes: Uint8Array): OutgoingFile => ({
  name: `transcript.${kind}`,
  mediaType: MEDIA_TYPES[kind],
  bytes,
});

/** Makes a transcript into a file for players and readers. */
export const transcriptFile = (
  kind: TranscriptKind,
  segments: readonly SpokenSegment[],
): OutgoingFile => fileOf(kind, Buffer.from(subtitlesOf(kind, segments)));

/** Makes a transcript of any length into a file, with speakers; other work can run meanwhile. */
export const longTranscriptFile = async (
  kind: TranscriptKind,
  segments: readonly SpokenSegment[],
  lead: string | undefined,
): Promise<OutgoingFile> => {
  const chunks: Uint8Array[] = [];
  let slice: string[] = [];
  for (const part of subtitleParts(kind, segments, lead)) {
    if (slice.push(part) < SLICE_PARTS) continue;
    chunks.push(Buffer.from(slice.join('')));
    slice = [];
    await new Promise(setImmediate);
  }
  return fileOf(kind, Buffer.concat([...chunks, Buffer.from(slice.join(''))]));
};
