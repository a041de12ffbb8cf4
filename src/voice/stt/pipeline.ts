import type { Clock } from '../../async/clock.ts';
import type { Log } from '../../telemetry/log.ts';
import type {
  Recogniser,
  Recognition,
  RecognitionHints,
  RecognitionRequest,
  RecognitionResult,
  Utterance,
} from '../../ports/recogniser.ts';
import type { VoicePacket } from '../../ports/voice.ts';
import { createEndpointer, type EndpointerOptions } from './endpointer.ts';
import { NO_SPEECH } from './gated-recogniser.ts';
import type { FilterContext } from './hallucination-filter.ts';
import { THRESHOLDS } from './invented-text.ts';
import {
  createRecognitionQueue,
  type RecognitionQueueOptions,
  type RecognitionTask,
} from './recognition-queue.ts';
import { joinUtterances } from './utterance.ts';
import type { EndpointerEvent } from './speaker-endpointer.ts';
import {
  createTranscriptEmitter,
  type EmittedUtterance,
  type TranscriptListener,
} from './transcript-emitter.ts';

/** Words and languages that a speaker may say; `language` is the one that they have chosen. */
export type SttPipelineHints = FilterContext;

export interface SttPipelineOptions
  extends Omit<EndpointerOptions, 'growEveryMs'>, Partial<RecognitionQueueOptions> {}

export interface SttPipelineDeps {
  readonly recogniser: Recogniser;
  readonly clock: Clock;
  readonly listener: TranscriptListener;
  /** Looks up hints, once for each utterance; a rejection means that there are none. */
  readonly hints: (speakerId: string) => Promise<SttPipelineHints>;
  readonly options?: SttPipelineOptions;
  readonly log?: Pick<Log, 'warn' | 'error'>;
}

/** Default of the queue, by whose deadline the service may be away for half a minute. */
const QUEUE: RecognitionQueueOptions = { deadlineMs: 45_000, atOnce: 8, mostWaiting: 100 };
/** Longest sound of utterances that are joined while they wait. */
const LONGEST_JOINED_MS = 20_000;
/**
 * Delay of the oldest utterance from which captions are behind, and below which they no longer are. A
 * busy machine has 6 s now and then, for 2 s.
 */
const BEHIND_MS = 8_000;
const CAUGHT_UP_MS = 3_000;
/** Growth of the delay that is reported. */
const BEHIND_STEP_MS = 10_000;
/** Lateness of a timer after which held up packets are taken first, for as long again. */
const HELD_UP_MS = 50;

/** Voice from which hotwords are sent: for less a recogniser repeats them where there are none. */
const HOTWORDS_FROM_MS = 800;
/** Longest recognition of an utterance in another language, after which the first one counts. */
const OTHER_LANGUAGE_MS = 5_000;

const NO_HINTS: SttPipelineHints = { hotwords: [], languages: [] };

/** Listeners of a further recognition of the same utterance: only its result is used. */
const RESULT_ONLY = { partial: () => undefined, final: () => undefined };

/** An utterance from its beginning until its transcript is final. */
interface Job extends EmittedUtterance {
  readonly controller: AbortController;
  readonly hints: Promise<SttPipelineHints>;
  /** Recognition of the growing utterance; undefined once it finishes. */
  growing: { readonly recognition: Recognition; readonly stop: AbortController } | undefined;
}

/** Whole utterances of one person that are recognised as one. */
interface Turn extends RecognitionTask<RecognitionResult> {
  readonly jobs: readonly [Job, ...Job[]];
  readonly utterance: Utterance;
}

export type SttPipeline = ReturnType<typeof createSttPipeline>;

