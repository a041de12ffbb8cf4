import type { TranscriptEvent } from '../../../../src/voice/stt/transcript-emitter.ts';
import {
  createSttPipeline,
  type SttPipelineHints,
  type SttPipelineOptions,
} from '../../../../src/voice/stt/pipeline.ts';
import type { Recognised, RecognitionRequest } from '../../../../src/ports/recogniser.ts';
import type { Utterance } from '../../../../src/voice/stt/utterance.ts';
import { createTestClock } from '../../../fakes/clock.ts';
import { createSender } from './support.ts';

/** One utterance as the recogniser sees it. */
interface Asked {
  readonly request: RecognitionRequest;
  readonly grown: Utterance[];
  ended: Utterance | undefined;
  leftMs: number;
  /** How often it was asked for all of it. */
  times: number;
  answer(text: string, more?: Partial<Recognised>): void;
  fail(error: Error): void;
}

interface SetUp {
  readonly options?: SttPipelineOptions;
  readonly hints?: (speakerId: string) => Promise<SttPipelineHints>;
  /** Hears these at once, in place of waiting for the test. */
  readonly isPrompt?: boolean;
  /** A line for which the listener throws. */
  readonly throwsOn?: string;
}

/** An ear whose recogniser, listener and time are the test's. */
export const setUpEar = ({ options = {}, hints, isPrompt = false, throwsOn }: SetUp = {}) => {
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
  const lines: TranscriptEvent[] = [];
  const ear = createSttPipeline({
    recogniser: {
      growEveryMs: 200,
      begin: (request) => {
        const begin = () => {
          const result = Promise.withResolvers<Recognised>();
          result.promise.catch(() => undefined);
          return result;
        };
        let result = begin();
        const fail = (error: Error): void => result.reject(error);
        request.signal.addEventListener('abort', () => fail(request.signal.reason as Error));
        const one: Asked = {
          request,
          grown: [],
          ended: undefined,
          leftMs: 0,
          times: 0,
          answer: (text, more) =>
            result.resolve({ text, language: 'en', confidence: 0.9, ...more }),
          fail,
        };
        asked.push(one);
        return {
          grow: (utterance) => void one.grown.push(utterance),
          end: async (utterance, leftMs) => {
            one.ended = utterance;
            one.leftMs = leftMs;
            one.times += 1;
            if (one.times > 1) result = begin();
            if (isPrompt) one.answer(`line ${utterance.id} of ${utterance.speakerId}`);
            return result.promise;
          },
        };
      },
    },
    clock,
    listener: {
      began: (speakerId) => void told.push(`${speakerId} began`),
      heard: (line) => {
        if (line.text === throwsOn) throw new Error('the listener is broken');
        lines.push(line);
        told.push(`${line.speakerId}${line.isFinal ? '' : '…'}: ${line.text}`);
      },
      trouble: (error) => void told.push(error ? `trouble: ${error.code}` : 'no trouble'),
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
          ear.packet(packet);
          await clock.advance(20);
        }
        if (!isOver) return;
        await clock.advance(600);
        from.pause(600);
      },
      /** Says it at once, without a moment passing. */
      burst: (voicePackets: number) => {
        for (const packet of from.say('voice', voicePackets))
          ear.packet({ ...packet, arrivedMs: clock.nowMs() });
      },
    };
  };
  return { clock, stall, asked, told, lines, ear, sender };
};
