import type { OutgoingFile } from '../model.ts';
import type { TranscriptKind, TranscriptSegment } from '../services.ts';
import { subtitlesOf } from './subtitles.ts';

const MEDIA_TYPES: Readonly<Record<TranscriptKind, string>> = {
  txt: 'text/plain',
  srt: 'application/x-subrip',
  vtt: 'text/vtt',
};

/** A transcript as a file that players and people can read. */
export const transcriptFile = (
  kind: TranscriptKind,
  segments: readonly TranscriptSegment[],
): OutgoingFile => ({
  name: `transcript.${kind}`,
  mediaType: MEDIA_TYPES[kind],
  bytes: Buffer.from(subtitlesOf(kind, segments)),
});
