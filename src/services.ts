import type { ChatTurn, Voice } from './api/contract.ts';
import type { CommandInfo } from './command/command.ts';
import type { ErrorCode } from './errors.ts';
import type {
  AudioFormat,
  ByteSource,
  Channel,
  Member,
  MessageRef,
  OutgoingFile,
  Space,
} from './model.ts';
import type { ServiceStatus } from './ports/platform.ts';
import type { RoomChoices, Rooms } from './voice/service.ts';
import type { WatchMode } from './ports/channel-feed.ts';

/** What commands and adapters can ask for. Every method rejects with an `AppError`. */
export interface Services {
  readonly languages: Languages;
  readonly translator: Translator;
  readonly transcriber: Transcriber;
  /** A transcript as a file, with the times of what was said. */
  transcriptFile(kind: TranscriptKind, segments: readonly TranscriptSegment[]): OutgoingFile;
  readonly speaker: Speaker;
  readonly assistant: Assistant;
  readonly glossary: Glossary;
  readonly settings: MemberSettings;
  readonly watches: Watches;
  readonly spaces: SpaceSettings;
  readonly usage: Usage;
  readonly inbox: Inbox;
  readonly privacy: Privacy;
  readonly rooms: Rooms;
  /** What can be typed on a platform, in the best locale for `locale`. */
  commands(locale: string, platform: string): readonly CommandInfo[];
  status(signal: AbortSignal): Promise<ServiceStatus>;
  /**
   * Whether anything translates into `to` at this moment: from `from`, or from any language.
   * Undefined where the service does not say.
   */
  translates(to: string, from?: string): Promise<boolean | undefined>;
}

/** Languages are BCP 47 codes: `ja`, `zh`, `pt`, and `en-XA`, the pseudo-locale. */
export interface Languages {
  /** The code for what a person typed: a code, or a name in any language; undefined if unknown. */
  find(typed: string): string | undefined;
  name(code: string, locale: string): string;
  /** Best matches first. */
  search(typed: string, locale: string): readonly { code: string; name: string }[];
  /** The language of a text; undefined where it cannot be told. */
  detect(text: string): { readonly language: string; readonly confidence: number } | undefined;
}

export interface TranslationRequest {
  readonly text: string;
  readonly to: string;
  /** Detected when left out. */
  readonly from?: string;
  /** Whose glossary applies. */
  readonly place: Space | Channel;
  /** Earlier talk, oldest first; what does not fit the contract's limit is left out. */
  readonly context?: readonly string[];
  /** Nobody sees it grow: it is asked for in one reply, which costs less. */
  readonly whole?: boolean;
}

export interface Translation {
  readonly text: string;
  readonly from: string;
  readonly to: string;
  /** `same-language` and `nothing-to-translate`: `text` is the original. */
  readonly outcome: 'translated' | 'same-language' | 'nothing-to-translate';
}

export interface Translator {
  /** Yields the whole translation so far, as it grows; returns the finished one. */
  translate(
    request: TranslationRequest,
    signal: AbortSignal,
  ): AsyncGenerator<string, Translation, void>;
}

export interface TranscriptSegment {
  readonly startMs: number;
  readonly endMs: number;
  readonly text: string;
}

export interface Transcript {
  readonly text: string;
  readonly language: string;
  /** 0 to 1, the least certain part's. */
  readonly confidence: number;
  readonly durationMs: number;
  /** The parts that the audio was heard in; one for short audio. */
  readonly segments: readonly TranscriptSegment[];
}

export const TRANSCRIPT_KINDS = ['txt', 'srt', 'vtt'] as const;
export type TranscriptKind = (typeof TRANSCRIPT_KINDS)[number];

export interface TranscriptionRequest {
  readonly audio: ByteSource;
  /** What the platform says that it lasts; a claim. */
  readonly durationMs?: number;
  /** Heard by the service when left out. */
  readonly language?: string;
  /** Whose glossary gives the words to listen for. */
  readonly place: Space | Channel;
}

/**
 * Long audio is heard in parts of at most this, so that the first words are there early. Of shorter
 * audio there is no progress to tell.
 */
export const LONGEST_PART_MS = 60_000;

/** How far a transcription is. */
export interface TranscriptionProgress {
  /** The whole text so far. */
  readonly text: string;
  /** Where in the audio it ends. */
  readonly heardMs: number;
  /** How long the audio is, where that was said; never less than `heardMs`. */
  readonly totalMs: number | undefined;
}

