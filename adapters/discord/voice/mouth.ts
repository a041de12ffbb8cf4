import { VoiceConnectionStatus, type VoiceConnection } from '@discordjs/voice';
import type { DaveSession } from './wires.ts';

export interface MouthParts {
  readonly connection: Pick<VoiceConnection, 'state' | 'playOpusPacket'>;
  readonly dave: () => Pick<DaveSession, 'protocolVersion' | 'session'> | undefined;
  /** We are in the audience of a stage. */
  readonly isSuppressed: () => boolean;
  readonly nowMs: () => number;
}

/** Keys and stages are ready in less, or not by themselves: alone there is nobody to share keys with. */
const HOLD_MS = 3_000;

/**
 * Sends a packet where people can hear it. False: not yet, it is to be tried again. Nothing is ever
 * sent unencrypted into an encrypted channel, as the library does until its keys are there.
 */
export const createMouth = ({ connection, dave, isSuppressed, nowMs }: MouthParts) => {
  let heldSinceMs: number | undefined;

  const isHeard = (): boolean => {
    const current = dave();
    const isKeyed = !current || current.protocolVersion === 0 || current.session?.ready === true;
    return isKeyed && !isSuppressed();
  };

  return (packet: Buffer): boolean => {
    if (connection.state.status !== VoiceConnectionStatus.Ready) return false;
    if (!isHeard()) {
      heldSinceMs ??= nowMs();
      return nowMs() - heldSinceMs >= HOLD_MS;
    }
    heldSinceMs = undefined;
    try {
      return connection.playOpusPacket(packet) === true;
    } catch {
      // A packet that cannot be encrypted is lost like one on its way.
      return true;
    }
  };
};
