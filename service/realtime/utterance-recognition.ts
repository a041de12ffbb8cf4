import type { AsrPlainReply } from '../../src/api/contract.ts';
import { plainReply } from '../recognise.ts';
import { createLocalAgreement } from '../../src/text/local-agreement.ts';
import { FRAME_MS } from '../../src/audio/vad.ts';
import { toAppError } from '../../src/errors.ts';
import type { EngineHints } from '../engine.ts';
import { withFailOver } from '../fail-over.ts';
import type { Offer } from '../engine-loader.ts';
import type { KeyAccount } from '../keys/account.ts';
import type { Log } from '../../src/telemetry/log.ts';
import type { Use } from '../keys/prices.ts';
import { samplesOf, type SpeechSegment } from './speech-segmenter.ts';

/** Audio that is added between two recognitions of a growing utterance, at least. */
const PARTIAL_EVERY_MS = 400;
/** The same as a share of the utterance, so that a long one costs at most 5 times its length. */
const PARTIAL_EVERY_SHARE = 0.25;
/** Attempts at a final whose engines are all busy. */
const ATTEMPTS = 3;

export interface UtteranceRecognitionDeps {
  readonly account: KeyAccount;
  /** Engines, best first, at least one; the next one is asked when one fails. */
  readonly offers: readonly Offer<'recognition'>[];
  readonly hints: EngineHints;
  readonly wait: (ms: number) => Promise<void>;
  readonly log: Pick<Log, 'warn' | 'debug'>;
}

interface Recognised {
  readonly engine: string;
  readonly reply: AsrPlainReply;
}

/** Recognises one utterance over any engine for whole audio. */
export const createUtteranceRecognition = (
  segment: SpeechSegment,
  { account, offers, hints, wait, log }: UtteranceRecognitionDeps,
) => {
  const agreement = createLocalAgreement();
  let running: AbortController | undefined;
  let recognisedMs = 0;
  let certain = '';
  /** Price of the utterance if the last partial result stays its last; undefined before any. */
  let shown: Use | undefined;
  let isCharged = false;

  const charge = (use: Use): void => {
    if (!isCharged) account.charge(use);
    isCharged = true;
  };

  /** A partial result takes only what an engine has left; a final waits for the last engine's rate. */
  const longestWaitMs = (isFinal: boolean, offer: Offer<'recognition'>): number | undefined => {
    if (!isFinal) return 0;
    return offer === offers.at(-1) ? Infinity : undefined;
  };

  const recogniseBy = async (
    offer: Offer<'recognition'>,
    signal: AbortSignal,
    isFinal: boolean,
  ): Promise<Recognised> => {
    const { name, engine, limiter } = offer;
    using _ = await limiter.acquire(signal, account.name, longestWaitMs(isFinal, offer));
    const heard = await engine.recognise(samplesOf(segment), hints, signal);
    const { startMs, endMs } = segment;
    return { engine: name, reply: plainReply([{ startMs, endMs, heard }], hints) };
  };

  const recognise = async (signal: AbortSignal, isFinal: boolean): Promise<Recognised> =>
    withFailOver(offers, async (offer, either) => recogniseBy(offer, either, isFinal), {
      ability: 'recognition',
      log,
      isQuiet: !isFinal,
      signal,
      patienceMs: Infinity,
    });

  return {
    /**
     * Recognises what is there so far, if enough is new and no recognition runs.
     *
     * @returns text that two recognitions agree on and that only grows; undefined: nothing new
     */
    partial: async (signal: AbortSignal): Promise<AsrPlainReply | undefined> => {
      const lengthMs = segment.frames.length * FRAME_MS;
      const dueMs = Math.max(PARTIAL_EVERY_MS, lengthMs * PARTIAL_EVERY_SHARE);
      if (running || lengthMs - recognisedMs < dueMs) return undefined;
      recognisedMs = lengthMs;
      const mine = new AbortController();
      running = mine;
      try {
        const either = AbortSignal.any([signal, mine.signal]);
        const { engine, reply: result } = await recognise(either, false);
        if (mine.signal.aborted) return undefined;
        const agreed = agreement.add(result.text.trim());
        if (agreed === certain) return undefined;
        certain = agreed;
        shown = { ability: 'recognition', engine, amount: lengthMs };
        return { ...result, text: certain };
      } catch {
        // The whole utterance is still to be recognised, and reports the fault.
        return undefined;
      } finally {
        if (running === mine) running = undefined;
      }
    },
    /** Recognises the whole utterance; partial results end here. */
    final: async (signal: AbortSignal): Promise<AsrPlainReply> => {
      running?.abort();
      for (let attempt = 1; ; attempt += 1) {
        try {
          const { engine, reply } = await recognise(signal, true);
          const lengthMs = segment.frames.length * FRAME_MS;
          charge({ ability: 'recognition', engine, amount: lengthMs });
          return reply;
        } catch (thrown) {
          signal.throwIfAborted();
          const { code, retryAfterMs = 1_000 } = toAppError(thrown);
          if (code !== 'rate-limited' || attempt === ATTEMPTS) throw thrown;
          await wait(retryAfterMs);
        }
      }
    },
    /** Charges what partial results have shown, when the client leaves before the final. */
    chargeShown: (): void => {
      if (shown) charge(shown);
    },
  };
};
