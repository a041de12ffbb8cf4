import type { AppError } from '../../errors.ts';

/** What somebody said without a longer pause, as far as it was heard. */
export interface TranscriptEvent {
  /** One number an utterance: a line with the same number takes the place of the one before. */
  readonly id: number;
  readonly speakerId: string;
  /** Of the speech, on the room's clock. */
  readonly startMs: number;
  readonly endMs: number;
  /** Empty and final: nothing was said after all, and what was shown of it goes. */
  readonly text: string;
  /** BCP 47; empty where it is not known. */
  readonly language: string;
  readonly isFinal: boolean;
}

/** What the one who listens in a room tells. */
export interface TranscriptListener {
  /** Somebody began to speak: a voice, and no noise. Told again when they go on for long. */
  readonly began: (speakerId: string) => void;
  readonly heard: (line: TranscriptEvent) => void;
  /** What is said cannot be written down, and why; undefined: it can again. */
  readonly trouble: (error: AppError | undefined) => void;
}
