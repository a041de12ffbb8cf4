export interface TranscriptSegment {
  readonly startMs: number;
  readonly endMs: number;
  readonly text: string;
}

export interface Transcript {
  readonly text: string;
  readonly language: string;
  /** 0 to 1, the least certain part's. */
  readonly confidence: number;
  readonly durationMs: number;
  /** The parts that the audio was heard in; one for short audio. */
  readonly segments: readonly TranscriptSegment[];
}

/**
 * The words of an utterance in a recording that is recognised while it is made. They replace those with
 * the same id; ids grow in the order of speech, and empty words are taken back.
 */
export interface DictatedWords {
  readonly id: number;
  readonly text: string;
  /** BCP 47 code; empty when the language is not known. */
  readonly language: string;
  /** False while the text can still grow. */
  readonly isFinal: boolean;
}

/** The text of a recording that was recognised while it was made. */
export type DictatedTranscript = Pick<Transcript, 'text' | 'language' | 'segments'>;

export const TRANSCRIPT_KINDS = ['txt', 'srt', 'vtt'] as const;

export type TranscriptKind = (typeof TRANSCRIPT_KINDS)[number];

export const ROOM_TRANSCRIPT_KINDS = [...TRANSCRIPT_KINDS, 'json'] as const;

export type RoomTranscriptKind = (typeof ROOM_TRANSCRIPT_KINDS)[number];

/**
 * Longest part of audio that is recognised at once, so that the first words are there early.
 * Shorter audio has no progress.
 */
export const LONGEST_PART_MS = 60_000;
