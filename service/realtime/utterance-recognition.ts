import type { AsrPlainReply } from '../../src/api/contract.ts';
import { plainReply } from '../recognise.ts';
import { createLocalAgreement } from '../../src/text/local-agreement.ts';
import { FRAME_MS } from '../../src/audio/vad.ts';
import { toAppError } from '../../src/errors.ts';
import type { EngineHints } from '../engine.ts';
import { followUtterance } from './followed-utterance.ts';
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
  /** The language that is expected where `hints` name none. */
  readonly expected?: string | undefined;
  readonly clock: Clock;
  /** Measured over the utterances of a session. */
  readonly timing: {
    /** Time that the last recognition of a growing utterance took. */
    partialTookMs: number;
  };
  readonly log: Pick<Log, 'warn' | 'debug'>;
  /** Takes text that only grows, while the utterance does. */
  readonly grown: (reply: AsrPlainReply) => void;
  /** Told of an end that the recogniser found, so long after the beginning. */
  readonly ended: (endMs: number) => void;
  /** Told that it is followed no more, and nothing more shown of it before its end. */
  readonly failed: () => void;
}

interface Recognised {
  readonly engine: string;
  readonly reply: AsrPlainReply;
}

/** Recognises one utterance over any engine for whole audio. */
export const createUtteranceRecognition = (
  segment: SpeechSegment,
  deps: UtteranceRecognitionDeps,
) => {
  const { account, offers, hints, clock, timing, log, grown, ended, failed } = deps;
  const { language = deps.expected } = hints;
  const agreement = createLocalAgreement();
  let running: AbortController | undefined;
  let partial: { readonly voiceFrames: number; readonly answer: Promise<Recognised> } | undefined;
  let recognisedMs = 0;
  let certain = '';
  /** Price of the utterance if the last partial result stays its last; undefined before any. */
  let shown: Use | undefined;
  let isCharged = false;
  const { startMs } = segment;

  const follower = offers.find(({ engine }) => engine.stream?.knows(language));
  const followed =
    follower &&
    followUtterance(segment, {
      key: account.name,
      offer: follower,
      hints: { ...hints, ...(language === undefined ? {} : { language }) },
      clock,
      log,
      heard: (heard) => {
        const { endMs, frames } = segment;
        const amount = frames.length * FRAME_MS;
        shown = { ability: 'recognition', engine: follower.name, amount };
        grown(plainReply([{ startMs, endMs, heard }], hints));
      },
      ended,
      failed,
    });

  const charge = (use: Use): void => {
    if (!isCharged) account.charge(use);
    isCharged = true;
  };

  /** A partial result takes only what an engine has left; a final waits for the last engine's rate. */
  const recognise = async (
    whole: SpeechSegment,
    signal: AbortSignal,
    isFinal: boolean,
  ): Promise<Recognised> =>
    withFailOver(
      offers,
      async (offer, either) => {
        const { name, engine, limiter } = offer;
        const longestWait = offer === offers.at(-1) ? Infinity : undefined;
        using _ = await (isFinal
          ? limiter.acquire(either, account.name, longestWait)
          : limiter.acquireSpare(either, account.name));
        const heard = await engine.recognise(samplesOf(whole.frames), hints, either);
        return { engine: name, reply: plainReply([{ ...whole, heard }], hints) };
      },
      { ability: 'recognition', log, isQuiet: !isFinal, signal, isPatient: true },
    );

  /** Recognises a whole utterance, again where all engines are busy. */
  const recogniseWhole = async (signal: AbortSignal, whole: SpeechSegment): Promise<Recognised> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await recognise(whole, signal, true);
      } catch (thrown) {
        signal.throwIfAborted();
        const { code, retryAfterMs = 1_000 } = toAppError(thrown);
        if (code !== 'rate-limited' || attempt === ATTEMPTS) throw thrown;
        await sleep(clock, retryAfterMs, signal);
      }
    }
  };

  /** The answer to a part with all of the voice, which is that to the whole; undefined where there is none. */
  const partWithAll = async (): Promise<Recognised | undefined> =>
    partial?.voiceFrames === voiceFrames(segment)
      ? partial.answer.catch(() => undefined)
      : undefined;

  /** The text that was heard while it was spoken; undefined where words may be missing. */
  const heardMeanwhile = async (): Promise<Recognised | undefined> => {
    const texts = await followed?.text();
    if (!follower || !texts) return undefined;
    const { endMs } = segment;
    const spans = texts.map((heard) => ({ startMs, endMs, heard }));
    return { engine: follower.name, reply: plainReply(spans, hints) };
  };

  /** Recognises what is there so far, if enough is new, the voice goes on, and no recognition runs. */
  const recognisePart = async (signal: AbortSignal): Promise<void> => {
    const lengthMs = segment.frames.length * FRAME_MS;
    const dueMs = Math.max(
      PARTIAL_EVERY_MS,
      lengthMs * PARTIAL_EVERY_SHARE,
      PARTIAL_EVERY_TIMES * timing.partialTookMs,
    );
    if (running || segment.silentFrames >= PAUSE_FRAMES || lengthMs - recognisedMs < dueMs) return;
    recognisedMs = lengthMs;
    const mine = new AbortController();
    running = mine;
    try {
      const startedMs = clock.nowMs();
      const soFar = { ...segment, frames: [...segment.frames] };
      const either = AbortSignal.any([signal, mine.signal]);
      const answer = recognise(soFar, either, false).finally(() => {
        timing.partialTookMs = clock.nowMs() - startedMs;
      });
      partial = { voiceFrames: voiceFrames(segment), answer };
      const { engine, reply: result } = await answer;
      if (mine.signal.aborted) return;
      const agreed = agreement.add(result.text.trim());
      if (agreed === certain) return;
      certain = agreed;
      shown = { ability: 'recognition', engine, amount: lengthMs };
      grown({ ...result, text: certain });
    } catch {
      // The whole utterance is still to be recognised, and reports the fault.
    } finally {
      if (running === mine) running = undefined;
    }
  };

  return {
    /** True where it is recognised while it is spoken, and not joined with others. */
    isFollowed: followed !== undefined,
    /** True where nothing is shown of it before its end: as many are followed as the machine keeps up with. */
    isLate: follower !== undefined && !followed,
    /** Takes what is new of the utterance: follows it, or recognises what is there so far where nothing follows. */
    grow: (signal: AbortSignal): void => {
      if (followed) followed.feed();
      else if (!follower) void recognisePart(signal);
    },
    /**
     * Takes its end.
     *
     * @param isHeard true for one that the recogniser found: then the text so far is all of it
     */
    stop: (isHeard: boolean): void => followed?.stop(isHeard),
    /** Gives up to follow it: more was heard than it holds. */
    leave: (): void => followed?.[Symbol.dispose](),
    /**
     * Recognises the whole utterance; partial results end here.
     *
     * @param whole the utterance, or one of it and those that follow it
     */
    final: async (signal: AbortSignal, whole: SpeechSegment): Promise<AsrPlainReply> => {
      const lengthMs = whole.frames.length * FRAME_MS;
      account.reserve({ ability: 'recognition', amount: lengthMs }, engineNamesOf(offers));
      const known =
        whole === segment ? ((await heardMeanwhile()) ?? (await partWithAll())) : undefined;
      running?.abort();
      const { engine, reply } = known ?? (await recogniseWhole(signal, whole));
      charge({ ability: 'recognition', engine, amount: lengthMs });
      return reply;
    },
    /** Gives it up, and charges what was shown of it: the client has left before the final. */
    giveUp: (): void => {
      followed?.[Symbol.dispose]();
      if (shown) charge(shown);
    },
  };
};
