import type { Channel } from './place.ts';
import type { RoomTranscriptKind } from './transcript.ts';

/** Captions of a room that are on, as far as they are stored. */
export interface StoredCaptions {
  readonly languages: readonly string[];
  /** The channel or thread where they are shown; undefined: the room's own chat. */
  readonly in?: Channel | undefined;
  readonly only?: string | undefined;
  readonly transcript?: RoomTranscriptKind | undefined;
  /** The start of their transcript, in ms since 1970. */
  readonly startedMs: number;
  /** The member who started them; undefined when nobody did, or that person is forgotten. */
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