export interface Transcriber {
  /** Yields after each part that was heard; returns the finished transcript. */
  transcribe(
    request: TranscriptionRequest,
    signal: AbortSignal,
  ): AsyncGenerator<TranscriptionProgress, Transcript, void>;
}

export interface VoicePreference {
  /** A voice's id, or words of its description; wins over the rest. */
  readonly named?: string;
  readonly language?: string;
  readonly gender?: string;
}

export interface SynthesisRequest extends VoicePreference {
  readonly text: string;
  /** The language that emoji and the like are spoken in; the wish's when left out. */
  readonly readAs?: string;
  /** The first that the voice can make is used. Default: the caller takes any. */
  readonly formats?: readonly AudioFormat[];
}

export interface Speech {
  readonly voice: Voice;
  readonly format: AudioFormat;
  readonly mediaType: string;
  readonly sampleRateHz: number;
  /** The file's bytes as they come. */
  readonly chunks: AsyncIterable<Uint8Array>;
}

export interface Speaker {
  /** Resolves when the first bytes are there, so that a voice or format that fails is passed over. */
  speak(request: SynthesisRequest, signal: AbortSignal): Promise<Speech>;
  /** All voices, or those that fit the wish, best first. */
  voices(wish: VoicePreference, signal: AbortSignal): Promise<readonly Voice[]>;
}

export interface Assistant {
  /** Yields the whole answer so far; returns it. `turns` are the talk, oldest first. */
  answer(turns: readonly ChatTurn[], signal: AbortSignal): AsyncGenerator<string, string, void>;
}

export interface GlossaryTerm {
  readonly term: string;
  /** The target language that `translation` is for; undefined: the term is kept in every language. */
  readonly language: string | undefined;
  /** What the term must become; undefined: it stays as it is. */
  readonly translation: string | undefined;
}

export interface ImportReport {
  readonly added: number;
  readonly changed: number;
  /** How many lines were left out. */
  readonly rejectedCount: number;
  /** The first of them, with the line's number in the file. */
  readonly rejected: readonly {
    readonly line: number;
    readonly reason: 'empty' | 'too-long' | 'unknown-language' | 'limit';
  }[];
  /**
   * What the file did not say by itself. `pairs`: its second column is in that language; `rest`: so
   * are its lines that name none; `header`: its first line names the languages of its columns.
   */
  readonly assumed:
    | { readonly kind: 'pairs' | 'rest'; readonly language: string }
    | { readonly kind: 'header'; readonly languages: readonly string[] }
    | undefined;
}

/**
 * What to keep, what to translate how, what to listen for: the dictionary of a space, or of one of its
 * channels, whose entries go before the space's. A thread has its channel's.
 */
export interface Glossary {
  /** Replaces the entry of the same term and language. */
  add(place: Space | Channel, term: GlossaryTerm): Promise<void>;
  /** Removes the term in one language or, without it, in all; resolves with how many went. */
  remove(place: Space | Channel, term: string, language?: string): Promise<number>;
  /** The place's own entries, in alphabetical order of the terms. */
  list(place: Space | Channel): Promise<readonly GlossaryTerm[]>;
  /** All that count in a place; the same list until one of them changes. */
  applying(place: Space | Channel): Promise<readonly GlossaryTerm[]>;
  /**
   * All or nothing for a file that cannot be read; a bad line is reported and the rest kept.
   *
   * @param to the language of translations where the file names none
   */
  importCsv(
    place: Space | Channel,
    file: ByteSource,
    signal: AbortSignal,
    to?: string,
  ): Promise<ImportReport>;
  /** UTF-8 with a byte order mark, a header line, and nothing that a spreadsheet would run. */
  exportCsv(place: Space | Channel): Promise<Uint8Array>;
}

export interface Preferences {
  readonly language: string | undefined;
  readonly voiceId: string | undefined;
}

export interface MemberSettings {
  of(member: Pick<Member, 'platform' | 'id'>): Promise<Preferences>;
  /** A key that is left out stays; `undefined` clears it. */
  change(
    member: Pick<Member, 'platform' | 'id'>,
    change: { language?: string | undefined; voiceId?: string | undefined },
  ): Promise<void>;
}

/** How one channel is watched. */
export interface ChannelWatch {
  readonly channel: Channel;
  readonly mode: WatchMode;
  /** `reply`, `thread`: the languages translated into. `mirror`: the one language of this channel. */
  readonly languages: readonly string[];
  /** `mirror`: the channels of one group are copied into each other. */
  readonly group?: string;
  /** Voice messages and audio files are written down. */
  readonly transcribes: boolean;
  /** What other bots write is translated too. */
  readonly bots: boolean;
}

