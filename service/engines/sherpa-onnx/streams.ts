import { orAborted } from '../../../src/async/abort.ts';
import { type Backoff, backoffMs, type Clock, realClock } from '../../../src/async/clock.ts';
import { AppError, toAppError } from '../../../src/errors.ts';
import type { Child } from '../../../src/process/child.ts';
import { joinTexts } from '../../../src/text/local-agreement.ts';
import {
  RECOGNITION_RATE_HZ,
  type RecognisedText,
  type RecognitionStream,
  type StreamListener,
} from '../../engine.ts';
import type { HeardInStream, StreamReply, StreamRequest, StreamTurn } from './stream-worker.ts';
import { concatSamples } from '../../../src/audio/pcm.ts';

const SAMPLES_PER_MS = RECOGNITION_RATE_HZ / 1_000;

/** Sound after which it is known how long it takes to recognise, and over which that is measured. */
const MEASURED_MS = 10_000;
const MEASURED_OVER_MS = 120_000;

/** Time for which nobody is followed when one process after another is lost; none after the first. */
const PAUSES: Backoff = { firstMs: 5_000, longestMs: 60_000 };
/** Time behind a pause after which the next lost process counts as the first. */
const CALM_MS = 60_000;

interface Open {
  readonly id: number;
  readonly language: string | undefined;
  readonly isLive: boolean;
  readonly listener: StreamListener;
  readonly place: Disposable | undefined;
  readonly finished: PromiseWithResolvers<RecognisedText>;
  /** Sound that the process has not got. */
  waiting: Float32Array[];
  hasBegun: boolean;
  isEnding: boolean;
  isEndSent: boolean;
}

/** Streams of one process: what is new of all of them goes in one call, while the one before is answered. */
export type Streams = ReturnType<typeof createStreams>;

/**
 * Creates the streams of a process. With a process that dies or hangs all of its streams fail; another is started at
 * once, and later ever longer after the next loss.
 */
export const createStreams = (
  child: Child<StreamRequest, StreamReply>,
  clock: Pick<Clock, 'nowMs'> = realClock,
) => {
  const open = new Map<number, Open>();
  const { signal } = new AbortController();
  let closed: number[] = [];
  let lastId = 0;
  let isBusy = false;
  let isRunning = false;
  let isLoading = false;
  let losses = 0;
  let pausedUntilMs = -Infinity;
  /** Sound of late, and the time that it took. */
  const measured = { soundMs: 0, tookMs: 0 };

  const leave = (one: Open): boolean => {
    one.place?.[Symbol.dispose]();
    return open.delete(one.id);
  };
  const close = (one: Open): void => {
    if (leave(one) && one.hasBegun) closed.push(one.id);
  };

  const hasNew = ({ waiting, isEnding, isEndSent }: Open): boolean =>
    waiting.length > 0 || (isEnding && !isEndSent);

  /** Returns what the process has not got of a stream. */
  const turnOf = (one: Open): StreamTurn => {
    const { id, language, isLive, isEnding: ends } = one;
    const turn = {
      id,
      ...(one.hasBegun ? {} : { begins: { language, isLive } }),
      samples: concatSamples(one.waiting),
      ends,
    };
    one.waiting = [];
    one.hasBegun = true;
    one.isEndSent = ends;
    return turn;
  };

  const take = ({ id, isLast, ...heard }: HeardInStream): void => {
    const one = open.get(id);
    if (!one) return;
    const text = { ...heard, language: one.language };
    if (!isLast) return one.listener.heard(text);
    leave(one);
    one.finished.resolve(text);
  };

  const measure = (turns: readonly StreamTurn[], tookMs: number): void => {
    for (const { samples } of turns) measured.soundMs += samples.length / SAMPLES_PER_MS;
    measured.tookMs += tookMs;
    if (measured.soundMs < MEASURED_OVER_MS) return;
    measured.soundMs /= 2;
    measured.tookMs /= 2;
  };

  const failAll = (cause: AppError): void => {
    // The engine does not hang, for it has another process soon.
    const error =
      cause.code === 'timeout'
        ? new AppError('unavailable', cause.message, { retryable: true, cause })
        : cause;
    for (const one of open.values()) {
      close(one);
      one.finished.reject(error);
      one.listener.failed(error);
    }
  };

  /** Has another process loaded at once where the one before was not lost a while ago, too. */
  const noteLoss = (): void => {
    const nowMs = clock.nowMs();
    if (nowMs > pausedUntilMs + CALM_MS) losses = 0;
    pausedUntilMs = nowMs + (losses === 0 ? 0 : backoffMs(PAUSES, losses - 1));
    losses += 1;
    isLoading = losses === 1;
  };

  /** Makes calls, one at a time, as long as there is something new. */
  const run = async (): Promise<void> => {
    while (isLoading || isBusy || closed.length > 0 || [...open.values()].some(hasNew))
      try {
        if (!child.isRunning && [...open.values()].some(({ hasBegun }) => hasBegun))
          throw new AppError('unavailable', 'the process has died', { retryable: true });
        isLoading ||= !child.isRunning;
        if (isLoading) await child.call({ turns: [], closed: [] }, signal);
        isLoading = false;
        const request = { turns: [...open.values()].filter(hasNew).map(turnOf), closed };
        closed = [];
        const reply = await child.call(request, signal);
        ({ isBusy } = reply);
        measure(request.turns, reply.tookMs);
        for (const one of reply.heard) take(one);
      } catch (thrown) {
        isBusy = false;
        isLoading = false;
        const error = toAppError(thrown);
        failAll(error);
        // Another process knows none of them, and one that is shut down is never told.
        if (!child.isRunning) closed = [];
        if (error.retryable) noteLoss();
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
    isLive: boolean,
    place?: Disposable,
  ): RecognitionStream => {
    const one: Open = {
      id: (lastId += 1),
      language,
      isLive,
      listener,
      place,
      finished: Promise.withResolvers<RecognisedText>(),
      waiting: [],
      hasBegun: false,
      isEnding: false,
      isEndSent: false,
    };
    // Without `finish`, nobody waits for it.
    one.finished.promise.catch(() => undefined);
    open.set(one.id, one);
    return {
      feed: (samples) => {
        if (!open.has(one.id) || one.isEnding) return;
        one.waiting.push(samples);
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

  const recogniseOnce = async (
    samples: Float32Array,
    language: string | undefined,
    abort: AbortSignal,
    isLive: boolean,
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
  };

  return {
    /** True while nobody is to be followed: a process loads the model, which takes long, or several were lost. */
    get isPaused(): boolean {
      return isLoading || clock.nowMs() < pausedUntilMs;
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
     * @param place disposed of at its end
     */
    open: (language: string | undefined, listener: StreamListener, place?: Disposable) =>
      openStream(language, listener, true, place),
    /**
     * Recognises whole sound while no stream has sound that waits; once more where the process is lost, as another's
     * sound may have been the cause. Rejects with the signal's reason, or an `AppError`.
     */
    recognise: async (
      samples: Float32Array,
      language: string | undefined,
      abort: AbortSignal,
      isLive = false,
    ): Promise<RecognisedText> => {
      const recognise = () => recogniseOnce(samples, language, abort, isLive);
      return recognise().catch((thrown: unknown) => {
        if (!toAppError(thrown).retryable) throw thrown;
        return recognise();
      });
    },
  };
};
