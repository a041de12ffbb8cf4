import type { Services } from '../command/services.ts';
import { type AppError, toAppError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Channel } from '../model/place.ts';
import { countCodePoints } from '../text/unicode.ts';

/** A text that is to be spoken. */
export interface MeteredText {
  readonly id: string;
  readonly text: string;
  /** The author of the words; undefined: the bot itself. */
  readonly by?: { readonly id: string } | undefined;
}

export interface SpeechMeterDeps {
  readonly services: Pick<Services, 'limits' | 'usage'>;
  readonly channel: () => Channel;
  readonly log: Log;
}

const sizeOf = (texts: readonly { readonly characters: number }[]): number =>
  texts.reduce((sum, { characters }) => sum + characters, 0);

/** Creates the count of texts that wait to be spoken against the limit; it records them once they are spoken. */
export const createSpeechMeter = ({ services, channel, log }: SpeechMeterDeps) => {
  /** Waiting texts by id. */
  const reserved = new Map<string, { readonly characters: number; readonly by?: string }>();
  let recording = Promise.resolve();

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
     * Resolves with the reason why no more may be spoken today, waiting texts included; undefined
     * when it may.
     */
    fault: async ({ text, by }: Omit<MeteredText, 'id'>): Promise<AppError | undefined> => {
      const { space } = channel();
      const waiting = [...reserved.values()];
      const own = by ? waiting.filter((each) => each.by === by.id) : [];
      const ofSpace = { characters: sizeOf(waiting) + countCodePoints(text) };
      const ofPerson = { characters: sizeOf(own) + countCodePoints(text) };
      return (
        (await services.limits.fault({ space }, ofSpace)) ??
        (by && services.limits.fault({ space, memberId: by.id }, ofPerson))
      );
    },
    /** Counts a text that waits. */
    reserve: ({ id, text, by }: MeteredText): void =>
      void reserved.set(id, { characters: countCodePoints(text), ...(by ? { by: by.id } : {}) }),
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
