import type { AppError } from '../errors.ts';
import type { Channel, Space } from '../model/place.ts';
import type { Message } from '../model/message.ts';

/** A person or bot that is in a room now. */
export interface RoomMember {
  readonly id: string;
  /** Name as the room's people see it. */
  readonly name: string;
  readonly isBot: boolean;
}

/** An Opus packet (RFC 6716) of a member's voice, as it came. */
export interface VoicePacket {
  readonly speakerId: string;
  readonly data: Uint8Array;
  /** Number of the packet: one more for each that was sent, lost ones included; it never wraps. */
  readonly sequence: number;
  /** Time of its first sample on the sender's 48 kHz clock; it never wraps, and may stand still in pauses. */
  readonly timestampSamples: number;
  /** Time of arrival on the room's clock. */
  readonly arrivedMs: number;
}

/** Counts of a member's packets since the bot joined. */
export interface SpeakerStats {
  readonly memberId: string;
  readonly received: number;
  /** Packets that were sent, as the numbers tell, and never received. */
  readonly lost: number;
  readonly undecryptable: number;
}

/** Receives what happens in a joined room. Must neither throw nor take long. */
export interface LinkListener {
  /** Packets of subscribed members alone, in the order in which they arrive. */
  packet(packet: VoicePacket): void;
  /** The bot was moved by somebody. */
  moved(to: Channel): void;
  /** A subscribed member speaks and cannot be received, or can be again. */
  readonly audible: (memberId: string, isAudible: boolean) => void;
  /** Speech of a subscribed member was lost for so long. */
  readonly missed: (ms: number) => void;
  /** The connection is there, or lost and being made again. */
  readonly connected: (isConnected: boolean) => void;
  /** The link is over: by somebody's hand when there is no error. Nothing is reported afterwards. */
  ended(error: AppError | undefined): void;
}

/** The bot's place in a room. */
export interface VoiceLink extends AsyncDisposable {
  /** The channel where the bot is now. */
  readonly channel: Channel;
  /**
   * Receives these members from now on. Packets of everybody else are dropped as they come, not even
   * decrypted. At first nobody is subscribed.
   */
  subscribe(memberIds: readonly string[]): void;
  /**
   * Plays 20 ms Opus packets, one every 20 ms; resolves when the last one was sent. When they come too
   * late there is silence between; while we are not connected it waits. One at a time. Rejects with the
   * signal's reason when it is aborted, which silences at once, and with `forbidden` where nobody lets us
   * speak.
   */
  play(packets: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void>;
  /** Counts of everybody who was subscribed, since the bot joined. */
  stats(): readonly SpeakerStats[];
}

/** A number of requests in any such time. */
export interface EditRate {
  readonly count: number;
  readonly windowMs: number;
}

/** Voice rooms of a platform. Rejects with `AppError`. */
export interface VoicePort {
  /** Edits of its messages that a channel takes. */
  readonly editRate: EditRate;
  /** The bot's name there. */
  ownName(space: Space): string;
  /** BCP 47: the language that is mostly spoken there, as far as the platform knows. */
  localeOf(space: Space): string;
  /** The room that a member is in; undefined where they are in none of that space. */
  roomOf(space: Space, memberId: string): Channel | undefined;
  /** Everybody who is present now, the bot left out. */
  present(room: Channel): readonly RoomMember[];
  /** Names of missing permissions, as the platform shows them. */
  missing(room: Channel): readonly string[];
  /** Throws the fault that would keep the bot out of a room, as far as it is known before it tries. */
  demandRoom(room: Channel): void;
  /** Resolves when the bot is there. One room a space: joining another one of it moves the bot. */
  join(room: Channel, listener: LinkListener, signal: AbortSignal): Promise<VoiceLink>;
}

/** Receives what an adapter sees of rooms, whether the bot is in them or not. */
export interface RoomWatcher {
  /** People came or went: `VoicePort.present` lists who is there. */
  peopleChanged(room: Channel): void;
  /** True when messages of a channel are wanted; cheap, asked for each message that comes. */
  reads(channel: Channel): boolean;
  /** A new message was written. */
  wrote(message: Message): void;
}