/**
 * The channels in which what people write is translated as it comes. A group of which one channel is
 * left, whatever became of the others, ends with it.
 */
export interface Watches {
  /** The watch of a channel; a thread has its parent's, mirrors apart. */
  of(channel: Channel): ChannelWatch | undefined;
  /** In the order in which they were set. */
  list(space: Space): readonly ChannelWatch[];
  /**
   * Sets the watches of some channels at once, each in place of the one it had; all or nothing.
   * Rejects with what the platform's people must still allow (`forbidden`, `watch.missing`).
   */
  set(watches: readonly ChannelWatch[]): Promise<void>;
  /** Resolves with false where nothing was watched. What waits there is skipped. */
  remove(channel: Channel): Promise<boolean>;
  /** Names of what the platform's people must still allow for a watch, as the platform shows them. */
  missing(watch: ChannelWatch): Promise<readonly string[]>;
}

/** What moderators choose for their space. */
export interface SpaceChoices {
  readonly flags: {
    readonly on: boolean;
    /** Emoji (a custom one by its id) → language; these go before the flags of countries. */
    readonly languages: Readonly<Record<string, string>>;
  };
  /** Command → the roles that may use it; everybody where there is none. Moderators always may. */
  readonly roles: Readonly<Record<string, readonly string[]>>;
  /** What one day may use in the whole space; undefined: no limit. */
  readonly dailyCharacters?: number | undefined;
  readonly dailyAudioMinutes?: number | undefined;
  /** Ids of channels in which nothing is translated or written down, neither automatically nor by flags. */
  readonly quietChannels: readonly string[];
  readonly rooms: RoomChoices;
}

/** Whether nothing is done by itself in a channel, or in the one that its thread belongs to. */
export const isQuiet = (
  { id, parentId = '' }: Pick<Channel, 'id' | 'parentId'>,
  { quietChannels }: Pick<SpaceChoices, 'quietChannels'>,
): boolean => quietChannels.includes(id) || quietChannels.includes(parentId);

export interface SpaceSettings {
  of(space: Space): Promise<SpaceChoices>;
  /** A key that is left out stays. */
  change(space: Space, change: Partial<SpaceChoices>): Promise<void>;
}

/**
 * What was used of the service: code points translated, spoken, or asked and answered; sound heard;
 * messages served.
 */
export interface Used {
  readonly characters: number;
  readonly audioMs: number;
  readonly messages: number;
}

/** What one day used. `day` is `YYYY-MM-DD` in UTC. */
export interface UsageDay extends Used {
  readonly day: string;
  /** For how many people it was used; all forgotten people count as one. */
  readonly people: number;
}

export interface Usage {
  /** Adds to what a member used today. */
  record(space: Space, memberId: string, used: Used): Promise<void>;
  /** What the whole space used today. */
  today(space: Space): Promise<Used>;
  /** The last days, oldest first, those without use included; who used it is kept for 90 days. */
  days(space: Space, count: number): Promise<readonly UsageDay[]>;
  /** A picture of them: PNG. */
  chart(days: readonly UsageDay[]): Promise<Uint8Array>;
}

/** What waits, and what could not be done, in the watched channels of a space. */
export interface Backlog {
  readonly waiting: number;
  /** When the oldest that waits was written, ms since 1970. */
  readonly oldestMs: number | undefined;
  readonly dead: number;
  /** The newest of the dead, with the reason of each. */
  readonly newestDead: readonly { readonly ref: MessageRef; readonly reason: ErrorCode }[];
}

export interface Inbox {
  backlog(space: Space): Promise<Backlog>;
  /** Tries all dead ones of the space again; resolves with how many. */
  revive(space: Space): Promise<number>;
}

/** What is kept about one person. */
export interface Privacy {
  optedOut(member: Pick<Member, 'platform' | 'id'>): Promise<boolean>;
  setOptedOut(member: Pick<Member, 'platform' | 'id'>, optedOut: boolean): Promise<void>;
  /** Everything that is kept, as JSON. */
  export(member: Pick<Member, 'platform' | 'id'>): Promise<Uint8Array>;
  /**
   * Deletes it all, opting out apart, which stays. What waits of theirs is not done any more. Copies
   * of their messages stay where they are, and so does which message each is a copy of, without a
   * name: a message that is deleted still takes its copies along. Days keep their sums, namelessly.
   */
  forget(member: Pick<Member, 'platform' | 'id'>): Promise<void>;
}
