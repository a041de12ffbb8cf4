import type { Naming } from '../model/command-info.ts';
import type { Channel, MessageRef, Posted, Space } from '../model/place.ts';
import type { Content } from '../model/content.ts';
import type { Member } from '../model/member.ts';
import type { Message } from '../model/message.ts';
import type { OutgoingFile } from '../model/file.ts';
import type { VoicePort } from './voice.ts';
import type { ChannelFeed } from './channel-feed.ts';
import type { Mirrors } from './mirrors.ts';

/** What the core needs of a platform. Every method rejects with an `AppError`. */
export interface Platform {
  /** The adapter's folder name, as it stands in `Space.platform`. */
  readonly name: string;
  /** How people type commands there. Default: plain. */
  readonly naming?: Naming;
  post(to: Channel, content: Content, options?: { replyTo?: MessageRef }): Promise<Posted>;
  /** Replaces what a message of ours shows; resolves with where it stands then. */
  edit(message: Posted, content: Content): Promise<Posted>;
  /** Deleting what is gone already is not an error. */
  delete(message: Posted): Promise<void>;
  upload(to: Channel, file: OutgoingFile): Promise<Posted>;
  /** Shows `content` to one member only. */
  whisper(to: Channel, member: Member, content: Content): Promise<void>;
  /** Shows that an answer is being made; fades by itself. */
  typing(to: Channel): Promise<void>;
  /** Only where people can speak with each other. */
  readonly voice?: VoicePort;
  /** Only where what people write can be followed. */
  readonly feed?: ChannelFeed;
  /** Only where mirrors can be written; together with `feed`, channels can be watched. */
  readonly mirrors?: Mirrors;
}

/** Where the answer to one invocation goes; given by the adapter with it. */
export interface Answer {
  /** Shows `content` as the answer, in place of what it showed before. */
  show(content: Content): Promise<void>;
  /** The shortest time between two calls of `show` that the platform takes well. */
  readonly paceMs: number;
  /** The largest file that can be shown there. Default: `LEAST_FILE_BYTES`. */
  readonly fileBytes?: number;
}

/** What can be shown wherever people chat: Discord takes no more where nobody paid for it. */
export const LEAST_FILE_BYTES = 10 * 1_048_576;

/** One use of a command, which the adapter has acknowledged to its platform already. */
export interface Invocation {
  readonly id: string;
  /** The command's name; with a subcommand, both words: `glossary add`. */
  readonly command: string;
  /** As the platform gave them: text, numbers, booleans, attachments. */
  readonly options: Readonly<Record<string, unknown>>;
  /** The message that the command is used on, from its menu; then `options` is empty. */
  readonly on?: Message;
  readonly member: Member;
  readonly channel: Channel;
  /** Aborted when the person who asked is gone or took it back. */
  readonly signal: AbortSignal;
  readonly answer: Answer;
}

/** Somebody pressed a control under an answer; `answer` shows in place of that answer. */
export interface PressInvocation extends Pick<
  Invocation,
  'id' | 'member' | 'channel' | 'signal' | 'answer'
> {
  /** The control's, as it was given. */
  readonly press: string;
  /** What was chosen; empty for a button. */
  readonly values: readonly string[];
}

/** What somebody typed so far into an option that completes itself. */
export interface CompletionRequest {
  readonly command: string;
  readonly option: string;
  readonly typed: string;
  readonly member: Member;
  readonly space: Space;
}
