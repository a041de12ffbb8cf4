/** Bytes that can be read from the start more than once without all being held in memory. */
export interface ByteSource {
  /** Undefined where the other side does not say. */
  readonly sizeBytes: number | undefined;
  open(signal?: AbortSignal): AsyncIterable<Uint8Array>;
}

/** The audio files that the service makes and hears (contract sections 4.2 and 4.5). */
export const AUDIO_FORMATS = ['mp3', 'wav', 'ogg', 'pcm', 'flac'] as const;

export type AudioFormat = (typeof AUDIO_FORMATS)[number];

/** A file that a person gave. `name` and `mediaType` are claims, not facts. */
export interface Attachment extends ByteSource {
  readonly name: string;
  readonly mediaType: string;
}

/** Makes an audio file a voice message, where the platform has such. */
export interface VoiceNote {
  readonly durationMs: number;
  /** The platform's own form of it. */
  readonly waveform: string;
}

/** A file that stands with a message. */
export interface MessageFile extends Attachment {
  readonly id: string;
  readonly voice?: VoiceNote;
}

/** A file that we give. `bytes` is whole: what is sent is bounded before it gets here. */
export interface OutgoingFile {
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
  /** Shown as a voice message where the platform can. */
  readonly voice?: VoiceNote;
}
