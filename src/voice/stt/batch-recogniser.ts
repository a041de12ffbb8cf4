import type { CallOptions } from '../../api/caller.ts';
import type { ServiceClient } from '../../api/client.ts';
import { assertSayable } from '../../speech/hallucinations.ts';
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
  /**
   * Speech that is added between two recognitions of a growing utterance, or a quarter of the
   * utterance where that is more: 15 s are sent 7 times with 2.6 times their audio in all; no
   * length needs more than 4 times. 0: only whole utterances are sent. Default 1,200.
   */
  readonly partialEveryMs?: number;
}

const PARTIAL_EVERY_MS = 1_200;
const PARTIAL_EVERY_SHARE = 0.25;
/** Checks per partial, since a request may still be under way when the next one is due. */
const CHECKS_PER_PARTIAL = 4;
const PARTIAL_DEADLINE_MS = 4_000;

/** Recognises a whole utterance by one request, and parts of it, one at a time, while it grows. */
const startRecognition = (
  client: TranscriptionClient,
  request: RecognitionRequest,
  { space, partialEveryMs = PARTIAL_EVERY_MS }: BatchRecogniserOptions,
): Recognition => {
  const agreement = createLocalAgreement();
  let running: AbortController | undefined;
  let sentMs = 0;
  let certain = '';
  /** True once the utterance has ended or a part has failed: no further parts are sent. */
  let hasNoParts = false;

  const transcribe = async (
    utterance: Utterance,
    options: Pick<CallOptions, 'signal' | 'deadlineMs' | 'hasFallback'>,
  ): Promise<RecognitionResult> => {
    const { hotwords, language } = await request.hints;
    options.signal.throwIfAborted();
    const { audio } = utteranceFile(utterance);
    const result = await client.transcribe(
      audio,
      {
        ...(language ? { language } : {}),
        ...(hotwords.length > 0 ? { hotwords: [...hotwords] } : {}),
      },
      { lane: 'live', space, audioMs: utterance.spanMs, ...options },
    );
    assertSayable(result.text, utterance.spanMs);
    return result;
  };

  const recognisePart = async (utterance: Utterance): Promise<void> => {
    const part = new AbortController();
    running = part;
    try {
      const result = await transcribe(utterance, {
        signal: AbortSignal.any([part.signal, request.signal]),
        deadlineMs: PARTIAL_DEADLINE_MS,
        hasFallback: true,
      });
      if (hasNoParts || request.signal.aborted) return;
      const agreed = agreement.add(result.text.trim());
      if (agreed === certain) return;
      certain = agreed;
      request.partial({ ...result, text: certain });
    } catch {
      // The whole utterance is still to be sent, and reports the fault.
      hasNoParts = true;
    } finally {
      running = undefined;
    }
  };

  return {
    grow: (utterance) => {
      const dueMs = Math.max(partialEveryMs, utterance.spanMs * PARTIAL_EVERY_SHARE);
      const isDue = utterance.spanMs - sentMs >= dueMs;
      if (partialEveryMs === 0 || hasNoParts || running || !isDue) return;
      sentMs = utterance.spanMs;
      void recognisePart(utterance);
    },
    finish: async (utterance, deadlineMs) => {
      hasNoParts = true;
      running?.abort();
      return transcribe(utterance, { signal: request.signal, deadlineMs });
    },
  };
};

/** Recognises speech by requests that hold whole files. */
export const createBatchRecogniser = (
  client: TranscriptionClient,
  options: BatchRecogniserOptions,
): Recogniser => ({
  growEveryMs: (options.partialEveryMs ?? PARTIAL_EVERY_MS) / CHECKS_PER_PARTIAL,
  start: (request) => startRecognition(client, request, options),
});
