import { AppError, toAppError } from '../errors.ts';
import type { Log } from '../telemetry/log.ts';
import type { Channel } from '../model/place.ts';
import type { UsageServices } from './meter.ts';
import { countCodePoints } from '../text/unicode.ts';
import type { Reservation } from './limits.ts';
import type { Utterance } from '../ports/recogniser.ts';

/** A final transcript of one utterance; `text` is empty when there was no speech. */
export interface MeteredTranscript extends Pick<Utterance, 'speakerId' | 'startMs' | 'endMs'> {
  readonly text: string;
}

export interface RoomMeterDeps {
  readonly services: UsageServices;
  readonly channel: () => Channel;
  readonly log: Log;
}

export interface AudioMeterDeps extends RoomMeterDeps {
  /** The only person who speaks, whose own limits apply, too. */
  readonly memberId?: string;
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

export interface MeteredText {
  readonly id: string;
  readonly text: string;
  /** The author of the words; undefined: the bot itself. */
  readonly by?: { readonly id: string } | undefined;
}

/** Creates the count of texts that wait to be spoken against the limit; it records them once they are spoken. */
export const createSpeechMeter = ({ services, channel, log }: RoomMeterDeps) => {
  /** The use of waiting texts, by id. */
  const reserved = new Map<string, Reservation>();
  let recording = Promise.resolve();

  const release = (id: string): void => {
    reserved.get(id)?.[Symbol.dispose]();
    reserved.delete(id);
  };
  const record = async (text: string, memberId: string, messages: 0 | 1): Promise<void> => {
    try {
      const used = { characters: countCodePoints(text), messages };
      await services.usage.record(channel().space, memberId, used);
    } catch (thrown) {
      log.warn({ reason: toAppError(thrown).message }, 'speech usage could not be counted');
    }
  };

  return {
    /**
     * Counts a text that is to wait. Resolves with the reason why no more may be spoken today;
     * undefined when it may.
     */
    reserve: async ({ id, text, by }: MeteredText): Promise<AppError | undefined> => {
      const { space } = channel();
      const consumer = by ? { space, memberId: by.id } : { space };
      try {
        const demand = { characters: countCodePoints(text) };
        reserved.set(id, await services.limits.reserve(consumer, demand));
        return undefined;
      } catch (thrown) {
        if (thrown instanceof AppError && thrown.code === 'rate-limited') return thrown;
        throw thrown;
      }
    },
    /** Drops a text that no longer waits. */
    release,
    /**
     * Records a text that begins to be spoken.
     *
     * @param memberId the author of the words; empty for none
     * @param messages 0 when the text already counts as a message
     */
    spoken: ({ id, text }: MeteredText, memberId: string, messages: 0 | 1): void => {
      const reservation = reserved.get(id);
      reserved.delete(id);
      recording = recording
        .then(async () => record(text, memberId, messages))
        .then(() => reservation?.[Symbol.dispose]());
    },
    [Symbol.asyncDispose]: async (): Promise<void> => recording,
  };
};
