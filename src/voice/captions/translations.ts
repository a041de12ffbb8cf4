import { orAborted } from '../../async/abort.ts';
import { AppError, toAppError } from '../../errors.ts';
import type { LineTranslation } from '../../translation/fan-out.ts';
import type { Clock } from '../../async/clock.ts';
import type { Caption } from './caption.ts';

/** Requests at the same moment. */
const AT_ONCE = 6;
/** Above it, the ones that wait longest are given up. */
const MOST_WAITING = 60;
/** Nobody reads a translation of what was said so long ago. */
const LONGEST_QUEUED_MS = 20_000;
/** One that began in time may take so long. */
const LONGEST_RUN_MS = 15_000;

export interface LineToTranslate {
  readonly speakerId: string;
  readonly text: string;
  /** BCP 47; empty where it is not known. */
  readonly language: string;
  /** What was said before it, oldest first. */
  readonly context: readonly string[];
}

/** As `Core.translateLine`: growing texts; a failure is the last item of its language. */
export type TranslateCaption = (
  line: LineToTranslate,
  languages: readonly string[],
  signal: AbortSignal,
) => AsyncIterable<LineTranslation>;

export interface TranslationsDeps {
  readonly clock: Clock;
  readonly translate: TranslateCaption;
  readonly contextOf: (caption: Caption) => readonly string[];
  readonly grown: (id: number, language: string, text: string, done: boolean) => void;
  /** None comes; without an error, because it came too late or is not needed. */
  readonly missed: (id: number, language: string, error: AppError | undefined) => void;
}

export interface Translations {
  /** One request for each of the languages, when there is room for it. */
  ask(caption: Caption, languages: readonly string[]): void;
  /** Nothing more is told of this caption. */
  drop(id: number): void;
  /** Nothing more is asked for, of what only waits, in other languages than these. */
  keepOnly(languages: readonly string[]): void;
  readonly isIdle: boolean;
  /** Resolves when nothing runs or waits. */
  settled(): Promise<void>;
}

interface Job {
  readonly caption: Caption;
  readonly language: string;
  readonly stop: AbortController;
  takeBackTimer: () => void;
}

/** Translations of captions, the oldest first, a bounded number at once and in wait. */
export const createTranslations = (deps: TranslationsDeps): Translations => {
  const { clock, translate, contextOf, grown, missed } = deps;
  let waiting: Job[] = [];
  const running = new Set<Job>();
  const settling: (() => void)[] = [];

  const isIdle = (): boolean => waiting.length === 0 && running.size === 0;

  /** Resolves with whether one came. */
  const follow = async ({ caption, language, stop }: Job): Promise<boolean> => {
    const { signal } = stop;
    const { id, speakerId, text, language: from } = caption;
    const line = { speakerId, text, language: from, context: contextOf(caption) };
    const states = translate(line, [language], signal)[Symbol.asyncIterator]();
    try {
      for (;;) {
        const { done: isOver, value } = await orAborted(states.next(), signal);
        if (isOver) return false;
        if (value.language !== language) continue;
        if (value.error) throw value.error;
        if (value.text !== '') grown(id, language, value.text, value.done);
        if (value.done) return value.text !== '';
      }
    } finally {
      const closed = Promise.resolve(states.return?.());
      closed.catch(() => {});
      // What does not end although it was aborted is not waited for.
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
      job.takeBackTimer();
      running.delete(job);
      startWhatFits();
    }
  };

  const startWhatFits = (): void => {
    while (running.size < AT_ONCE) {
      const job = waiting.shift();
      if (!job) break;
      job.takeBackTimer();
      const late = new AppError('timeout', 'a caption was translated too slowly');
      job.takeBackTimer = clock.after(LONGEST_RUN_MS, () => job.stop.abort(late));
      running.add(job);
      void run(job);
    }
    if (isIdle()) for (const settle of settling.splice(0)) settle();
  };

  /** Takes those that wait out of it. */
  const giveUp = (isGivenUp: (job: Job) => boolean, tell: boolean): void => {
    const given = waiting.filter(isGivenUp);
    waiting = waiting.filter((job) => !given.includes(job));
    for (const { takeBackTimer, caption, language } of given) {
      takeBackTimer();
      if (tell) missed(caption.id, language, undefined);
    }
    startWhatFits();
  };

  return {
    ask: (caption, languages) => {
      for (const language of languages) {
        const job: Job = {
          caption,
          language,
          stop: new AbortController(),
          takeBackTimer: clock.after(LONGEST_QUEUED_MS, () => giveUp((each) => each === job, true)),
        };
        waiting.push(job);
      }
      startWhatFits();
      const tooMany = new Set(waiting.slice(0, Math.max(0, waiting.length - MOST_WAITING)));
      if (tooMany.size > 0) giveUp((job) => tooMany.has(job), true);
    },
    drop: (id) => {
      giveUp(({ caption }) => caption.id === id, false);
      for (const { caption, stop } of running) if (caption.id === id) stop.abort();
    },
    keepOnly: (languages) => giveUp(({ language }) => !languages.includes(language), true),
    get isIdle() {
      return isIdle();
    },
    settled: async () => {
      if (isIdle()) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      settling.push(resolve);
      await promise;
    },
  };
};
