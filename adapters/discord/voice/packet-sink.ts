import { VoiceConnectionStatus, type VoiceConnection } from '@discordjs/voice';
import type { AppError } from '../../../src/errors.ts';
import type { DaveSession } from './library-internals.ts';

export interface PacketSinkDeps {
  readonly connection: Pick<VoiceConnection, 'state' | 'playOpusPacket'>;
  readonly dave: () => Pick<DaveSession, 'protocolVersion' | 'session'> | undefined;
  /** True when the bot may not speak here: on a stage, in its audience. */
  readonly isSuppressed: () => boolean;
  /** The reason why it may not. */
  readonly silenced: () => AppError;
  readonly nowMs: () => number;
}

/** Keys and stages are ready sooner, or not by themselves: alone there is nobody to share keys with. */
const HOLD_MS = 3_000;
/** Packets that are held are tried again every 20 ms; after a longer pause it is another speech. */
const PAUSE_MS = 1_000;

/**
 * Sends a packet where people can hear it. False: not yet, it is to be tried again. Throws where we may
 * not speak and were not let for three seconds. Nothing is ever sent unencrypted into an encrypted channel,
 * as the library does until its keys are there.
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
      // A packet that cannot be encrypted is lost like one on its way.
      return true;
    }
  };
};
