import type { RoomChoices } from '../model/space.ts';
import type { Clock } from '../async/clock.ts';

export interface BargeInDeps {
  readonly clock: Clock;
  readonly mode: () => RoomChoices['bargeIn'];
  readonly duck: (isOn: boolean) => void;
  readonly interrupt: () => void;
}

/** Silence after which a member no longer counts as speaking. */
const PAUSE_MS = 1_000;
/** Longest effect of one utterance: a microphone may never be silent. */
const SPEAKS_MS = 16_000;

interface Speaker {
  readonly sinceMs: number;
  packetMs: number;
  cancel: () => void;
}

/** Lowers or ends the bot's speech while people speak, where the room wants that. */
export const createBargeIn = ({ clock, mode, duck, interrupt }: BargeInDeps) => {
  const speakers = new Map<string, Speaker>();
  const ended = (memberId: string): void => {
    const speaker = speakers.get(memberId);
    if (!speaker) return;
    speaker.cancel();
    speakers.delete(memberId);
    if (speakers.size === 0) duck(false);
  };
  const watch = (memberId: string, speaker: Speaker): void => {
    const endMs = Math.min(speaker.packetMs + PAUSE_MS, speaker.sinceMs + SPEAKS_MS);
    if (endMs <= clock.nowMs()) return ended(memberId);
    speaker.cancel = clock.after(endMs - clock.nowMs(), () => watch(memberId, speaker));
  };
  return {
    began: (memberId: string): void => {
      if (mode() === 'off') return;
      speakers.get(memberId)?.cancel();
      const nowMs = clock.nowMs();
      const speaker = { sinceMs: nowMs, packetMs: nowMs, cancel: () => undefined };
      speakers.set(memberId, speaker);
      watch(memberId, speaker);
      if (mode() === 'lower') duck(true);
      else interrupt();
    },
    packet: (memberId: string): void => {
      const speaker = speakers.get(memberId);
      if (speaker) speaker.packetMs = clock.nowMs();
    },
    ended,
    [Symbol.dispose]: (): void => {
      for (const memberId of speakers.keys().toArray()) ended(memberId);
    },
  };
};
