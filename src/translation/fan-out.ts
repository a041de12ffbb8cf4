import { type AppError, toAppError } from '../errors.ts';
import type { Asker } from '../model/service.ts';
import type { RichText } from '../rich-text/rich-text.ts';
import type { ChatLine } from '../text/language/languages.ts';
import type { Translator } from './translator.ts';
import { mapStates } from '../async/abort.ts';
import { createSemaphore } from '../async/locks.ts';

/** A state of a line's translation into one language. */
export interface LineTranslation {
  readonly language: string;
  /** The whole translation so far. */
  readonly text: RichText;
  /** True for the last state of its language. */
  readonly done: boolean;
  /** Error that prevented the translation into this language; then `done` is true and `text` empty. */
  readonly error?: AppError;
}

/** Most languages of one line that are requested at the same time. */
const AT_ONCE = 4;

/**
 * Yields items from several producers as they arrive; each producer waits until its item was taken.
 * Aborts `stop` when the consumer ends.
 */
const merge = async function* <T>(
  producers: readonly AsyncGenerator<T, void, void>[],
  stop: AbortController,
): AsyncGenerator<T, void, void> {
  type Turn = {
    readonly producer: AsyncGenerator<T, void, void>;
    readonly result: IteratorResult<T, void>;
  };
  const turns = new Map<AsyncGenerator<T, void, void>, Promise<Turn>>();
  const advance = (producer: AsyncGenerator<T, void, void>): void => {
    turns.set(
      producer,
      producer.next().then((result) => ({ producer, result })),
    );
  };
  try {
    for (const producer of producers) advance(producer);
    while (turns.size > 0) {
      const { producer, result } = await Promise.race(turns.values());
      if (result.done) {
        turns.delete(producer);
        continue;
      }
      yield result.value;
      advance(producer);
    }
  } finally {
    stop.abort();
    await Promise.allSettled([...turns.keys()].map(async (producer) => producer.return()));
  }
};

export interface FanOutLine extends Asker {
  readonly text: RichText;
  /** Source language; detected when omitted. */
  readonly from?: string;
  /** The line of chat that it is, for the detection. */
  readonly line?: ChatLine;
  /** Earlier lines, oldest first. */
  readonly context?: readonly string[];
}

/**
 * Translates a line into several languages, one request each, as `Core.translateLine` says, and
 * counts no use.
 */
export const translateLine = (
  translator: Translator,
  { space, ...line }: FanOutLine,
  languages: readonly string[],
  signal: AbortSignal,
): AsyncIterable<LineTranslation> => {
  const stop = new AbortController();
  const both = AbortSignal.any([signal, stop.signal]);
  const requests = createSemaphore(AT_ONCE);
  const into = async function* (language: string): AsyncGenerator<LineTranslation, void, void> {
    try {
      using _ = await requests.acquire(both);
      const { text, outcome } = yield* mapStates(
        translator.translate({ ...line, place: space, to: language, expected: languages }, both),
        (soFar): LineTranslation => ({ language, text: soFar(), done: false }),
      );
      if (outcome === 'translated') yield { language, text, done: true };
    } catch (thrown) {
      yield { language, text: [], done: true, error: toAppError(thrown) };
    }
  };
  return merge([...new Set(languages)].map(into), stop);
};
