import type { TranscriptEvent } from '../../../../src/voice/stt/transcript-emitter.ts';
import {
  createSttPipeline,
  type SttPipelineHints,
  type SttPipelineOptions,
} from '../../../../src/voice/stt/pipeline.ts';
import type {
  Recognition,
  RecognitionRequest,
  RecognitionResult,
  Utterance,
} from '../../../../src/ports/recogniser.ts';
import { createTestClock } from '../../../fakes/clock.ts';
import { createSender } from './support.ts';

/** One utterance as the recogniser sees it. */
interface Asked {
  readonly id: number;
  /** The first one for it, and the latest. */
  readonly request: RecognitionRequest;
  latest: RecognitionRequest;
  readonly grown: Utterance[];
  ended: Utterance | undefined;
  leftMs: number;
  /** Recognitions that were asked to finish it. */
  times: number;
  answer: (text: string, more?: Partial<RecognitionResult>) => void;
  fail: (error: Error) => void;
}

interface SetUp {
  readonly options?: SttPipelineOptions;
  readonly hints?: (speakerId: string) => Promise<SttPipelineHints>;
  /** Hears these at once, in place of waiting for the test. */
  readonly isPrompt?: boolean;
  /** A line for which the listener throws. */
  readonly throwsOn?: string;
}

/** A pipeline whose recogniser, listener and time are the test's. */
export const setUpPipeline = ({ options = {}, hints, isPrompt = false, throwsOn }: SetUp = {}) => {
  const time = createTestClock();
  /** How long the process has stood still: its timers are late by it. */
  const stall = { ms: 0 };
  const clock = {
    nowMs: (): number => time.nowMs() + stall.ms,
    after: time.after,
    advance: async (ms: number) => time.advance(ms),
    get waiting() {
      return time.waiting;
    },
  };
  const asked: Asked[] = [];
  const told: string[] = [];
  /** How far transcripts were said to be behind. */
  const delays: string[] = [];
  /** Whose transcripts were said to be. */
  const late: (readonly string[])[] = [];
  /** Lengths of the utterances that were lost. */
  const lost: number[] = [];
  const events: TranscriptEvent[] = [];
  const ask = (request: RecognitionRequest, { id }: Utterance): Asked => {
    const one: Asked = {
      id,
      request,
      latest: request,
      grown: [],
      ended: undefined,
      leftMs: 0,
      times: 0,
      answer: () => undefined,
      fail: () => undefined,
    };
    asked.push(one);
    return one;
  };
  const start = (request: RecognitionRequest): Recognition => {
    let isFinished = false;
    let one: Asked | undefined;
    const result = Promise.withResolvers<RecognitionResult>();
    result.promise.catch(() => undefined);
    request.signal.addEventListener('abort', () => result.reject(request.signal.reason as Error));
    const bind = (utterance: Utterance): Asked => {
      one ??= asked.find(({ id }) => id === utterance.id) ?? ask(request, utterance);
      one.latest = request;
      one.answer = (text, more) =>
        result.resolve({ text, language: 'en', confidence: 0.9, ...more });
      one.fail = (error) => result.reject(error);
      return one;
    };
    return {
      grow: (utterance) => void bind(utterance).grown.push(utterance),
      finish: async (utterance, leftMs) => {
        if (isFinished) throw new Error('asked twice');
        isFinished = true;
        const of = bind(utterance);
        of.ended = utterance;
        of.leftMs = leftMs;
        of.times += 1;
        if (isPrompt) of.answer(`line ${utterance.id} of ${utterance.speakerId}`);
        return result.promise;
      },
    };
  };
  const pipeline = createSttPipeline({
    recogniser: { growEveryMs: 200, start },
    clock,
    listener: {
      speechBegan: (speakerId) => void told.push(`${speakerId} began`),
      transcript: (event) => {
        if (event.text === throwsOn) throw new Error('the listener is broken');
        events.push(event);
        told.push(`${event.speakerId}${event.isFinal ? '' : '…'}: ${event.text}`);
      },
      withheld: ({ speakerId }, refusal) => void told.push(`${speakerId} withheld: ${refusal}`),
      lost: ({ startMs, endMs }) => void lost.push(endMs - startMs),
      trouble: (error) => void told.push(error ? `trouble: ${error.code}` : 'no trouble'),
      behind: (delayMs, speakerIds) => {
        delays.push(delayMs === undefined ? 'none' : `${Math.round(delayMs / 1_000)} s`);
        late.push(speakerIds);
      },
    },
    hints: hints ?? (async () => ({ hotwords: ['Dragoman'], languages: ['en'] })),
    options,
  });
  const sender = (speakerId: string) => {
    const from = createSender(speakerId, clock.nowMs());
    return {
      /** Says something as time passes, and falls silent for so long that it is over. */
      say: async (voicePackets: number, isOver = true) => {
        for (const packet of from.say('voice', voicePackets)) {
          pipeline.packet(packet);
          await clock.advance(20);
        }
        if (!isOver) return;
        await clock.advance(600);
        from.pause(600);
      },
      /** Says it at once, without a moment passing. */
      burst: (voicePackets: number) => {
        for (const packet of from.say('voice', voicePackets))
          pipeline.packet({ ...packet, arrivedMs: clock.nowMs() });
      },
    };
  };
  return { clock, stall, asked, told, delays, late, lost, events, pipeline, sender };
};