/** Turns the packets of a room into transcripts. */
export const createSttPipeline = ({
  recogniser,
  clock,
  listener,
  hints,
  options = {},
  log,
}: SttPipelineDeps) => {
  const endpointer = createEndpointer({ ...options, growEveryMs: recogniser.growEveryMs });
  const queue = createRecognitionQueue<RecognitionResult, Turn>(clock, {
    ...QUEUE,
    ...options,
    isAnswer: (result) => result !== NO_SPEECH,
    join: (first, next) =>
      first.lengthMs + next.lengthMs <= LONGEST_JOINED_MS
        ? turnOf([...first.jobs, ...next.jobs], joinUtterances(first.utterance, next.utterance))
        : undefined,
  });
  const emitter = createTranscriptEmitter(listener, log);
  const jobs = new Map<number, Job>();
  /** Utterances with speech, and those with too little voice for it. */
  const counts = { utterances: 0, dropped: 0 };
  let isOver = false;
  let isPutOff = false;
  let behindMs: number | undefined;
  let wake: { readonly atMs: number; readonly cancel: () => void } | undefined;

  const hintsFor = async (speakerId: string): Promise<SttPipelineHints> => {
    try {
      return await hints(speakerId);
    } catch (err) {
      log?.warn({ err }, 'an utterance is recognised without hints');
      return NO_HINTS;
    }
  };

  /** The hints for so much voice of an utterance; a language is heard surely in a sentence. */
  const hintsOf = async (
    { hints: given, utterance: { speakerId } }: Job,
    voiceMs: number,
  ): Promise<RecognitionHints> => {
    const context = await given;
    const { hotwords, language } = context;
    return {
      hotwords: voiceMs < HOTWORDS_FROM_MS ? [] : hotwords,
      language: voiceMs < THRESHOLDS.foreignMs ? emitter.chosenBy(speakerId, language) : undefined,
      expected: emitter.expectedOf(speakerId, context),
    };
  };

  /** @param language the one to recognise; default: the one that the hints expect */
  const recognise = (
    job: Job,
    receive: Pick<RecognitionRequest, 'partial' | 'final'>,
    stop: AbortSignal,
    language?: string,
  ): Recognition =>
    recogniser.start({
      hints: async (voiceMs) => {
        const expected = await hintsOf(job, voiceMs);
        return { ...expected, language: language ?? expected.language };
      },
      signal: AbortSignal.any([job.controller.signal, stop]),
      ...receive,
    });

  /** Makes one attempt at a whole utterance: no recognition is ever asked to finish twice. */
  const attempt = async (
    { jobs: [job, ...others], utterance }: Pick<Turn, 'jobs' | 'utterance'>,
    leftMs: number,
    signal: AbortSignal,
    underWay: (isSent: boolean) => void,
  ): Promise<RecognitionResult> => {
    const endsAtMs = clock.nowMs() + leftMs;
    await job.hints;
    job.controller.signal.throwIfAborted();
    const growing = others.length === 0 ? job.growing : undefined;
    for (const { growing: part } of others.length === 0 ? [] : [job, ...others]) part?.stop.abort();
    for (const each of [job, ...others]) each.growing = undefined;
    if (growing) signal.addEventListener('abort', () => growing.stop.abort());
    const recognition = growing?.recognition ?? recognise(job, RESULT_ONLY, signal);
    const result = await recognition.finish(utterance, leftMs, underWay);
    const language = emitter.otherLanguage({ ...job, utterance }, result);
    const isInTime = endsAtMs - clock.nowMs() >= 2 * OTHER_LANGUAGE_MS;
    if (language === undefined || !isInTime) return result;
    const again = recognise(job, RESULT_ONLY, signal, language);
    const second = await again.finish(utterance, OTHER_LANGUAGE_MS).catch(() => result);
    return emitter.surest({ ...job, utterance }, result, second);
  };

  /** Sets the one timer for all speakers. It may fire early, never late. */
  const plan = (atMs = Infinity): void => {
    if (isOver || isPutOff || atMs >= (wake?.atMs ?? Infinity)) return;
    wake?.cancel();
    wake = { atMs, cancel: clock.after(atMs - clock.nowMs(), ring) };
  };
  /** Delay of the oldest utterance at which captions are reported to be behind, or further behind. */
  const nextReportMs = (): number =>
    behindMs === undefined ? BEHIND_MS : behindMs + BEHIND_STEP_MS;

  /** Plans the next tick; it looks at all tasks, so not for each packet. */
  const planQueue = (): void => {
    plan(queue.nextTickMs);
    if (queue.oldestMs !== undefined) plan(queue.oldestMs + nextReportMs());
  };

  /** Reports how far captions are behind: when that begins, grows and ends. */
  const followDelay = (): void => {
    const nowMs = clock.nowMs();
    const delayMs = nowMs - (queue.oldestMs ?? nowMs);
    if (delayMs >= nextReportMs()) {
      behindMs = delayMs;
      emitter.behind(delayMs, queue.ownersSince(nowMs - CAUGHT_UP_MS));
    } else if (behindMs !== undefined && delayMs < CAUGHT_UP_MS) {
      behindMs = undefined;
      emitter.behind(undefined, []);
    }
  };

  const turnOf = (own: Turn['jobs'], utterance: Utterance): Turn => ({
    jobs: own,
    utterance,
    ownerId: utterance.speakerId,
    lengthMs: utterance.spanMs,
    attempt: (leftMs, signal, underWay) =>
      attempt({ jobs: own, utterance }, leftMs, signal, (isSent) => {
        underWay(isSent);
        planQueue();
      }),
    delayed: (error) => {
      emitter.delayed(error);
      planQueue();
    },
    stop: (reason) => {
      for (const { controller } of own) controller.abort(reason);
    },
    done: (outcome) => {
      for (const job of own) {
        jobs.delete(job.utterance.id);
        // Other attempts under way are no longer needed.
        job.controller.abort();
      }
      const [first, ...others] = own;
      if (outcome.error) for (const job of own) emitter.failed(job, outcome.error);
      else {
        first.utterance = utterance;
        first.next = own.at(-1)?.next;
        emitter.final(first, outcome.result);
        for (const job of others) emitter.retract(job);
      }
      followDelay();
    },
  });

  const end = (job: Job, utterance: Utterance, known?: RecognitionResult): void => {
    job.utterance = utterance;
    counts.utterances += 1;
    queue.add(turnOf([job], utterance), known);
    planQueue();
  };

  /** Ends an utterance whose end the recogniser found before the endpointer did. */
  const endThrough = (job: Job, result: RecognitionResult, sequence: number): void => {
    if (isOver || job.controller.signal.aborted) return;
    job.growing = undefined;
    const [ended, ...rest] = endpointer.endThrough(job.utterance, sequence);
    if (ended) end(job, ended.utterance, result);
    follow(rest);
  };

  const begin = (utterance: Utterance): Job => {
    const { id, speakerId } = utterance;
    const job: Job = {
      controller: new AbortController(),
      hints: hintsFor(speakerId),
      utterance,
      context: NO_HINTS,
      shown: undefined,
      growing: undefined,
    };
    const before = utterance.isContinued
      ? [...jobs.values()].findLast((each) => each.utterance.speakerId === speakerId)
      : undefined;
    if (before) before.next = job;
    const learn = async (): Promise<void> => {
      job.context = await job.hints;
    };
    jobs.set(id, job);
    const stop = new AbortController();
    const recognition = recognise(
      job,
      {
        partial: (result) => {
          if (!job.controller.signal.aborted) emitter.partial(job, result);
        },
        final: (result, throughSequence) => endThrough(job, result, throughSequence),
      },
      stop.signal,
    );
    job.growing = { recognition, stop };
    void learn();
    emitter.speechBegan(speakerId);
    return job;
  };

  const handle = ({ kind, utterance }: EndpointerEvent): void => {
    const job = kind === 'began' ? begin(utterance) : jobs.get(utterance.id);
    if (job) job.utterance = utterance;
    switch (kind) {
      case 'began':
      case 'grew':
        job?.growing?.recognition.grow(utterance);
        break;
      case 'ended':
        if (job) end(job, utterance);
        break;
      case 'dropped':
        counts.dropped += 1;
        if (!job) break;
        jobs.delete(utterance.id);
        job.controller.abort();
        emitter.retract(job);
        break;
    }
  };

  const follow = (events: readonly EndpointerEvent[]): void => {
    for (const event of events) handle(event);
    plan(endpointer.nextTickMs);
  };

  const ring = (): void => {
    const nowMs = clock.nowMs();
    const isHeldUp = wake !== undefined && nowMs - wake.atMs > HELD_UP_MS;
    wake = undefined;
    if (isHeldUp && !isPutOff) {
      isPutOff = true;
      wake = { atMs: nowMs + HELD_UP_MS, cancel: clock.after(HELD_UP_MS, ring) };
      return;
    }
    isPutOff = false;
    queue.tick(nowMs);
    followDelay();
    planQueue();
    follow(endpointer.tick(nowMs));
  };

  const forget = (memberId: string): void => {
    endpointer.forget(memberId);
    emitter.forget(memberId);
    for (const [id, { utterance, controller }] of jobs) {
      if (utterance.speakerId !== memberId) continue;
      jobs.delete(id);
      controller.abort();
    }
    queue.forget(memberId);
    if (!isOver) followDelay();
  };

  return {
    packet: (packet: VoicePacket): void => {
      if (!isOver) follow(endpointer.take(packet));
    },
    /** Drops all data of a member: nothing more of it is kept, sent or emitted. */
    forget,
    /** Ends all open utterances, and resolves when all transcripts were emitted. */
    settled: async (): Promise<void> => {
      follow(endpointer.endAll());
      await queue.idle();
    },
    [Symbol.asyncDispose]: async () => {
      isOver = true;
      wake?.cancel();
      // What was recognised before a cut is shown, whatever becomes of the rest.
      for (const job of jobs.values()) if (job.begun) emitter.retract(job);
      for (const { utterance } of jobs.values()) forget(utterance.speakerId);
      endpointer[Symbol.dispose]();
      queue.forgetAll();
      await queue.stopped();
    },
    get counts() {
      return { ...counts, ...emitter.counts, packets: endpointer.counts };
    },
  };
};
