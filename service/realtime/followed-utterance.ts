import { type Clock, sleep } from '../../src/async/clock.ts';
import { AppError, toAppError } from '../../src/errors.ts';
import type { Log } from '../../src/telemetry/log.ts';
import type { EngineHints, RecognisedText, StreamedText } from '../engine.ts';
import type { Offer } from '../engine-loader.ts';
import { samplesOf, type SpeechSegment } from './speech-segmenter.ts';

/** Longest wait for the last words; the whole utterance is then recognised. */
const LAST_WORDS_MS = 8_000;

export interface FollowedUtteranceDeps {
  /** Name of the API key. */
  readonly key: string;
  readonly offer: Offer<'recognition'>;
  readonly hints: EngineHints;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
  /** Takes the text since the last end, whenever it changes. */
  readonly heard: (text: RecognisedText) => void;
  /** Told of an end that the recogniser found, so long after the beginning; `stop` may follow. */
  readonly ended: (endMs: number) => void;
  /** Told that it is followed no more. */
  readonly failed: () => void;
}

/** Follows an utterance: has it recognised while it grows. Undefined where the engine opens no stream. */
export const followUtterance = (segment: SpeechSegment, deps: FollowedUtteranceDeps) => {
  const { key, offer, hints, clock, log, heard, ended, failed } = deps;
  const parts: RecognisedText[] = [];
  const stop = new AbortController();
  let fed = 0;
  let text: Promise<readonly RecognisedText[] | undefined> | undefined;

  const note = (thrown: unknown): undefined => {
    const { code, message: reason } = toAppError(thrown);
    log.warn({ engine: offer.name, code, reason }, 'an utterance is not followed to its end');
    text ??= Promise.resolve(undefined);
  };
  const listener = {
    heard: (next: StreamedText) => {
      if (next.isFinal && next.text !== '') parts.push(next);
      if (text) return;
      heard(next);
      if (next.isFinal && next.text !== '') ended(next.endMs);
    },
    failed: (error: AppError) => {
      if (text) return;
      note(error);
      failed();
    },
  };
  const stream = offer.engine.stream?.open(hints, listener, key);
  if (!stream) return undefined;

  const feed = (): void => {
    const frames = segment.frames.slice(fed);
    if (frames.length > 0) stream.feed(samplesOf(frames));
    fed = Math.max(fed, segment.frames.length);
  };

  const finish = async (): Promise<readonly RecognisedText[] | undefined> => {
    using _ = stream;
    const limit = sleep(clock, LAST_WORDS_MS, stop.signal).then(() => {
      throw new AppError('timeout', 'the last words do not come', { retryable: true });
    });
    try {
      const last = await Promise.race([stream.finish(), limit]);
      return [...parts, last];
    } catch (thrown) {
      return stop.signal.aborted ? undefined : note(thrown);
    } finally {
      stop.abort();
      limit.catch(() => undefined);
    }
  };

  return {
    /** Has what is new of the utterance recognised. */
    feed: (): void => {
      if (!text) feed();
    },
    /** Takes the end of the utterance, or the one that the recogniser found. */
    stop: (isEnded: boolean): void => {
      if (text) return;
      if (isEnded) {
        text = Promise.resolve([...parts]);
        return stream[Symbol.dispose]();
      }
      feed();
      text = finish();
    },
    /** Resolves, after `stop`, with the texts in their order; with undefined where words may be missing. */
    text: async (): Promise<readonly RecognisedText[] | undefined> => text,
    /** Gives it up. */
    [Symbol.dispose]: (): void => {
      text ??= Promise.resolve(undefined);
      stop.abort();
      stream[Symbol.dispose]();
    },
  };
};
