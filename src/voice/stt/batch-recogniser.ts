import type { CallOptions } from '../../api/caller.ts';
import type { ServiceClient } from '../../api/client.ts';
import type { Clock } from '../../async/clock.ts';
import type { Space } from '../../model/place.ts';
import type {
  Recogniser,
  Recognition,
  RecognitionRequest,
  RecognitionResult,
  Utterance,
} from '../../ports/recogniser.ts';
import { createLocalAgreement } from '../../text/local-agreement.ts';
import { utteranceFile } from './utterance.ts';

type TranscriptionClient = Pick<ServiceClient, 'transcribe'>;

export interface BatchRecogniserOptions {
  /** The space whose room it is. */
  readonly space: Space;
  readonly clock: Pick<Clock, 'nowMs'>;
  /**
   * Speech that is added between two recognitions of a growing utterance, or a quarter of the
   * utterance where that is more: 15 s are sent 7 times with 2.6 times their audio in all; no
   * length needs more than 4 times. 0: only whole utterances are sent. Default 1,200.
   */
  readonly partialEveryMs?: number;
}

const PARTIAL_EVERY_MS = 1_200;
const PARTIAL_EVERY_SHARE = 0.25;
/** Speech between two parts, as a multiple of what the last one took: the recogniser is free for half of the time. */
const PARTIAL_EVERY_TIMES = 2;
/** Checks per partial, since a request may still be under way when the next one is due. */
const CHECKS_PER_PARTIAL = 4;
const PARTIAL_DEADLINE_MS = 4_000;

/** The requests of a room: whole utterances come first, and one part at a time. */
interface RoomRequests {
  wholes: number;
  part: AbortController | undefined;
  /** Time that the last part took. */
  partTookMs: number;
}

/** A part of an utterance that was sent; its answer is undefined where there was none. */
interface SentPart {
  readonly utterance: Utterance;
  readonly answer: Promise<RecognitionResult | undefined>;
  readonly stop: AbortController;
}

/** True when a part begins the utterance, with all of its voice. */
const holdsVoiceOf = (part: Utterance, whole: Utterance): boolean =>
  part.voiceMs === whole.voiceMs &&
  part.packets.every(({ sequence }, index) => whole.packets[index]?.sequence === sequence);

/** Recognises a whole utterance by one request, and parts of it, one at a time, while it grows. */
const startRecognition = (
  client: TranscriptionClient,
  request: RecognitionRequest,
  room: RoomRequests,
  { space, clock, partialEveryMs = PARTIAL_EVERY_MS }: BatchRecogniserOptions,
): Recognition => {
  const agreement = createLocalAgreement();
  let part: SentPart | undefined;
  let sentMs = 0;
  let voiceMs = 0;
  let certain = '';
  /** True once the utterance has ended or a part has failed: no further parts are sent. */
  let hasNoParts = false;
  let hasEnded = false;

  const transcribe = async (
    utterance: Utterance,
    options: Pick<CallOptions, 'signal' | 'deadlineMs' | 'hasFallback' | 'underWay'>,
  ): Promise<RecognitionResult> => {
    const { hotwords, language } = await request.hints(utterance.voiceMs);
    options.signal.throwIfAborted();
    const { audio } = utteranceFile(utterance);
    return client.transcribe(
      audio,
      {
        ...(language ? { language } : {}),
        ...(hotwords.length > 0 ? { hotwords: [...hotwords] } : {}),
        words: true,
      },
      { lane: 'live', space, audioMs: utterance.spanMs, ...options },
    );
  };

  const show = (result: RecognitionResult): void => {
    const agreed = agreement.add(result.text.trim());
    if (hasEnded || agreed === certain) return;
    certain = agreed;
    request.partial({ ...result, text: certain });
  };

  const recognisePart = async (
    utterance: Utterance,
    stop: AbortController,
  ): Promise<RecognitionResult | undefined> => {
    const startedMs = clock.nowMs();
    room.part = stop;
    try {
      const result = await transcribe(utterance, {
        signal: AbortSignal.any([stop.signal, request.signal]),
        deadlineMs: PARTIAL_DEADLINE_MS,
        hasFallback: true,
      });
      if (request.signal.aborted) return undefined;
      show(result);
      return result;
    } catch {
      // The whole utterance is still to be sent, and reports the fault; a part that was given up has none.
      hasNoParts ||= !stop.signal.aborted;
      return undefined;
    } finally {
      room.partTookMs = clock.nowMs() - startedMs;
      if (room.part === stop) room.part = undefined;
    }
  };

  const isDue = ({ spanMs }: Utterance): boolean => {
    const takenMs = PARTIAL_EVERY_TIMES * room.partTookMs;
    return spanMs - sentMs >= Math.max(partialEveryMs, spanMs * PARTIAL_EVERY_SHARE, takenMs);
  };

  return {
    grow: (utterance) => {
      const hasPaused = utterance.voiceMs === voiceMs;
      ({ voiceMs } = utterance);
      const isBusy = room.part !== undefined || room.wholes > 0;
      if (partialEveryMs === 0 || hasNoParts || isBusy || hasPaused || !isDue(utterance)) return;
      sentMs = utterance.spanMs;
      const stop = new AbortController();
      part = { utterance, stop, answer: recognisePart(utterance, stop) };
    },
    finish: async (utterance, deadlineMs, underWay = () => {}) => {
      hasNoParts = true;
      hasEnded = true;
      room.wholes += 1;
      try {
        // A part with all of the voice is the whole, which nobody gives up.
        if (part && holdsVoiceOf(part.utterance, utterance)) {
          if (room.part === part.stop) room.part = undefined;
          const whole = await part.answer;
          if (whole) return whole;
        }
        room.part?.abort();
        return await transcribe(utterance, { signal: request.signal, deadlineMs, underWay });
      } finally {
        room.wholes -= 1;
      }
    },
  };
};

/** Recognises speech by requests that hold whole files. */
export const createBatchRecogniser = (
  client: TranscriptionClient,
  options: BatchRecogniserOptions,
): Recogniser => {
  const room: RoomRequests = { wholes: 0, part: undefined, partTookMs: 0 };
  return {
    growEveryMs: (options.partialEveryMs ?? PARTIAL_EVERY_MS) / CHECKS_PER_PARTIAL,
    start: (request) => startRecognition(client, request, room, options),
  };
};
