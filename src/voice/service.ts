import { type RoomTranscriptKind } from '../model/transcript.ts';
import type { Channel, Space } from '../model/place.ts';
import type { Member } from '../model/member.ts';
import type { OutgoingFile } from '../model/file.ts';
import type { VoicePreference } from '../speech/speech.ts';
import type { SpeakerStats } from '../ports/voice.ts';

/** What is to be said aloud in a room. */
export interface SpeechRequest {
  /** As people wrote it. */
  readonly text: string;
  readonly kind: 'answer' | 'say' | 'read';
  /** Whose words they are, or who asked for an answer; nobody is announced, or counted, without. */
  readonly by?: Pick<Member, 'id' | 'name'>;
  /** A voice by name, language or gender; the person's own where nothing is wished. */
  readonly wish?: VoicePreference;
}

/** One thing that is said in a room, or waits to be. */
export interface QueuedSpeech {
  readonly kind: SpeechRequest['kind'] | 'notice';
  readonly by?: string;
  readonly text: string;
  /** Until it is said, roughly. */
  readonly waitsMs: number;
}

export interface CaptionOptions {
  /** What captions are translated into. */
  readonly languages: readonly string[];
  /** Where they are shown; in the room's own chat when left out. */
  readonly in?: Channel;
  /** In a thread of that channel, with this name. */
  readonly thread?: string;
  /** Only this language is shown: the translation, and the original only where it is in it. */
  readonly only?: string;
  /** The transcript is posted when they end. */
  readonly transcript?: RoomTranscriptKind;
}

/** The captions that run in a room, or ran there last, as long as they are kept in memory. */
export interface CaptionRecord {
  /** Whether there are any. */
  readonly hasRecord: boolean;
  /** Everybody who was there. */
  readonly people: ReadonlySet<string>;
  /** Undefined where there are none. */
  transcript(kind: RoomTranscriptKind, language?: string): Promise<OutgoingFile | undefined>;
  /** What was said, in short: grows; returns the whole. */
  summary(language: string, signal: AbortSignal): AsyncGenerator<string, string, void>;
}

/** A room that we are in. Every method rejects with an `AppError`. */
export interface Room extends CaptionRecord {
  /** Where we are now: people can move us. */
  readonly channel: Channel;
  /** What is captioned at this moment, and where; undefined while nothing is. */
  readonly captions: { readonly languages: readonly string[]; readonly in: Channel } | undefined;
  /** How everybody who was to be heard came through. */
  health(): readonly (SpeakerStats & { readonly name: string })[];
  /**
   * Resolves when people were told, and may be heard. Rejects, with nothing begun, while captions run,
   * where people cannot be told, and where they cannot be shown.
   */
  startCaptions(wish: CaptionOptions): Promise<void>;
  setLanguages(languages: readonly string[]): void;
  /** False where nothing was captioned. */
  stopCaptions(): Promise<boolean>;
  /** Resolves when it waits in the queue; with false where nothing of it can be said, or is to be any more. */
  say(saying: SpeechRequest): Promise<boolean>;
  queue(): { readonly isPaused: boolean; readonly items: readonly QueuedSpeech[] };
  /** False where nothing was said, or a notice: nobody ends one. */
  skip(): boolean;
  /** How many were said or waited, but for notices, which are said all the same. */
  silence(): number;
  pause(isPaused: boolean): void;
  /**
   * What a member says next, whatever the room listens for: they ask for it. `forbidden` for those who
   * do not want to be heard.
   */
  listenTo(member: Pick<Member, 'id' | 'name'>, signal: AbortSignal): Promise<string>;
  /** The last captions, oldest first, with who said them. */
  talk(): readonly string[];
  leave(): Promise<void>;
}

/** The rooms in which people speak with each other. */
export interface Rooms {
  /** The room that a member is in, whether we are there or not. */
  roomOf(space: Space, memberId: string): Channel | undefined;
  /** Names of what must still be allowed so that we can come into a room, as the platform shows them. */
  missing(room: Channel): readonly string[];
  /** The room of a space that we are in. */
  of(space: Space): Room | undefined;
  /** The captions of the room that we left last, for half an hour. */
  left(space: Space): CaptionRecord | undefined;
  /**
   * Joins a room, or moves there from another one of the space. Rejects, and stays, where it cannot be
   * joined.
   *
   * @param locale of what we say there ourselves
   * @param mayLeave whether people in another room are left for it; otherwise `forbidden`
   */
  join(channel: Channel, locale: string, mayLeave: boolean): Promise<Room>;
  /** What a member wants in the rooms of a space; holds at once. */
  choose(space: Space, memberId: string, choice: 'heard' | 'unheard'): Promise<void>;
}
