import type { Channel } from './place.ts';

/** The settings of a space, chosen by its moderators. */
export interface SpaceChoices {
  readonly flags: {
    readonly on: boolean;
    /** Emoji (a custom one by its id) → language; these go before the flags of countries. */
    readonly languages: Readonly<Record<string, string>>;
  };
  /** Command → the roles that may use it; everybody where there is none. Moderators always may. */
  readonly roles: Readonly<Record<string, readonly string[]>>;
  /** Limit of one day in the whole space; undefined: no limit. */
  readonly dailyCharacters?: number | undefined;
  readonly dailyAudioMinutes?: number | undefined;
  readonly dailyChatTokens?: number | undefined;
  /** Ids of channels in which nothing is translated or written down, neither automatically nor by flags. */
  readonly quietChannels: readonly string[];
  readonly rooms: RoomChoices;
}

/** True when nothing is done by itself in a channel, or in the one that its thread belongs to. */
export const isQuiet = (
  { id, parentId = '' }: Pick<Channel, 'id' | 'parentId'>,
  { quietChannels }: Pick<SpaceChoices, 'quietChannels'>,
): boolean => quietChannels.includes(id) || quietChannels.includes(parentId);

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
