import type { OutgoingFile } from '../model/file.ts';
import type { TranscriptKind, TranscriptSegment } from '../model/transcript.ts';
import { subtitleParts, subtitlesOf, type SpokenSegment } from './subtitles.ts';

const MEDIA_TYPES: Readonly<Record<TranscriptKind, string>> = {
  txt: 'text/plain',
  srt: 'application/x-subrip',
  vtt: 'text/vtt',
};

const NAME = 'transcript';
/** Parts that are written without a break. */
const SLICE_PARTS = 100;

const fileOf = (kind: TranscriptKind, name: string, bytes: Uint8Array): OutgoingFile => ({
  name: `${name}.${kind}`,
  mediaType: MEDIA_TYPES[kind],
  bytes,
});

/** A transcript as a file that players and people can read. */
export const transcriptFile = (
  kind: TranscriptKind,
  segments: readonly TranscriptSegment[],
): OutgoingFile => fileOf(kind, NAME, Buffer.from(subtitlesOf(kind, segments)));

/** The same of any length, with speakers; others work meanwhile. */
export const longTranscriptFile = async (
  kind: TranscriptKind,
  segments: readonly SpokenSegment[],
  { name = NAME, lead }: { readonly name?: string; readonly lead?: string | undefined } = {},
): Promise<OutgoingFile> => {
  const chunks: Uint8Array[] = [];
  let slice: string[] = [];
  for (const part of subtitleParts(kind, segments, lead)) {
    if (slice.push(part) < SLICE_PARTS) continue;
    chunks.push(Buffer.from(slice.join('')));
    slice = [];
    await new Promise(setImmediate);
  }
  return fileOf(kind, name, Buffer.concat([...chunks, Buffer.from(slice.join(''))]));
};
