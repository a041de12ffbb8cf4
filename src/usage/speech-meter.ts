import type { Services } from '../command/services.ts';
import { type AppError, toAppError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Channel } from '../model/place.ts';
import { countCodePoints } from '../text/unicode.ts';
import { limitFault } from './limits.ts';

/** A text that is to be spoken. */
export interface MeteredText {
  readonly id: string;
  readonly text: string;
}

export interface SpeechMeterDeps {
  readonly services: Pick<Services, 'spaces' | 'usage'>;
  /** Clock: ms since 1970. */
  readonly now: () => number;
  readonly channel: () => Channel;
  readonly log: Log;
}

/** Creates the count of texts that wait to be spoken against the limit; it records them once they are spoken. */
export const createSpeechMeter = ({ services, now, channel, log }: SpeechMeterDeps) => {
  /** Code points of waiting texts by id. */
  const reserved = new Map<string, number>();
  let recording = Promise.resolve();

  const record = async (text: string, memberId: string, messages: 0 | 1): Promise<void> => {
    try {
      const used = { characters: countCodePoints(text), audioMs: 0, messages };
      await services.usage.record(channel().space, memberId, used);
    } catch (thrown) {
      log.warn({ reason: toAppError(thrown).message }, 'speech usage could not be counted');
    }
  };

  return {
    /**
     * Resolves with the reason why no more may be spoken today, waiting texts included; undefined
     * when it may.
     */
    fault: async (text: string): Promise<AppError | undefined> => {
      const waiting = reserved.values().reduce((sum, each) => sum + each, 0);
      const characters = waiting + countCodePoints(text);
      return limitFault(services, channel().space, { characters }, now);
    },
    /** Counts a text that waits. */
    reserve: ({ id, text }: MeteredText): void => void reserved.set(id, countCodePoints(text)),
    /** Drops a text that no longer waits. */
    release: (id: string): void => void reserved.delete(id),
    /**
     * Records a text that begins to be spoken.
     *
     * @param memberId the author of the words; empty for none
     * @param messages 0 when the text already counts as a message
     */
    spoken: ({ id, text }: MeteredText, memberId: string, messages: 0 | 1): void => {
      reserved.delete(id);
      recording = recording.then(async () => record(text, memberId, messages));
    },
    [Symbol.asyncDispose]: async (): Promise<void> => recording,
  };
};
