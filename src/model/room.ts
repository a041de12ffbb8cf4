import type { RoomTranscriptKind } from './message.ts';
import type { Channel } from './place.ts';

/** The settings of a space's voice rooms, chosen by its moderators. */
export interface RoomChoices {
  readonly consent: ConsentRule;
  /** True when the notice is spoken, too. */
  readonly spokenNotice: boolean;
  /** Ids of rooms that are joined, and captioned, while anybody is there. */
  readonly joins: readonly string[];
  /** The default languages of captions. */
  readonly languages: readonly string[];
  /** True when captions are shown while somebody still speaks. */
  readonly partials: boolean;
  /** True when lines are shown, too, that may have been misheard. */
  readonly showsAll: boolean;
  /** Silence after which a caption ends. */
  readonly pauseMs: number;
  /** Reaction of speech output when a person begins to speak. */
  readonly bargeIn: 'off' | 'lower' | 'stop';
  /** True when the bot's name, said aloud, begins a question. */
  readonly wakeWord: boolean;
  /** Ids of text channels that are read aloud in the voice channel that the bot is in. */
  readonly readAloud: readonly string[];
}

/**
 * The default pause that ends a line: the endpointer's hangover, for captions where nobody chose another and for
 * all other uses.
 */
export const USUAL_PAUSE_MS = 600;

/** The people who are recognised: all who were told and do not object, or only those who agreed. */
export type ConsentRule = 'told' | 'agreed';

/** A member's choice about being listened to in a space; undefined: none yet. */
export type ConsentChoice = 'allowed' | 'refused' | undefined;

/** Captions of a room that are on, as far as they are stored. */
export interface StoredCaptions {
  readonly languages: readonly string[];
  /** The channel or thread where they are shown. Default: the room's own chat. */
  readonly in?: Channel | undefined;
  /** The one language that is shown: translations, and originals that are in it. */
  readonly only?: string | undefined;
  readonly transcript?: RoomTranscriptKind | undefined;
  /** The start of their transcript, in ms since 1970. */
  readonly startedMs: number;
  /** The id of the member who started them; undefined when the bot did so by itself, or that person is forgotten. */
  readonly startedBy?: string | undefined;
}

/** Members who were informed of one use of their speech. */
export interface InformedMembers {
  /** The use and the rule of which they were informed, as the room names them. */
  readonly of: string;
  readonly memberIds: readonly string[];
}

/** A room that the bot is in: what it needs to be there again after a restart. No text of anybody. */
export interface StoredRoom {
  readonly channel: Channel;
  /** The language of the bot's own sentences there. */
  readonly locale: string;
  /** True when the room was joined without anybody asking for it. */
  readonly isAutomatic: boolean;
  readonly captions?: StoredCaptions | undefined;
  readonly informed?: InformedMembers | undefined;
}
