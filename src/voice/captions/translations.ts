import { orAborted } from '../../async/abort.ts';
import type { Clock } from '../../async/clock.ts';
import { AppError, toAppError } from '../../errors.ts';
import { plainWords } from '../../rich-text/compose.ts';
import type { Channel } from '../../model/place.ts';
import { plainText } from '../../rich-text/walk.ts';
import type { LineTranslation } from '../../translation/fan-out.ts';
import type { MeteredServices } from '../../usage/meter.ts';
import { translateMeteredLine } from '../../usage/metered-line.ts';
import type { Caption } from './caption.ts';

const AT_ONCE = 6;
/** Most waiting requests; beyond it those that waited longest are dropped. */
const MOST_WAITING = 60;
/** Longest wait: nobody reads the translation of older speech. */
const LONGEST_QUEUED_MS = 20_000;
/** Longest run of a request that started in time. */
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
  /** Reports that no translation comes; without an error when it is too late or not needed. */
  readonly missed: (id: number, language: string, error: AppError | undefined) => void;
}

interface Job {
  readonly caption: Caption;
  readonly language: string;
  readonly stop: AbortController;
  cancelTimer: () => void;
}

/** Requests translations of captions, oldest first, with a bounded number running and waiting. */
export const createTranslations = (deps: TranslationsDeps) => {
  const { clock, translate, contextOf, grown, missed } = deps;
  let waiting: Job[] = [];
  const running = new Set<Job>();
  const settling: (() => void)[] = [];

  const isIdle = (): boolean => waiting.length === 0 && running.size === 0;

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
    try {
      const isThere = await follow(job);
      if (!isThere && !stop.signal.aborted) missed(caption.id, language, undefined);
    } catch (thrown) {
      if (!stop.signal.aborted) missed(caption.id, language, toAppError(thrown));
      else if (stop.signal.reason instanceof AppError)
        missed(caption.id, language, stop.signal.reason);
    } finally {
      job.cancelTimer();
      running.delete(job);
      startWhatFits();
    }
  };

  const startWhatFits = (): void => {
    while (running.size < AT_ONCE) {
      const job = waiting.shift();
      if (!job) break;
      job.cancelTimer();
      const late = new AppError('timeout', 'a caption was translated too slowly');
      job.cancelTimer = clock.after(LONGEST_RUN_MS, () => job.stop.abort(late));
      running.add(job);
      void run(job);
    }
    if (isIdle()) for (const settle of settling.splice(0)) settle();
  };

  const giveUp = (isGivenUp: (job: Job) => boolean, isReported: boolean): void => {
    const given = waiting.filter(isGivenUp);
    waiting = waiting.filter((job) => !given.includes(job));
    for (const { cancelTimer, caption, language } of given) {
      cancelTimer();
      if (isReported) missed(caption.id, language, undefined);
    }
    startWhatFits();
  };

  return {
    /** Requests a translation into each of the languages, started as soon as there is capacity. */
    request: (caption: Caption, languages: readonly string[]): void => {
      for (const language of languages) {
        const job: Job = {
          caption,
          language,
          stop: new AbortController(),
          cancelTimer: clock.after(LONGEST_QUEUED_MS, () => giveUp((each) => each === job, true)),
        };
        waiting.push(job);
      }
      startWhatFits();
      const tooMany = new Set(waiting.slice(0, Math.max(0, waiting.length - MOST_WAITING)));
      if (tooMany.size > 0) giveUp((job) => tooMany.has(job), true);
    },
    /** Drops all requests for a caption; nothing more is reported for it. */
    drop: (id: number): void => {
      giveUp(({ caption }) => caption.id === id, false);
      for (const { caption, stop } of running) if (caption.id === id) stop.abort();
    },
    /** Drops waiting requests for languages that are not listed. */
    keepOnly: (languages: readonly string[]): void =>
      giveUp(({ language }) => !languages.includes(language), true),
    get isIdle(): boolean {
      return isIdle();
    },
    settled: async (): Promise<void> => {
      if (isIdle()) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      settling.push(resolve);
      await promise;
    },
  };
};

/** Creates the translator of captions; usage counts for the speaker. */
export const createTranslateCaption = (
  services: MeteredServices,
  channel: () => Channel,
): TranslateCaption => {
  return ({ speakerId, text, language, context }, languages, signal) => {
    const from = language === '' ? {} : { from: language };
    const said = {
      lane: 'live',
      space: channel().space,
      memberId: speakerId,
      text: plainWords(text),
    } as const;
    // The transcript already counts as the message. Who speaks does not choose to be translated.
    const options = { messages: 0, limits: 'space' } as const;
    return translateMeteredLine(
      services,
      { ...said, context, ...from },
      languages,
      signal,
      options,
    );
  };
};
