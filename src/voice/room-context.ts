import type { Clock } from '../async/clock.ts';
import type { Channel } from '../model/place.ts';
import type { RoomChoices } from '../model/space.ts';
import type { Platform } from '../ports/platform.ts';
import type { Log } from '../telemetry/log.ts';
import type { VoiceServices } from './room-types.ts';
import type { StatusMessages } from './status-messages.ts';
import type { RoomTexts } from './texts.ts';

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
