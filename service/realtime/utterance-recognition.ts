import type { AsrPlainReply } from '../../src/api/contract.ts';
import { plainReply } from '../recognise.ts';
import { createLocalAgreement } from '../../src/text/local-agreement.ts';
import { FRAME_MS } from '../../src/audio/vad.ts';
import { toAppError } from '../../src/errors.ts';
import type { EngineHints } from '../engine.ts';
import { withFailOver } from '../fail-over.ts';
import { engineNamesOf, type Offer } from '../engine-loader.ts';
import type { KeyAccount } from '../keys/account.ts';
import type { Log } from '../../src/telemetry/log.ts';
import type { Use } from '../keys/prices.ts';
import { samplesOf, type SpeechSegment, voiceFrames } from './speech-segmenter.ts';
import { type Clock, sleep } from '../../src/async/clock.ts';

/** Audio that is added between two recognitions of a growing utterance, at least. */
const PARTIAL_EVERY_MS = 400;
/** The same as a share of the utterance, so that a long one costs at most 5 times its length. */
const PARTIAL_EVERY_SHARE = 0.25;
/** The same as a multiple of the time that the last one took: the engine is free for half of the time. */
const PARTIAL_EVERY_TIMES = 2;
/** Silence after which the utterance has probably ended. */
const PAUSE_FRAMES = 200 / FRAME_MS;
/** Attempts at a final whose engines are all busy. */
const ATTEMPTS = 3;

export interface UtteranceRecognitionDeps {
  readonly account: KeyAccount;
  /** Engines, best first, at least one; the next one is asked when one fails. */
  readonly offers: readonly Offer<'recognition'>[];
  readonly hints: EngineHints;
  readonly clock: Clock;
  /** Measured over the utterances of a session. */
  readonly timing: {
    /** Time that the last recognition of a growing utterance took. */
    partialTookMs: number;
  };
  readonly log: Pick<Log, 'warn' | 'debug'>;
}

interface Recognised {
  readonly engine: string;
  readonly reply: AsrPlainReply;
}

/** Recognises one utterance over any engine for whole audio. */
export const createUtteranceRecognition = (
  segment: SpeechSegment,
  { account, offers, hints, clock, timing, log }: UtteranceRecognitionDeps,
) => {
  const agreement = createLocalAgreement();
  let running: AbortController | undefined;
  let partial: { readonly voiceFrames: number; readonly answer: Promise<Recognised> } | undefined;
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
  const turnOf = async (
    { limiter }: Offer<'recognition'>,
    signal: AbortSignal,
    isFinal: boolean,
    isLast: boolean,
  ): Promise<Disposable> =>
    isFinal
      ? limiter.acquire(signal, account.name, isLast ? Infinity : undefined)
      : limiter.acquireSpare(signal, account.name);

  const recogniseBy = async (
    offer: Offer<'recognition'>,
    whole: SpeechSegment,
    signal: AbortSignal,
    isFinal: boolean,
  ): Promise<Recognised> => {
    const { name, engine } = offer;
    using _ = await turnOf(offer, signal, isFinal, offer === offers.at(-1));
    const heard = await engine.recognise(samplesOf(whole), hints, signal);
    const { startMs, endMs } = whole;
    return { engine: name, reply: plainReply([{ startMs, endMs, heard }], hints) };
  };

  const recognise = async (
    whole: SpeechSegment,
    signal: AbortSignal,
    isFinal: boolean,
  ): Promise<Recognised> =>
    withFailOver(offers, async (offer, either) => recogniseBy(offer, whole, either, isFinal), {
      ability: 'recognition',
      log,
      isQuiet: !isFinal,
      signal,
      isPatient: true,
    });

  /** Recognises what there is so far, with the time that it took. */
  const recogniseSoFar = async (signal: AbortSignal): Promise<Recognised> => {
    const startedMs = clock.nowMs();
    try {
      return await recognise({ ...segment, frames: [...segment.frames] }, signal, false);
    } finally {
      timing.partialTookMs = clock.nowMs() - startedMs;
    }
  };

  /** The answer to a part with all of the voice, which is that to the whole; undefined where there is none. */
  const partWithAll = async (): Promise<Recognised | undefined> =>
    partial?.voiceFrames === voiceFrames(segment)
      ? partial.answer.catch(() => undefined)
      : undefined;

  return {
    /**
     * Recognises what is there so far, if enough is new, the voice goes on, and no recognition runs.
     *
     * @returns text that two recognitions agree on and that only grows; undefined: nothing new
     */
    partial: async (signal: AbortSignal): Promise<AsrPlainReply | undefined> => {
      const lengthMs = segment.frames.length * FRAME_MS;
      const dueMs = Math.max(
        PARTIAL_EVERY_MS,
        lengthMs * PARTIAL_EVERY_SHARE,
        PARTIAL_EVERY_TIMES * timing.partialTookMs,
      );
      if (running || segment.silentFrames >= PAUSE_FRAMES || lengthMs - recognisedMs < dueMs)
        return undefined;
      recognisedMs = lengthMs;
      const mine = new AbortController();
      running = mine;
      try {
        const answer = recogniseSoFar(AbortSignal.any([signal, mine.signal]));
        partial = { voiceFrames: voiceFrames(segment), answer };
        const { engine, reply: result } = await answer;
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
    /**
     * Recognises the whole utterance; partial results end here.
     *
     * @param whole the utterance, or one of it and those that follow it
     */
    final: async (signal: AbortSignal, whole: SpeechSegment): Promise<AsrPlainReply> => {
      const lengthMs = whole.frames.length * FRAME_MS;
      account.reserve({ ability: 'recognition', amount: lengthMs }, engineNamesOf(offers));
      const known = whole === segment ? await partWithAll() : undefined;
      running?.abort();
      if (known) {
        charge({ ability: 'recognition', engine: known.engine, amount: lengthMs });
        return known.reply;
      }
      for (let attempt = 1; ; attempt += 1) {
        try {
          const { engine, reply } = await recognise(whole, signal, true);
          charge({ ability: 'recognition', engine, amount: lengthMs });
          return reply;
        } catch (thrown) {
          signal.throwIfAborted();
          const { code, retryAfterMs = 1_000 } = toAppError(thrown);
          if (code !== 'rate-limited' || attempt === ATTEMPTS) throw thrown;
          await sleep(clock, retryAfterMs, signal);
        }
      }
    },
    /** Charges what partial results have shown, when the client leaves before the final. */
    chargeShown: (): void => {
      if (shown) charge(shown);
    },
  };
};
