import type { RichText } from '../rich-text/rich-text.ts';
import type { MessageRef, Person } from './place.ts';

/** A word with its time; in scripts without spaces, a character or a few. */
export interface SpokenWord {
  readonly startMs: number;
  readonly endMs: number;
  readonly text: string;
}

export interface TranscriptSegment extends SpokenWord {
  /** The words of `text` in their order; undefined where their times are not known. */
  readonly words?: readonly SpokenWord[] | undefined;
  /** Number of the person who speaks, from 1; undefined where speakers are not told apart. */
  readonly speakerNumber?: number | undefined;
}

/** A segment with its speaker, if there are several; their speech may overlap. */
export interface SpokenSegment extends TranscriptSegment {
  readonly speaker?: string | undefined;
}

export interface Transcript {
  readonly text: string;
  readonly language: string;
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

/** A control under a message. `press` names its work: `<command> <press>[:<arg>]`. */
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
      /** The most options that may be chosen; the least is none. Default: exactly one. */
      readonly most?: number;
    }
  | {
      /** A choice of the space’s people, roles or channels. */
      readonly kind: 'people' | 'roles' | 'channels';
      readonly press: string;
      readonly label: string;
      readonly chosen: readonly string[];
      /** True where exactly one is chosen. Default: any number. */
      readonly single?: true;
      /** The most that may be chosen, where that is no exact number; the least is none. Default: any number. */
      readonly most?: number;
      /** The kind of channel that can be chosen. Default: any. */
      readonly only?: 'voice';
    };

/**
 * A message to post. An adapter splits texts that its platform finds too long, and makes sure that
 * nothing in them notifies anybody.
 */
export interface Content {
  readonly text: RichText;
  readonly files?: readonly OutgoingFile[];
  /**
   * `error` and `note` are set apart visibly. These and a `question` are for the asker alone where they begin an answer.
   * Default `plain`.
   */
  readonly tone?: 'plain' | 'note' | 'error' | 'question';
  /**
   * Rows of controls: one for each choice, buttons side by side; as many as
   * `Capabilities.controlRows`.
   */
  readonly controls?: readonly Control[];
}

/** The author of a message. `name` and `avatarUrl` are as others see them. */
export interface Author {
  readonly id: string;
  /** The platform of the author, where the words were copied from another one. Default: that of the message. */
  readonly platform?: string;
  readonly name: string;
  readonly avatarUrl?: string;
  /** `ourselves`: posted by us, as a bot or through a webhook of ours. */
  readonly kind: 'person' | 'bot' | 'ourselves';
  /** Ids of the roles in the space; omitted where they are not known, or the platform has none. */
  readonly roles?: readonly string[];
}

/** A message as it is now. */
export interface Message {
  readonly ref: MessageRef;
  /** Sorts the messages of one platform by when they were written, compared as text. */
  readonly position: string;
  readonly author: Author;
  /** The text; of a poll its question and answers, of a forward its content. */
  readonly text: RichText;
  readonly files: readonly MessageFile[];
  readonly stickers: readonly { readonly name: string; readonly url: string }[];
  readonly replyTo?: MessageRef;
  /**
   * Id of the thread that it is in, or would begin, in the adapter's format, on platforms whose threads are not
   * channels.
   */
  readonly threadId?: string;
  /**
   * The replies in the thread under it, where there are any, and whether they are ours, where the platform says whose they
   * are. `ChannelFeed.newest` alone gives them.
   */
  readonly replies?: { readonly count: number; readonly ours?: 'none' | 'some' | 'all' };
  /** True for a reply in a thread that stands in the channel too. */
  readonly broadcast?: true;
  readonly forwarded?: boolean;
  /** True of one of ours that shows what somebody wrote in another channel, as far as the platform tells. */
  readonly copied?: true;
  /** Set where it is more than words of its author: a poll, or another message that was shared. */
  readonly holds?: 'poll' | 'share';
  /** True when the message was changed since it was written. */
  readonly edited?: boolean;
  /**
   * Sorts the states of one message, compared as text: one that comes after a later one is out of date.
   * Omitted by platforms that report changes in their order.
   */
  readonly version?: string;
  /** True for messages of the platform itself: joins, pins, boosts. */
  readonly system?: boolean;
}

/** The id of the first message of a thread in which a message stands alone, on platforms whose threads are not channels. */
export const rootOf = ({ ref, threadId, broadcast }: Message): string | undefined =>
  broadcast || threadId === ref.id ? undefined : threadId;

/** The person whose words a message holds. */
export const writerOf = ({ ref, author }: Pick<Message, 'ref' | 'author'>): Person => ({
  platform: author.platform ?? ref.channel.space.platform,
  id: author.id,
});
