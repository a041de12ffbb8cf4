import { type AppError, toAppError } from '../errors.ts';
import type { Log } from '../log.ts';
import { limitFault } from '../usage/meter.ts';
import type { Channel } from '../model/place.ts';
import type { Services } from '../command/services.ts';
import type { Clock } from '../async/clock.ts';
import type { TranscriptEvent } from './stt/transcript-emitter.ts';

export interface AudioUsageDeps {
  readonly services: Pick<Services, 'spaces' | 'usage'>;
  readonly clock: Clock;
  /** Ms since 1970. */
  readonly now: () => number;
  readonly channel: () => Channel;
  /** The space may use no more today; undefined: it may again. */
  readonly spent: (fault: AppError | undefined) => void;
  readonly log: Log;
}

/** Counts the sound that is heard, for who spoke, and knows when the space may use no more of it. */
export interface AudioUsage extends AsyncDisposable {
  /** Counts a final line. */
  count(line: TranscriptEvent): void;
  /** Throws `rate-limited` where no more may be heard today. */
  admit(): Promise<void>;
  readonly isSpent: () => boolean;
}

export const createAudioUsage = (deps: AudioUsageDeps): AudioUsage => {
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
  const record = async ({ speakerId, startMs, endMs, text }: TranscriptEvent): Promise<void> => {
    try {
      const audioMs = Math.max(0, endMs - startMs);
      const used = { characters: 0, audioMs, messages: text === '' ? 0 : 1 };
      await services.usage.record(channel().space, speakerId, used);
      const fault = await look();
      if (!fault || restoring) return;
      restoring = clock.after(fault.retryAfterMs ?? 0, restore);
      deps.spent(fault);
    } catch (thrown) {
      log.warn({ reason: toAppError(thrown).message }, 'what a room used was not counted');
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
