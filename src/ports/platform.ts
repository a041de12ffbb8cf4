import type { Naming } from '../model/command-info.ts';
import type { Channel, MessageRef, Posted, Space, Member, Person } from '../model/place.ts';
import type { Content, Message } from '../model/message.ts';
import type { ShownControl } from '../model/shown-control.ts';
import type { RichText } from '../rich-text/rich-text.ts';
import type { Builder } from './builder.ts';
import type { VoicePort } from './voice.ts';
import type { ChannelFeed } from './channel-feed.ts';
import type { WhileHeld } from './processes.ts';
import type { Mirrors } from './mirrors.ts';

/** The data about people that a platform keeps itself, outside of the store. */
export interface PersonalData {
  /** Resolves with all data about one person, to be written as JSON. */
  export(personId: string): Promise<Readonly<Record<string, unknown>>>;
  /** Deletes all data about one person, everywhere it is shown. */
  forget(personId: string): Promise<void>;
  /** Takes a person's opt-out: stops work on their messages and deletes translations of them. */
  optedOut(personId: string): void;
}

/** The limits of one platform. The adapter omits or shortens content that exceeds them. */
export interface Capabilities {
  /** Most choices of one control or of one completed option. */
  readonly choices: number;
  /** Rows of controls under one message: one row for each choice, or `rowButtons` buttons. */
  readonly controlRows: number;
  readonly rowButtons: number;
  /** Characters of a button's label. */
  readonly labelChars: number;
  /** True where people have roles, which a command can be kept for. */
  readonly roles: boolean;
  /** The largest file that every channel takes. */
  readonly fileBytes: number;
  /** True where a reply stands in a thread, away from what it answers. */
  readonly repliesInThreads?: true;
  /** True where channels may be shown to adults alone. */
  readonly restrictsByAge?: true;
}

/** A group of people that a space has of its own. */
export interface PeopleGroup {
  readonly id: string;
  readonly name: string;
}

/** The rights of a person in a channel: none, to see it, or to write there too. */
export type Access = 'none' | 'see' | 'write';

/** A platform as the core uses it. Every method rejects with an `AppError`. */
export interface Platform {
  /** The adapter's folder name, as in `Space.platform`. */
  readonly name: string;
  /** The platform's name as people write it. Default: `name`. */
  readonly title?: string;
  /** The names that people type for commands. Default: plain. */
  readonly naming?: Naming;
  readonly capabilities: Capabilities;
  post(
    to: Channel,
    content: Content,
    options?: WhileHeld & { readonly replyTo?: MessageRef },
  ): Promise<Posted>;
  /** Replaces the content of one of our messages; resolves with its new location. */
  edit(message: Posted, content: Content, options?: WhileHeld): Promise<Posted>;
  /** Deletes one of our messages. A message that is already deleted is no error. */
  delete(message: Posted): Promise<void>;
  /**
   * Reads the rights of a person in a channel at this moment; none in one of another space, undefined for one that is gone or that we may not read. Omitted by platforms on which everybody may write in every channel.
   */
  readonly access?: (
    person: Pick<Member, 'platform' | 'id' | 'roles'>,
    channel: Channel,
  ) => Promise<Access | undefined>;
  /**
   * True where a person who sees a channel may also read what was written there before; omitted by platforms on which
   * everybody may.
   */
  readonly readsHistory?: (
    person: Pick<Member, 'platform' | 'id' | 'roles'>,
    channel: Channel,
  ) => Promise<boolean>;
  /** Names of permissions that the bot lacks to post in a channel, as the platform shows them. */
  readonly missingToPost?: (channel: Channel) => readonly string[];
  /** Lists the groups of people of a space whose members moderators may make moderators; omitted where there are none. */
  readonly groups?: (space: Space) => Promise<readonly PeopleGroup[]>;
  /** Shows something in a channel, or in a thread of it, to one person alone; omitted where the platform cannot. */
  readonly whisper?: (
    to: Channel,
    personId: string,
    content: Content,
    options?: { readonly threadId?: string | undefined },
  ) => Promise<void>;
  /** Sends a private message; rejects with `forbidden` where the person accepts none. */
  readonly tell?: (person: Person, content: Content, options?: WhileHeld) => Promise<void>;
  /** Voice channels; omitted by platforms without them. */
  readonly voice?: VoicePort;
  /** Messages of channels; omitted by platforms that do not report them. */
  readonly feed?: ChannelFeed;
  /** Mirrors; omitted by platforms that cannot write them. With `feed`, channels can be watched. */
  readonly mirrors?: Mirrors;
  /** Makes channels and roles; omitted by platforms that let no app do so. */
  readonly builder?: Builder;
  /** Data about people; omitted by platforms that keep none themselves. */
  readonly personalData?: PersonalData;
}

/** The place where the answer to one invocation is shown; the adapter gives it with the invocation. */
export interface Answer {
  /** Shows `content` as the answer, in place of its former content. */
  show(content: Content): Promise<void>;
  /** Shows `content` as a message of its own below the answer, which stays. Omitted where nothing can stand there. */
  showBelow?(content: Content): Promise<void>;
  /** Shows `content` to the presser alone, beside the answer, which stays. Omitted where nobody else sees that. */
  showAside?(content: Content): Promise<void>;
  /**
   * Tells the asker why nothing was done, where the form that they sent still stands; resolves with false
   * where it does not, and the reason is to be shown. Omitted where there is no form.
   */
  refuse?(reason: RichText): Promise<boolean>;
  /** The shortest time between two calls of `show` that the platform allows. */
  readonly paceMs: number;
  /** The number of calls of `show` in all. Default: unlimited. */
  readonly updates?: number;
  /** The largest file that can be shown there. Default: `Capabilities.fileBytes`. */
  readonly fileBytes?: number;
}

/** One turn of a conversation with Dragoman. */
export interface ConversationTurn {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/** One use of a command, which the adapter has acknowledged to its platform already. */
export interface Invocation {
  readonly id: string;
  /** The command's name; with a subcommand, both words: `glossary add`. */
  readonly command: string;
  /** The values as the platform gave them: text, numbers, booleans, attachments, channels. */
  readonly options: Readonly<Record<string, unknown>>;
  /** The message that the command is used on, from its menu; then `options` is empty. */
  readonly on?: Message;
  /** Earlier turns of the conversation that the use belongs to, oldest first; Markdown. */
  readonly earlier?: readonly ConversationTurn[];
  readonly member: Member;
  readonly channel: Channel;
  /** True where the bot itself is not: in direct messages, and where only a person's account has it. */
  readonly isGuest?: boolean;
  /** Aborted when the person has left or cancelled the command. */
  readonly signal: AbortSignal;
  readonly answer: Answer;
  /** Reads what a person typed in the platform's markup. Default: Markdown. */
  readonly readText?: (typed: string) => RichText;
}

/** A control under an answer was pressed; `answer` shows in place of that answer. */
export interface PressInvocation extends Pick<
  Invocation,
  'id' | 'member' | 'channel' | 'isGuest' | 'signal' | 'answer'
> {
  /** The control's `press`, as it was given. */
  readonly press: string;
  /** The chosen values; empty for a button. */
  readonly values: readonly string[];
  /** The control as the pressed message shows it; undefined where it shows none, and nothing is done. */
  readonly control: ShownControl | undefined;
}

/** A person types into an option that completes itself. */
export interface CompletionRequest {
  readonly command: string;
  readonly option: string;
  readonly typed: string;
  readonly member: Member;
  readonly space: Space;
}
