import { VoiceConnectionStatus, type VoiceConnection } from '@discordjs/voice';
import type { AppError } from '../../../src/errors.ts';
import type { DaveSession } from './library-internals.ts';

export interface PacketSinkDeps {
  readonly connection: Pick<VoiceConnection, 'state' | 'playOpusPacket'>;
  readonly dave: () => Pick<DaveSession, 'protocolVersion' | 'session'> | undefined;
  /** True when the bot may not speak here, because it is in the audience of a stage. */
  readonly isSuppressed: () => boolean;
  /** The reason why the bot may not speak. */
  readonly silenced: () => AppError;
  readonly nowMs: () => number;
}

/**
 * Longest wait for keys and for a stage: both take less or never come, as a bot alone has no group.
 */
const HOLD_MS = 3_000;
/** Pause between packets after which a new wait begins; waiting packets are retried every 20 ms. */
const PAUSE_MS = 1_000;

/**
 * Creates a function that sends a packet where people can receive it. It returns false when the
 * packet must be retried, and throws when the bot has been kept from speaking for three seconds.
 * Nothing is ever sent unencrypted into an encrypted channel, as the library does until its keys
 * are ready.
 */
export const createPacketSink = ({ connection, dave, nowMs, ...deps }: PacketSinkDeps) => {
  let held: { readonly sinceMs: number; lastMs: number } | undefined;

  const isKeyed = (): boolean => {
    const current = dave();
    return !current || current.protocolVersion === 0 || current.session?.ready === true;
  };
  const isHeldForLong = (): boolean => {
    const now = nowMs();
    if (!held || now - held.lastMs > PAUSE_MS) held = { sinceMs: now, lastMs: now };
    held.lastMs = now;
    return now - held.sinceMs >= HOLD_MS;
  };

  return (packet: Buffer): boolean => {
    if (connection.state.status !== VoiceConnectionStatus.Ready) return false;
    if (deps.isSuppressed() || !isKeyed()) {
      if (!isHeldForLong()) return false;
      if (deps.isSuppressed()) throw deps.silenced();
      return true;
    }
    held = undefined;
    try {
      return connection.playOpusPacket(packet) === true;
    } catch {
      // A packet that cannot be encrypted is treated as lost on the network.
      return true;
    }
  };
};
