import { type Channel } from './place.ts';
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

/** What moderators choose for the voice rooms of their space. */
export interface RoomChoices {
  readonly consent: ConsentRule;
  /** Whether people are told aloud, too, that they are heard. */
  readonly spokenNotice: boolean;
  /** Ids of rooms that are joined, and captioned, while anybody is there. */
  readonly joins: readonly string[];
  /** What captions are translated into where nobody says otherwise. */
  readonly languages: readonly string[];
  /** Whether captions are shown while somebody still speaks. */
  readonly partials: boolean;
  /** Silence after which a caption ends. */
  readonly pauseMs: number;
  /** What becomes of our speech when a person begins to speak. */
  readonly bargeIn: 'off' | 'lower' | 'stop';
  /** Whether our name, said aloud, begins a question. */
  readonly wakeWord: boolean;
  /** Ids of text channels that are read aloud in the room that we are in. */
  readonly readAloud: readonly string[];
}

/** Silence that ends a caption where nobody chose another; speech is cut at the same pause for all other uses. */
export const USUAL_PAUSE_MS = 600;

/** Who is heard: everybody who was told of it and does not object, or only those who agreed. */
export type ConsentRule = 'told' | 'agreed';
