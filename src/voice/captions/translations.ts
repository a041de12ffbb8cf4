import { orAborted } from '../../async/abort.ts';
import type { Clock } from '../../async/clock.ts';
import { createSemaphore } from '../../async/locks.ts';
import { AppError, toAppError } from '../../errors.ts';
import { plainWords } from '../../rich-text/compose.ts';
import type { Channel } from '../../model/place.ts';
import { plainText } from '../../rich-text/walk.ts';
import type { LineTranslation } from '../../translation/fan-out.ts';
import { type MeteredServices, translateMeteredLine } from '../../usage/meter.ts';
import type { Caption } from './caption.ts';

const AT_ONCE = 6;
/** Most waiting requests; beyond it those that waited longest are dropped. */
const MOST_WAITING = 60;
/** Longest wait: nobody reads the translation of older speech. */
const LONGEST_QUEUED_MS = 20_000;
/** Longest run of a request, which may last as long as the wait above: it may wait for its turn at the service. */
const LONGEST_RUN_MS = 15_000;

export interface CaptionToTranslate {
  readonly speakerId: string;
  readonly text: string;
  /** BCP 47 code; empty when the language is not known. */
  readonly language: string;
  /** Captions before this one, oldest first. */
  readonly context: readonly string[];
}

/** Translates a caption: yields growing texts; a failure is the last item of its language. */
export type TranslateCaption = (
  caption: CaptionToTranslate,
  languages: readonly string[],
  signal: AbortSignal,
) => AsyncIterable<LineTranslation>;

export interface TranslationsDeps {
  readonly clock: Clock;
  readonly translate: TranslateCaption;
  readonly contextOf: (caption: Caption) => readonly string[];
  readonly grown: (id: number, language: string, text: string, done: boolean) => void;
  /** Reports that no translation comes; without an error when none is needed. */
  readonly missed: (id: number, language: string, error: AppError | undefined) => void;
}

interface Job {
  readonly caption: Caption;
  readonly language: string;
  readonly stop: AbortController;
  isRunning: boolean;
  cancelTimer: () => void;
}

const tooLate = (): AppError => new AppError('timeout', 'a caption was translated too slowly');
/** The reason to end a request for a language that nobody reads any more. */
const UNNEEDED = Symbol('unneeded');
/** The reason to end a request of which nothing is to be reported. */
const DROPPED = Symbol('dropped');

/** Requests translations of captions, oldest first, with a bounded number running and waiting. */
export const createTranslations = (deps: TranslationsDeps) => {
  const { clock, translate, contextOf, grown, missed } = deps;
  const semaphore = createSemaphore(AT_ONCE);
  /** Requests that wait or run, in their order. */
  const jobs = new Set<Job>();
  let idle = Promise.withResolvers<void>();

  const follow = async ({ caption, language, stop }: Job): Promise<boolean> => {
    const { signal } = stop;
    const { id, speakerId, text, language: from } = caption;
    const source = { speakerId, text, language: from, context: contextOf(caption) };
    const states = translate(source, [language], signal)[Symbol.asyncIterator]();
    try {
      for (;;) {
        const { done: isOver, value } = await orAborted(states.next(), signal);
        if (isOver) return false;
        if (value.language !== language) continue;
        if (value.error) throw value.error;
        const translation = plainText(value.text);
        if (translation !== '') grown(id, language, translation, value.done);
        if (value.done) return translation !== '';
      }
    } finally {
      const closed = Promise.resolve(states.return?.());
      closed.catch(() => {});
      // A generator that does not end although it was aborted is not awaited.
      if (!signal.aborted) await orAborted(closed, signal).catch(() => {});
    }
  };

  const run = async (job: Job): Promise<void> => {
    const { caption, language, stop } = job;
    const { signal } = stop;
    const untilMs = clock.nowMs() + LONGEST_QUEUED_MS;
    try {
      using _ = semaphore.tryAcquire() ?? (await semaphore.acquire(signal));
      signal.throwIfAborted();
      job.isRunning = true;
      job.cancelTimer();
      const leftMs = Math.max(LONGEST_RUN_MS, untilMs - clock.nowMs());
      job.cancelTimer = clock.after(leftMs, () => stop.abort(tooLate()));
      if (!(await follow(job))) missed(caption.id, language, undefined);
    } catch (thrown) {
      const reason: unknown = signal.aborted ? signal.reason : thrown;
      const error = reason === UNNEEDED ? undefined : toAppError(reason);
      if (reason !== DROPPED) missed(caption.id, language, error);
    } finally {
      job.cancelTimer();
      jobs.delete(job);
      if (jobs.size === 0) idle.resolve();
    }
  };
  const waiting = (): Job[] => [...jobs].filter(({ isRunning }) => !isRunning);

  return {
    /** Requests a translation into each of the languages, started as soon as there is capacity. */
    request: (caption: Caption, languages: readonly string[]): void => {
      if (jobs.size === 0) idle = Promise.withResolvers();
      for (const language of languages) {
        const stop = new AbortController();
        const cancelTimer = clock.after(LONGEST_QUEUED_MS, () => stop.abort(tooLate()));
        const job: Job = { caption, language, stop, isRunning: false, cancelTimer };
        jobs.add(job);
        void run(job);
      }
      const queued = waiting();
      for (const { stop } of queued.slice(0, Math.max(0, queued.length - MOST_WAITING)))
        stop.abort(tooLate());
    },
    /** Drops all requests for a caption; nothing more is reported for it. */
    drop: (id: number): void => {
      for (const { caption, stop } of jobs) if (caption.id === id) stop.abort(DROPPED);
    },
    /** Drops waiting requests for languages that are not listed. */
    keepOnly: (languages: readonly string[]): void => {
      for (const { language, stop } of waiting())
        if (!languages.includes(language)) stop.abort(UNNEEDED);
    },
    get isIdle(): boolean {
      return jobs.size === 0;
    },
    settled: async (): Promise<void> => {
      if (jobs.size > 0) await idle.promise;
    },
  };
};

/** Creates the translator of captions; usage counts for the speaker. */
export const createTranslateCaption =
  (services: MeteredServices, channel: () => Channel): TranslateCaption =>
  ({ speakerId, text, language, context }, languages, signal) =>
    translateMeteredLine(
      services,
      {
        lane: 'live',
        space: channel().space,
        memberId: speakerId,
        text: plainWords(text),
        context,
        ...(language === '' ? {} : { from: language }),
      },
      languages,
      signal,
      // The transcript already counts as the message. Who speaks does not choose to be translated.
      { messages: 0, limits: 'space' },
    );
