/** What the platforms share. Ids are opaque and only unique within their platform. */

/** A server, workspace or page: the place that owns channels, a glossary and settings. */
export interface Space {
  readonly platform: string;
  readonly id: string;
}

export interface Channel {
  readonly space: Space;
  readonly id: string;
}

export interface MessageRef {
  readonly channel: Channel;
  readonly id: string;
}

export interface Member {
  readonly platform: string;
  readonly id: string;
  /** As shown to others; never used in a mention. */
  readonly name: string;
  /** BCP 47, as the person's app says it. */
  readonly locale: string;
  readonly role: 'member' | 'moderator';
}

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

/** A file that we give. `bytes` is whole: what is sent is bounded before it gets here. */
export interface OutgoingFile {
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/**
 * What is shown to people. `text` is the Markdown that chats share: bold, italic, strike, lists,
 * links, quotes, inline and fenced code. An adapter splits what its platform finds too long, and
 * makes sure that nothing in it pings.
 */
export interface Content {
  readonly text: string;
  readonly files?: readonly OutgoingFile[];
  /** `error` and `note` are set apart visibly. Default `plain`. */
  readonly tone?: 'plain' | 'note' | 'error';
}
