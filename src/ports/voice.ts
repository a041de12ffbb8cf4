import type { AppError } from '../errors.ts';
import type { Channel, Space } from '../model/place.ts';
import type { Message } from '../model/message.ts';

/** Somebody who is in a room at this moment. */
export interface RoomMember {
  readonly id: string;
  /** As the room's people see it. */
  readonly name: string;
  readonly isBot: boolean;
}

/** An Opus packet (RFC 6716) of somebody's voice, as it came. */
export interface VoicePacket {
  readonly speakerId: string;
  readonly data: Uint8Array;
  /** One more for each packet that was sent, the lost ones included; it never wraps. */
  readonly sequence: number;
  /** Of the first sample, on the sender's 48 kHz clock; it never wraps, and may stand still in pauses. */
  readonly timestampSamples: number;
  /** On the room's clock. */
  readonly arrivedMs: number;
}

/** What became of the packets of one member since we joined. */
export interface SpeakerStats {
  readonly memberId: string;
  readonly received: number;
  /** Sent, as their numbers tell, and never received. */
  readonly lost: number;
  readonly undecryptable: number;
}

/** What a joined room tells. Nothing here may throw or take long. */
export interface LinkListener {
  /** Only of members who are to be heard; in the order in which they arrive. */
  packet(packet: VoicePacket): void;
  /** Somebody moved us there. */
  moved(to: Channel): void;
  /** A member who is to be heard cannot be heard although they speak, or can be heard again. */
  readonly audible: (memberId: string, isAudible: boolean) => void;
  /** Of somebody who is to be heard nothing came for so long although they spoke: it is lost. */
  readonly missed: (ms: number) => void;
  /** The connection is lost and being made again, or there again. */
  readonly connected: (isConnected: boolean) => void;
  /** It is over: by somebody's hand when there is no error. Nothing is told afterwards. */
  ended(error: AppError | undefined): void;
}

/** Our place in a room. */
export interface VoiceLink extends AsyncDisposable {
  /** Where we are now. */
  readonly channel: Channel;
  /** Packets of everybody else are thrown away as they come, not even decrypted. At first nobody is heard. */
  subscribe(memberIds: readonly string[]): void;
  /**
   * Plays 20 ms Opus packets, one every 20 ms; resolves when the last one was sent. When they come too
   * late there is silence between; while we are not connected it waits. One at a time. Rejects with the
   * signal's reason when it is aborted, which silences at once, and with `forbidden` where nobody lets us
   * speak.
   */
  play(packets: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void>;
  /** Of everybody who was to be heard, since we joined. */
  stats(): readonly SpeakerStats[];
}

/** So many requests in any such time. */
export interface EditRate {
  readonly count: number;
  readonly windowMs: number;
}

/** What a platform needs to offer so that people can be heard and spoken to. Rejects with `AppError`. */
export interface VoicePort {
  /** How many edits of its messages a channel takes. */
  readonly editRate: EditRate;
  /** What people call us there. */
  ownName(space: Space): string;
  /** BCP 47: what is mostly spoken there, as far as the platform knows. */
  localeOf(space: Space): string;
  /** The room that a member is in; undefined where they are in none of that space. */
  roomOf(space: Space, memberId: string): Channel | undefined;
  /** Everybody who is there now, ourselves left out. */
  present(room: Channel): readonly RoomMember[];
  /** Names of what the platform's people must still allow, as the platform shows them. */
  missing(room: Channel): readonly string[];
  /** Throws what would keep us out of a room, as far as it can be told before we try. */
  demandRoom(room: Channel): void;
  /** Resolves when we are there. One room a space: joining another one of it moves us. */
  join(room: Channel, listener: LinkListener, signal: AbortSignal): Promise<VoiceLink>;
}

/** What an adapter tells of rooms, whether we are in them or not. */
export interface RoomWatcher {
  /** Who is in a room has changed: `VoicePort.present` tells who is there. */
  peopleChanged(room: Channel): void;
  /** Whether what is written here is to be told; cheap, asked for each message that comes. */
  reads(channel: Channel): boolean;
  /** Somebody wrote something new. */
  wrote(message: Message): void;
}
