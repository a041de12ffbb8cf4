import { orAborted } from '../../../src/async/abort.ts';
import { AppError, toAppError } from '../../../src/errors.ts';
import type { Child } from '../../../src/process/child.ts';
import { joinTexts } from '../../../src/text/local-agreement.ts';
import {
  RECOGNITION_RATE_HZ,
  type RecognisedText,
  type RecognitionStream,
  type StreamedText,
  type StreamListener,
} from '../../engine.ts';
import type { HeardInStream, StreamReply, StreamRequest, StreamTurn } from './stream-worker.ts';
import { concatSamples } from '../../../src/audio/pcm.ts';

/** Processes that die or hang under a stream before it fails: it may be its sound that kills them. */
const MOST_LOST = 1;
const SAMPLES_PER_MS = RECOGNITION_RATE_HZ / 1_000;

/** Sound after which it is known how long it takes to recognise, and over which that is measured. */
const MEASURED_MS = 10_000;
const MEASURED_OVER_MS = 120_000;

/** A stream, and its sound since the last final text, from which another process goes on. */
interface Open {
  readonly id: number;
  readonly language: string | undefined;
  readonly isLive: boolean;
  readonly listener: StreamListener;
  readonly finished: PromiseWithResolvers<RecognisedText>;
  kept: Float32Array[];
  /** Place of the first kept sample in the stream. */
  keptFrom: number;
  /** Place up to which the process has the sound, and where that of this process began. */
  sentTo: number;
  beganAt: number | undefined;
  shown: string;
  isEnding: boolean;
  isEndSent: boolean;
  lost: number;
}

/** Drops the first samples. */
const withoutFirst = (pieces: readonly Float32Array[], samples: number): Float32Array[] => {
  let left = samples;
  return pieces.flatMap((piece) => {
    const dropped = Math.min(left, piece.length);
    left -= dropped;
    return dropped === piece.length ? [] : [piece.subarray(dropped)];
  });
};

/** Streams of one process: what is new of all of them goes in one call, while the one before is answered. */
export type Streams = ReturnType<typeof createStreams>;

