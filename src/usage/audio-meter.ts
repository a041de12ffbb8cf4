import { type AppError, toAppError } from '../errors.ts';
import type { Log } from '../log.ts';
import { limitFault } from './limits.ts';
import type { Channel } from '../model/place.ts';
import type { Services } from '../command/services.ts';
import type { Clock } from '../async/clock.ts';

/** A line that somebody said; `text` is empty where it was no speech. */
export interface HeardLine {
  readonly speakerId: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly text: string;
}

export interface AudioMeterDeps {
  readonly services: Pick<Services, 'spaces' | 'usage'>;
  readonly clock: Clock;
  /** Ms since 1970. */
  readonly now: () => number;
  readonly channel: () => Channel;
  /** The space may use no more today; undefined: it may again. */
  readonly spent: (fault: AppError | undefined) => void;
  readonly log: Log;
}

/** Counts the sound that is heard live, for who spoke, and knows when the space may use no more of it. */
export interface AudioMeter extends AsyncDisposable {
  /** Counts a final line. */
  count(line: HeardLine): void;
  /** Throws `rate-limited` where no more may be heard today. */
  admit(): Promise<void>;
  readonly isSpent: () => boolean;
}

export const createAudioMeter = (deps: AudioMeterDeps): AudioMeter => {
  const { services, clock, now, channel, log } = deps;
  let counting = Promise.resolve();
  let restoring: (() => void) | undefined;

  const restore = (): void => {
    if (!restoring) return;
    restoring();
    restoring = undefined;
    deps.spent(undefined);
  };
  const look = async (): Promise<AppError | undefined> => {
    const fault = await limitFault(services, channel().space, 'audio', now);
    if (!fault) restore();
    return fault;
  };
  const record = async ({ speakerId, startMs, endMs, text }: HeardLine): Promise<void> => {
    try {
      const audioMs = Math.max(0, endMs - startMs);
      const used = { characters: 0, audioMs, messages: text === '' ? 0 : 1 };
      await services.usage.record(channel().space, speakerId, used);
      const fault = await look();
      if (!fault || restoring) return;
      restoring = clock.after(fault.retryAfterMs ?? 0, restore);
      deps.spent(fault);
    } catch (thrown) {
      log.warn(
        { reason: toAppError(thrown).message },
        'the sound that was heard could not be counted',
      );
    }
  };

  return {
    count: (line) => {
      counting = counting.then(async () => record(line));
    },
    admit: async () => {
      const fault = await look();
      if (fault) throw fault;
    },
    isSpent: () => restoring !== undefined,
    [Symbol.asyncDispose]: async () => {
      await counting;
      restoring?.();
    },
  };
};
