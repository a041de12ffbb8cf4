import { type AppError, toAppError } from '../errors.ts';
import type { Log } from '../telemetry/log.ts';
import type { Channel } from '../model/place.ts';
import type { UsageServices } from './meter.ts';

/** A final transcript of one utterance; `text` is empty when there was no speech. */
export interface MeteredTranscript {
  readonly speakerId: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly text: string;
}

export interface AudioMeterDeps {
  readonly services: UsageServices;
  readonly channel: () => Channel;
  /** The only person who speaks, whose own limits apply, too. */
  readonly memberId?: string;
  readonly log: Log;
}

/** Creates the count of recognised speech for the person who spoke. */
export const createAudioMeter = (deps: AudioMeterDeps) => {
  const { services, channel, memberId, log } = deps;
  let counting: Promise<unknown> = Promise.resolve();

  /** Resolves with the reason why no more audio may be used today. */
  const fault = async (): Promise<AppError | undefined> =>
    services.limits.fault({ space: channel().space, memberId }, 'audio');
  const record = async ({ speakerId, startMs, endMs, text }: MeteredTranscript) => {
    try {
      const audioMs = Math.max(0, endMs - startMs);
      const used = { audioMs, messages: text === '' ? 0 : 1 };
      await services.usage.record(channel().space, speakerId, used);
      return { fault: await fault() };
    } catch (thrown) {
      log.warn({ reason: toAppError(thrown).message }, 'audio usage could not be counted');
      return undefined;
    }
  };

  return {
    /**
     * Counts a final transcript. Resolves with the reason why no more audio may be used today, if
     * there is one, and with undefined when the transcript could not be counted.
     */
    count: async (event: MeteredTranscript) => {
      const counted = counting.then(() => record(event));
      counting = counted;
      return counted;
    },
    fault,
    [Symbol.asyncDispose]: async (): Promise<void> => {
      await counting;
    },
  };
};