export const createStreams = (child: Child<StreamRequest, StreamReply>) => {
  const open = new Map<number, Open>();
  const { signal } = new AbortController();
  let closed: number[] = [];
  let lastId = 0;
  let isBusy = false;
  let isRunning = false;
  let isLoading = false;
  /** Sound of late, and the time that it took. */
  const measured = { soundMs: 0, tookMs: 0 };

  const close = (one: Open): void => {
    if (open.delete(one.id) && one.beganAt !== undefined) closed.push(one.id);
  };
  const fail = (one: Open, error: AppError): void => {
    close(one);
    one.finished.reject(error);
    one.listener.failed(error);
  };

  /** Has the next process get what is kept. */
  const lose = (one: Open, error: AppError): void => {
    one.lost += 1;
    if (one.lost > MOST_LOST || !error.retryable) return fail(one, error);
    one.beganAt = undefined;
    one.sentTo = one.keptFrom;
    one.isEndSent = false;
  };

  /** The sound of a stream that the process has not got; undefined where it has all. */
  const turnOf = (one: Open): StreamTurn | undefined => {
    const samples = concatSamples(withoutFirst(one.kept, one.sentTo - one.keptFrom));
    const begins =
      one.beganAt === undefined ? { language: one.language, isLive: one.isLive } : undefined;
    const ends = one.isEnding && !one.isEndSent;
    if (samples.length === 0 && !ends) return undefined;
    one.beganAt ??= one.sentTo;
    one.sentTo += samples.length;
    one.isEndSent ||= ends;
    return { id: one.id, ...(begins ? { begins } : {}), samples, ends };
  };

  const take = ({ id, isFinal, isLast, ...heard }: HeardInStream): void => {
    const one = open.get(id);
    if (!one) return;
    const fromMs = Math.round((one.beganAt ?? 0) / SAMPLES_PER_MS);
    const endMs = fromMs + heard.endMs;
    const words = heard.words?.map((word) => ({
      ...word,
      startMs: fromMs + word.startMs,
      endMs: fromMs + word.endMs,
    }));
    const text: StreamedText = { ...heard, language: one.language, words, isFinal, endMs };
    if (isLast) {
      open.delete(id);
      return one.finished.resolve(text);
    }
    // Another process hears again what was shown.
    if (!isFinal && one.shown.startsWith(text.text)) return;
    one.shown = isFinal ? '' : text.text;
    if (isFinal) {
      const ended = Math.min(one.sentTo, endMs * SAMPLES_PER_MS) - one.keptFrom;
      one.kept = withoutFirst(one.kept, ended);
      one.keptFrom += ended;
    }
    one.listener.heard(text);
  };

  const measure = (turns: readonly StreamTurn[], tookMs: number): void => {
    for (const { samples } of turns) measured.soundMs += samples.length / SAMPLES_PER_MS;
    measured.tookMs += tookMs;
    if (measured.soundMs < MEASURED_OVER_MS) return;
    measured.soundMs /= 2;
    measured.tookMs /= 2;
  };

  /** Makes calls, one at a time, as long as there is something new. */
  const run = async (): Promise<void> => {
    for (;;) {
      const turns = [...open.values()].flatMap((one) => turnOf(one) ?? []);
      if (turns.length === 0 && closed.length === 0 && !isBusy) return;
      const request = { turns, closed };
      closed = [];
      isLoading = !child.isRunning;
      try {
        const reply = await child.call(request, signal);
        ({ isBusy } = reply);
        measure(turns, reply.tookMs);
        for (const id of reply.unknown) {
          const one = open.get(id);
          if (one) lose(one, new AppError('unavailable', 'the process died', { retryable: true }));
        }
        for (const one of reply.heard) take(one);
      } catch (thrown) {
        isBusy = false;
        const error = toAppError(thrown);
        for (const one of open.values()) if (one.beganAt !== undefined) lose(one, error);
        // The next process knows none of them.
        if (error.retryable) closed = [];
      } finally {
        isLoading = false;
      }
    }
  };
  const wake = (): void => {
    if (isRunning) return;
    isRunning = true;
    void run().finally(() => (isRunning = false));
  };

  const openStream = (
    language: string | undefined,
    listener: StreamListener,
    isLive = true,
  ): RecognitionStream => {
    const one: Open = {
      id: (lastId += 1),
      language,
      isLive,
      listener,
      finished: Promise.withResolvers<RecognisedText>(),
      kept: [],
      keptFrom: 0,
      sentTo: 0,
      beganAt: undefined,
      shown: '',
      isEnding: false,
      isEndSent: false,
      lost: 0,
    };
    // Without `finish`, nobody waits for it.
    one.finished.promise.catch(() => undefined);
    open.set(one.id, one);
    return {
      feed: (samples) => {
        if (!open.has(one.id) || one.isEnding) return;
        one.kept.push(samples);
        wake();
      },
      finish: async () => {
        one.isEnding = true;
        wake();
        return one.finished.promise;
      },
      [Symbol.dispose]: () => {
        close(one);
        wake();
      },
    };
  };

  return {
    /** True while a process loads the model, which may take longer than a client waits for words. */
    get isLoading(): boolean {
      return isLoading;
    },
    /** Time that sound takes, as a share of its length; undefined before it was measured. */
    get realTimeFactor(): number | undefined {
      const { soundMs, tookMs } = measured;
      return soundMs < MEASURED_MS ? undefined : tookMs / soundMs;
    },
    /**
     * Opens a stream.
     *
     * @param language the model's own code, if one is known
     */
    open: (language: string | undefined, listener: StreamListener) =>
      openStream(language, listener),
    /** Recognises whole sound while no stream has sound that waits. Rejects with the signal's reason, or an `AppError`. */
    recognise: async (
      samples: Float32Array,
      language: string | undefined,
      abort: AbortSignal,
      isLive = false,
    ): Promise<RecognisedText> => {
      abort.throwIfAborted();
      const parts: RecognisedText[] = [];
      const listener: StreamListener = {
        heard: (text) => void (text.isFinal && parts.push(text)),
        failed: () => undefined,
      };
      using stream = openStream(language, listener, isLive);
      stream.feed(samples);
      parts.push(await orAborted(stream.finish(), abort));
      return {
        language,
        text: joinTexts(parts.map(({ text }) => text)),
        words: parts.flatMap(({ words = [] }) => words),
      };
    },
  };
};
