import type { DictatedTranscript } from './transcript.ts';

/** Bytes that can be read from the start more than once without all being held in memory. */
export interface ByteSource {
  /** The size; undefined where the other side does not give it. */
  readonly sizeBytes: number | undefined;
  open(signal?: AbortSignal): AsyncIterable<Uint8Array>;
}

/** Audio formats that the service produces and recognises (contract sections 4.2 and 4.5). */
export const AUDIO_FORMATS = ['mp3', 'wav', 'ogg', 'pcm', 'flac'] as const;

export type AudioFormat = (typeof AUDIO_FORMATS)[number];

/** A file that a person attached. `name` and `mediaType` are unverified. */
export interface Attachment extends ByteSource {
  readonly name: string;
  readonly mediaType: string;
  /** Resolves with the text of a recording, where all of it was recognised while it was made. */
  readonly dictated?: () => Promise<DictatedTranscript | undefined>;
}

/** Makes an audio file a voice message, where the platform has such. */
export interface VoiceNote {
  readonly durationMs: number;
  /** Loudness over time, each from 0 to 1; empty where the platform does not say. */
  readonly loudness: readonly number[];
}

/** A file attached to a message. */
export interface MessageFile extends Attachment {
  readonly id: string;
  /** Description for those who cannot see the file. */
  readonly altText?: string;
  readonly voice?: VoiceNote;
}

/** A file to send. `bytes` is complete: its size was bounded before. */
export interface OutgoingFile {
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
  /** Description for those who cannot see the file. */
  readonly altText?: string;
  /** Shown as a voice message where the platform can. */
  readonly voice?: VoiceNote;
}

/** A file to send whose bytes are read only where it has to be sent. */
export interface UnreadFile extends Omit<OutgoingFile, 'bytes'> {
  readonly sizeBytes: number;
  /** Rejects with an `AppError`. */
  read(): Promise<Uint8Array>;
}
