import type { Log } from '../../log.ts';
import type { Clock } from '../../async/clock.ts';
import {
  type TranscriptListener,
  createTranscriptEmitter,
  type TranscriptCounts,
  type Spoken,
} from './transcript-emitter.ts';
import type { VoicePacket } from '../../ports/voice.ts';
import {
  createRecognitionQueue,
  type RecognitionQueue,
  type RecognitionOutcome,
} from './recognition-queue.ts';
import type { FilterContext } from './hallucination-filter.ts';
import type {
  Recognised,
  Recogniser,
  Recognition,
  RecognitionHints,
} from '../../ports/recogniser.ts';
import type { Utterance } from './utterance.ts';
import {
  createEndpointer,
  type EndpointerEvent,
  type EndpointerOptions,
  type PacketCounts,
} from './endpointer.ts';

export interface SttPipelineHints extends RecognitionHints, FilterContext {}

export interface SttPipelineOptions extends Omit<EndpointerOptions, 'growEveryMs'> {
  /** A line is of no use so long after it was said. */
  readonly deadlineMs?: number;
  /** Utterances that are recognised at the same time. */
  readonly atOnce?: number;
  /** Utterances that wait for it. */
  readonly mostWaiting?: number;
}

export interface SttPipelineDeps {
  readonly recogniser: Recogniser;
  readonly clock: Clock;
  readonly listener: TranscriptListener;
  /** Asked when somebody begins to speak; an utterance does without what cannot be had. */
  readonly hints: (speakerId: string) => Promise<SttPipelineHints>;
  readonly options?: SttPipelineOptions;
  readonly log?: Pick<Log, 'warn' | 'error'>;
}

export interface SttPipelineCounts extends TranscriptCounts {
  readonly packets: PacketCounts;
  /** Utterances with speech. */
  readonly utterances: number;
  /** Utterances with too little voice for speech. */
  readonly dropped: number;
}

/** Hears what people in a room say, and has it written down. */
export interface SttPipeline extends AsyncDisposable {
  readonly packet: (packet: VoicePacket) => void;
  /** At once nothing of that member is held, sent or told any more. */
  forget(memberId: string): void;
  /** Ends what is being said, and resolves when all of it was told. */
  settled(): Promise<void>;
  readonly counts: SttPipelineCounts;
}

/** A transcript can do with what comes late; so does a service that is away for half a minute. */
const DEADLINE_MS = 45_000;
const AT_ONCE = 8;
const MOST_WAITING = 100;
/** A timer that is so late was held up, and so were packets: they are taken first, for as long as this. */
const HELD_UP_MS = 50;

const NO_HINTS: SttPipelineHints = { hotwords: [], languages: [] };

/** An utterance from its beginning until it was told. */
interface Job extends Spoken {
  readonly controller: AbortController;
  readonly recognition: Recognition;
  readonly hints: Promise<SttPipelineHints>;
}

export const createSttPipeline = ({
  recogniser,
  clock,
  listener,
  hints,
  options = {},
  log,
}: SttPipelineDeps): SttPipeline => {
  const cutter = createEndpointer({ ...options, growEveryMs: recogniser.growEveryMs });
  const finals: RecognitionQueue<Recognised> = createRecognitionQueue(clock, {
    deadlineMs: options.deadlineMs ?? DEADLINE_MS,
    atOnce: options.atOnce ?? AT_ONCE,
    mostWaiting: options.mostWaiting ?? MOST_WAITING,
  });
  const lines = createTranscriptEmitter(listener, log);
  const jobs = new Map<number, Job>();
  const counts = { utterances: 0, dropped: 0 };
  let isOver = false;
  let isPutOff = false;
  let wake: { readonly atMs: number; readonly cancel: () => void } | undefined;

  const hintsFor = async (speakerId: string): Promise<SttPipelineHints> => {
    try {
      return await hints(speakerId);
    } catch (err) {
      log?.warn({ err }, 'an utterance is recognised without hints');
      return NO_HINTS;
    }
  };

  const begin = (utterance: Utterance): Job => {
    const { id, speakerId } = utterance;
    const controller = new AbortController();
    const wanted = hintsFor(speakerId);
    const learn = async (): Promise<void> => {
      job.room = await wanted;
    };
    const job: Job = {
      controller,
      hints: wanted,
      utterance,
      room: NO_HINTS,
      shown: undefined,
      recognition: recogniser.begin({
        hints: wanted,
        signal: controller.signal,
        partial: (heard) => {
          if (!controller.signal.aborted) lines.part(job, heard);
        },
      }),
    };
    jobs.set(id, job);
    void learn();
    lines.began(speakerId);
    return job;
  };

  const end = (job: Job, utterance: Utterance): void => {
    counts.utterances += 1;
    finals.add({
      ownerId: utterance.speakerId,
      run: async (leftMs) => {
        await job.hints;
        job.controller.signal.throwIfAborted();
        return job.recognition.end(utterance, leftMs);
      },
      hindered: (error) => {
        lines.hindered(error);
        planFinals();
      },
      stop: (reason) => job.controller.abort(reason),
      tell: (outcome: RecognitionOutcome<Recognised>) => {
        jobs.delete(utterance.id);
        // What else is under way for it is not needed.
        job.controller.abort();
        if (outcome.error) lines.failed(job, outcome.error);
        else lines.whole(job, outcome.result);
      },
    });
    planFinals();
  };

  const handle = ({ kind, utterance }: EndpointerEvent): void => {
    const job = kind === 'began' ? begin(utterance) : jobs.get(utterance.id);
    if (job) job.utterance = utterance;
    switch (kind) {
      case 'began':
      case 'grew':
        job?.recognition.grow(utterance);
        break;
      case 'ended':
        if (job) end(job, utterance);
        break;
      case 'dropped':
        counts.dropped += 1;
        if (!job) break;
        jobs.delete(utterance.id);
        job.controller.abort();
        lines.takeBack(job);
        break;
    }
  };

  const follow = (events: readonly EndpointerEvent[]): void => {
    for (const event of events) handle(event);
    plan(cutter.nextTickMs);
  };
  /** Looks at all that waits: for what changes that, not for each packet. */
  const planFinals = (): void => plan(finals.nextTickMs);

  /** One timer for everybody. It may ring early, never late. */
  const plan = (atMs = Infinity): void => {
    if (isOver || isPutOff || atMs >= (wake?.atMs ?? Infinity)) return;
    wake?.cancel();
    wake = { atMs, cancel: clock.after(atMs - clock.nowMs(), ring) };
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
    finals.tick(nowMs);
    planFinals();
    follow(cutter.tick(nowMs));
  };

  const forget = (memberId: string): void => {
    cutter.forget(memberId);
    lines.forget(memberId);
    for (const [id, { utterance, controller }] of jobs) {
      if (utterance.speakerId !== memberId) continue;
      jobs.delete(id);
      controller.abort();
    }
    finals.forget(memberId);
  };

  return {
    packet: (packet) => {
      if (!isOver) follow(cutter.take(packet));
    },
    forget,
    settled: async () => {
      follow(cutter.endAll());
      await finals.idle();
    },
    [Symbol.asyncDispose]: async () => {
      isOver = true;
      wake?.cancel();
      for (const { utterance } of jobs.values()) forget(utterance.speakerId);
      cutter[Symbol.dispose]();
      finals.forgetAll();
      await finals.quiet();
    },
    get counts() {
      return { ...counts, ...lines.counts, packets: cutter.counts };
    },
  };
};
