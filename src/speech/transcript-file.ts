import type { OutgoingFile, TranscriptKind, TranscriptSegment } from '../model/message.ts';
import { subtitleParts, subtitlesOf, type SpokenSegment } from '../text/subtitles.ts';

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
  segments: readonly TranscriptSegment[],
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
