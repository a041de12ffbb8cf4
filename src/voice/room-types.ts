import type { Clock } from '../async/clock.ts';
import type { Channel, MessageRef, Space, Member } from '../model/place.ts';
import type { RoomChoices, ConsentChoice, StoredCaptions } from '../model/room.ts';
import type { MemberHearing, ReadingState } from './room-answers.ts';
import type { Platform } from '../ports/platform.ts';
import type { Log } from '../telemetry/log.ts';
import type { StatusMessages } from './status-messages.ts';
import type { RoomTexts } from './texts.ts';
import type { Assistant } from '../chat/assistant.ts';
import type { RoomTranscriptKind, OutgoingFile } from '../model/message.ts';
import type { VoicePreference } from '../speech/speech.ts';
import type { AppError } from '../errors.ts';
import type { SpeakerStats } from '../ports/voice.ts';
import type { WithheldCounts } from './captions/missing-lines.ts';
import type { RichText } from '../rich-text/rich-text.ts';
import type { Glossary } from '../model/glossary.ts';
import type { Privacy } from '../store/privacy/person-data.ts';
import type { MemberSettings, SpaceSettings } from '../store/settings.ts';
import type { Languages } from '../text/language/languages.ts';
import type { MeteredServices } from '../usage/meter.ts';

/** The services that rooms and dictations use. */
export interface VoiceServices extends MeteredServices {
  readonly glossary: Glossary;
  readonly languages: Languages;
  readonly privacy: Privacy;
  readonly settings: MemberSettings;
  readonly spaces: SpaceSettings;
}

/** Text to be spoken in a room. */
export interface SpeechRequest {
  readonly text: RichText;
  readonly kind: 'answer' | 'say' | 'read';
  /** The author, or the asker of an answer; without one, nothing is announced and counted. */
  readonly by?: Pick<Member, 'id' | 'name'>;
  /** The voice. Default: the author's own. */
  readonly voice?: VoicePreference | undefined;
}

/** Speech that is spoken in a room, or waits to be. */
export interface QueuedSpeech {
  readonly kind: SpeechRequest['kind'] | 'notice';
  readonly by?: string;
  readonly text: string;
  /** Estimated time until it is spoken. */
  readonly waitsMs: number;
}

export interface CaptionOptions extends Omit<StoredCaptions, 'startedMs'> {
  /** The name of a thread of that channel, in which they are shown. */
  readonly thread?: string | undefined;
  /** Captions that a restart interrupted, which go on. */
  readonly interrupted?: Interrupted | undefined;
}

/** Times in ms since 1970. */
export interface Interrupted {
  /** The start of their transcript. */
  readonly startedMs: number;
  /** The time from which on nothing was heard. */
  readonly sinceMs: number;
}

/** The current captions of a room, or the last ones, as long as they are kept in memory. */
export interface CaptionRecord {
  /** The voice channel; a current room's changes when people move the bot. */
  readonly channel: Channel;
  readonly hasRecord: boolean;
  /** Ids of all members who were present. */
  readonly people: ReadonlySet<string>;
  /** The transcript as a file; undefined when there are no captions. */
  transcript(kind: RoomTranscriptKind, language?: string): Promise<OutgoingFile | undefined>;
  /** Summarises the captions: yields the growing summary, and returns it; Markdown. */
  summary(
    language: string,
    assistant: Assistant,
    signal: AbortSignal,
  ): AsyncGenerator<string, string, void>;
}

/** A room that the bot is in. Every method rejects with an `AppError`. */
export interface Room extends CaptionRecord {
  /** The languages and the channel of the captions; undefined while there are none. */
  readonly captions: { readonly languages: readonly string[]; readonly in: Channel } | undefined;
  /** Packet statistics of all members who were listened to. */
  health(): readonly (SpeakerStats & { readonly name: string })[];
  /** The errors that keep the bot from something in the room now, and that people can end. */
  faults(): readonly AppError[];
  /** Counts of lines that captions did not show, since the bot joined. */
  withheld(): WithheldCounts;
  /** Tells whether a member is captioned here, why not, and how many of their lines were withheld since the bot joined. */
  hearing(memberId: string): Promise<MemberHearing>;
  /**
   * Resolves when the notice is posted; each person is captioned once they were informed. Rejects, with nothing
   * begun, while captions run, where the notice cannot be posted, and where captions cannot be shown.
   */
  startCaptions(options: CaptionOptions): Promise<void>;
  setLanguages(languages: readonly string[]): void;
  /** Stops the captions; resolves with false when there were none. */
  stopCaptions(): Promise<boolean>;
  /** Resolves when the speech is queued; with false when nothing is to be spoken. */
  say(request: SpeechRequest): Promise<boolean>;
  queue(): { readonly isPaused: boolean; readonly items: readonly QueuedSpeech[] };
  /** Ends the speech; returns false when there is none, or it is a notice. */
  skip(): boolean;
  /** Ends and drops all speech except notices; returns the number of items. */
  stopSpeaking(): number;
  pause(isPaused: boolean): void;
  /**
   * Resolves with the next utterance of a member who asks for it, whatever the room listens for. Rejects
   * with `forbidden` for members who refused to be listened to.
   */
  listenTo(member: Pick<Member, 'id' | 'name'>, signal: AbortSignal): Promise<string>;
  /** The latest captions with their speakers, oldest first. */
  recentCaptions(): readonly string[];
  leave(): Promise<void>;
}

/** The voice rooms of all spaces. */
export interface Rooms {
  /** Tells whether a message was read aloud lately, and why not; undefined where it had not to be, or is long ago. */
  readingOf(ref: MessageRef): ReadingState | undefined;
  /** The room that a member is in, whether the bot is there or not. */
  roomOf(space: Space, memberId: string): Channel | undefined;
  /** Names of missing permissions for a room, as the platform shows them. */
  missing(room: Channel): readonly string[];
  /** The room of a space that the bot is in. */
  of(space: Space): Room | undefined;
  /** The captions of the room that was left last, for half an hour. */
  lastRecord(space: Space): CaptionRecord | undefined;
  /**
   * Joins a room, or moves there from another one of the space. Rejects, and stays, where it cannot be
   * joined.
   *
   * @param locale the language of the bot's own sentences there
   * @param mayLeave true: people in another room are left for it; false: `forbidden` where there are any
   */
  join(channel: Channel, locale: string, mayLeave: boolean): Promise<Room>;
  /** Sets a member's choice for the rooms of a space; takes effect at once. */
  choose(space: Space, memberId: string, choice: Exclude<ConsentChoice, undefined>): Promise<void>;
}

/** The things that the parts of one open room share. */
export interface RoomContext {
  readonly services: VoiceServices;
  /** The platform, which shows and sends nothing once another process may be in charge of the room. */
  readonly platform: Platform;
  /** The voice channel where the bot is now. */
  readonly channel: () => Channel;
  readonly choices: () => RoomChoices;
  readonly texts: RoomTexts;
  readonly messages: StatusMessages;
  readonly clock: Clock;
  /** Ms since 1970. */
  readonly now: () => number;
  /** Aborted when the room is over. */
  readonly signal: AbortSignal;
  readonly log: Log;
}
