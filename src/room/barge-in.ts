import type { RoomChoices } from './service.ts';
import type { Clock } from './clock.ts';

export interface BargeInParts {
  readonly clock: Clock;
  readonly mode: () => RoomChoices['bargeIn'];
  /** Lowers our voice, or raises it again. */
  readonly duck: (isOn: boolean) => void;
  readonly interrupt: () => void;
}

/** Lets people's voices go before ours, where a room wants that. */
export interface BargeIn extends Disposable {
  readonly began: (memberId: string) => void;
  readonly ended: (memberId: string) => void;
}

/** Somebody who began to speak and was not heard of since, does not speak any more. */
const SPEAKS_MS = 5_000;

export const createBargeIn = ({ clock, mode, duck, interrupt }: BargeInParts): BargeIn => {
  const speakers = new Map<string, () => void>();
  const ended = (memberId: string): void => {
    const cancel = speakers.get(memberId);
    if (!cancel) return;
    cancel();
    speakers.delete(memberId);
    if (speakers.size === 0) duck(false);
  };
  return {
    began: (memberId) => {
      if (mode() === 'off') return;
      speakers.get(memberId)?.();
      speakers.set(
        memberId,
        clock.after(SPEAKS_MS, () => ended(memberId)),
      );
      if (mode() === 'lower') duck(true);
      else interrupt();
    },
    ended,
    [Symbol.dispose]: () => {
      for (const memberId of speakers.keys().toArray()) ended(memberId);
    },
  };
};
