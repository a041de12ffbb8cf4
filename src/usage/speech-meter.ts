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

/** Counts texts that wait to be spoken against the limit, and records them once they are spoken. */
export interface SpeechMeter extends AsyncDisposable {
  /**
   * Resolves with the reason why no more may be spoken today, waiting texts included; undefined
   * when it may.
   */
  fault(text: string): Promise<AppError | undefined>;
  /** Counts a text that waits. */
  reserve(item: MeteredText): void;
  /** Drops a text that no longer waits. */
  release(id: string): void;
  /**
   * Records a text that begins to be spoken.
   *
   * @param memberId the author of the words; empty for none
   * @param messages 0 when the text already counts as a message
   */
  spoken(item: MeteredText, memberId: string, messages: 0 | 1): void;
}

export const createSpeechMeter = ({
  services,
  now,
  channel,
  log,
}: SpeechMeterDeps): SpeechMeter => {
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
    fault: async (text) => {
      const waiting = reserved.values().reduce((sum, each) => sum + each, 0);
      const characters = waiting + countCodePoints(text);
      return limitFault(services, channel().space, { characters }, now);
    },
    reserve: ({ id, text }) => void reserved.set(id, countCodePoints(text)),
    release: (id) => void reserved.delete(id),
    spoken: ({ id, text }, memberId, messages) => {
      reserved.delete(id);
      recording = recording.then(async () => record(text, memberId, messages));
    },
    [Symbol.asyncDispose]: async () => recording,
  };
};
