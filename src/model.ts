/** What the platforms share. Ids are opaque and only unique within their platform. */

/** A server, workspace or page: the place that owns channels, a glossary and settings. */
export interface Space {
  readonly platform: string;
  readonly id: string;
}

export interface Channel {
  readonly space: Space;
  readonly id: string;
  /** Of a thread: the channel that it belongs to. */
  readonly parentId?: string;
}

export const isSameChannel = (a: Channel, b: Channel): boolean =>
  a.id === b.id && a.space.platform === b.space.platform;

export interface MessageRef {
  readonly channel: Channel;
  readonly id: string;
}

/** A message of ours: a platform may have had to split it, or to put it together with others. */
export interface Posted {
  readonly channel: Channel;
  /** Of its parts, in order. */
  readonly ids: readonly [string, ...string[]];
  /** What the adapter needs to find it again; opaque to everybody else. */
  readonly handle?: string;
}

export interface Member {
  readonly platform: string;
  readonly id: string;
  /** As shown to others; never used in a mention. */
  readonly name: string;
  /** BCP 47, as the person's app says it. */
  readonly locale: string;
  readonly role: 'member' | 'moderator';
  /** Ids of the space's roles that the person has, where the platform has such. */
  readonly roles?: readonly string[];
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

/** What makes an audio file a voice message, where the platform has such. */
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

/** Who wrote a message. `name` and `avatarUrl` are what others see. */
export interface Author {
  readonly id: string;
  readonly name: string;
  readonly avatarUrl?: string;
  /** `ourselves`: posted by us, as a bot or through a webhook of ours. */
  readonly kind: 'person' | 'bot' | 'ourselves';
}

/** What somebody wrote where we can read it, as it is now. */
export interface Message {
  readonly ref: MessageRef;
  /** Sorts the messages of one platform by when they were written, compared as text. */
  readonly position: string;
  readonly author: Author;
  /** In the platform's markup. Of a poll: its question and answers; of a forward: what it shows. */
  readonly text: string;
  readonly files: readonly MessageFile[];
  readonly stickers: readonly { readonly name: string; readonly url: string }[];
  readonly replyTo?: MessageRef;
  readonly forwarded?: boolean;
  /** It was changed since it was written. */
  readonly edited?: boolean;
  /** True of what the platform says itself: joins, pins, boosts. */
  readonly system?: boolean;
}

/** A file that we give. `bytes` is whole: what is sent is bounded before it gets here. */
export interface OutgoingFile {
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
  /** Shown as a voice message where the platform can. */
  readonly voice?: VoiceNote;
}

/** What people can press under a message. `press` says what it does: `<command> <press>[:<arg>]`. */
export type Control =
  | {
      readonly kind: 'button';
      readonly press: string;
      readonly label: string;
      readonly look?: 'plain' | 'primary' | 'danger';
    }
  | {
      readonly kind: 'choice';
      readonly press: string;
      readonly label: string;
      readonly choices: readonly {
        readonly value: string;
        readonly label: string;
        readonly chosen?: boolean;
      }[];
      /** How many may be chosen; from none to this. Default: exactly one. */
      readonly most?: number;
    }
  | {
      /** Any number of the space's roles or channels. */
      readonly kind: 'roles' | 'channels';
      readonly press: string;
      readonly label: string;
      readonly chosen: readonly string[];
      /** Of channels: only those in which people speak. */
      readonly only?: 'voice';
    };

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
  /** At most five; a row each for choices, buttons side by side. */
  readonly controls?: readonly Control[];
}
