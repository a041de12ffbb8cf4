import type { AppError } from '../errors.ts';
import type { Channel, Space } from '../model/place.ts';
import type { Message } from '../model/message.ts';

/** A person or bot that is in a room now. */
export interface RoomMember {
  readonly id: string;
  /** The name that people in the room see. */
  readonly name: string;
  readonly isBot: boolean;
}

/** An Opus packet (RFC 6716) of a member's voice, as received. */
export interface VoicePacket {
  readonly speakerId: string;
  readonly data: Uint8Array;
  /** Number of the packet: one more for each packet sent, lost ones included; it never wraps. */
  readonly sequence: number;
  /**
   * Time of the first sample on the sender's 48 kHz clock; it never wraps, and may stand still in
   * pauses.
   */
  readonly timestampSamples: number;
  /** Time of arrival on the room's clock. */
  readonly arrivedMs: number;
}

/** Counts of a member's packets since the bot joined. */
export interface SpeakerStats {
  readonly memberId: string;
  readonly received: number;
  /** Packets that were sent, according to their numbers, and never received. */
  readonly lost: number;
  readonly undecryptable: number;
}

/** The errors that say what moderators keep the bot from in a room, and who can change that. */
export interface Restrictions {
  readonly speaking: AppError | undefined;
  readonly hearing: AppError | undefined;
}

/** Receives the events of a joined room. Must neither throw nor take long. */
export interface LinkListener {
  /** Takes a packet of a subscribed member, in the order in which packets arrive. */
  packet(packet: VoicePacket): void;
  /** Reports that somebody moved the bot. */
  moved(to: Channel): void;
  /**
   * Reports that a subscribed member speaks and cannot be received, or can be again; undefined: somebody
   * speaks, and who it is cannot be known. Never reports somebody of whom nothing arrives.
   */
  readonly audible: (memberId: string | undefined, isAudible: boolean) => void;
  /** Reports how much speech of a subscribed member was lost. */
  readonly missed: (ms: number) => void;
  /** Reports what moderators keep the bot from, each time that it changes. Default: nothing. */
  readonly restricted: (restrictions: Restrictions) => void;
  /** Reports that the connection is established, or lost and being restored. */
  readonly connected: (isConnected: boolean) => void;
  /**
   * Reports that the link is over: with `cancelled` the program ends, without an error somebody ended it.
   * Nothing is reported afterwards.
   */
  ended(error: AppError | undefined): void;
}

/** The bot's connection to a room. */
export interface VoiceLink extends AsyncDisposable {
  /** The channel where the bot is now. */
  readonly channel: Channel;
  /**
   * Receives exactly these members from now on. Packets of all others are dropped on arrival, not
   * even decrypted. Initially nobody is subscribed.
   */
  subscribe(memberIds: readonly string[]): void;
  /**
   * Plays 20 ms Opus packets, one every 20 ms; resolves when the last one was sent. When they come
   * too late there is silence between them; without a connection it waits. One call at a time.
   * Rejects with the signal's reason when it is aborted, which silences at once, and with
   * `forbidden` when the bot may not speak.
   */
  play(packets: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void>;
  /** Counts of all members who were subscribed, since the bot joined. */
  stats(): readonly SpeakerStats[];
}

/** A number of requests within any period of `windowMs`. */
export interface EditRate {
  readonly count: number;
  readonly windowMs: number;
}

/** Voice rooms of a platform. Rejects with `AppError`. */
export interface VoicePort {
  /** Edits of its messages that a channel takes. */
  readonly editRate: EditRate;
  /** The bot's name in a space. */
  ownName(space: Space): string;
  /** The language that is mostly spoken in a space, as a BCP 47 code, as far as the platform knows. */
  localeOf(space: Space): string;
  /** The room that a member is in; undefined when they are in none of that space. */
  roomOf(space: Space, memberId: string): Channel | undefined;
  /** Members who are present now, without the bot. */
  present(room: Channel): readonly RoomMember[];
  /** Names of missing permissions, as the platform shows them. */
  missing(room: Channel): readonly string[];
  /** Throws the error that would keep the bot out of a room, as far as it is known beforehand. */
  demandRoom(room: Channel): void;
  /** Resolves when the bot is in the room. One room per space: joining another one moves the bot. */
  join(room: Channel, listener: LinkListener, signal: AbortSignal): Promise<VoiceLink>;
}

/** Receives the events of rooms, whether the bot is in them or not. */
export interface RoomWatcher {
  /**
   * Reports that the rooms of a space are known, at the start and after each outage; `present` may list people
   * once the caller's turn is over. Resolves with true when the bot is back in the room in which its process
   * ended, or is to be in none; with false while that is not known: another process may be in a room. Never
   * rejects.
   */
  spaceReady(space: Space): Promise<boolean>;
  /**
   * Reports that another process is about to be in charge of a space. Resolves when the bot has left
   * its room there, to which that process brings it back. Never rejects.
   */
  spaceMoves(space: Space): Promise<void>;
  /**
   * Reports that this process is not in charge of a space any more, and that another one may be: nothing is posted
   * or stored from then on.
   */
  spaceLost(space: Space): void;
  /** Reports that people came or left: `VoicePort.present` lists who is there. */
  peopleChanged(room: Channel): void;
  /** True when messages of a channel are wanted; fast, since it is called for each message. */
  reads(channel: Channel): boolean;
  /** Reports a new message. */
  wrote(message: Message): void;
}
