import type { ServiceClient } from '../../api/client.ts';
import type { Availability } from '../../api/realtime/availability.ts';
import type {
  Realtime,
  RealtimeRecognition as KeyedRecognitions,
} from '../../api/realtime/index.ts';
import type { RecognitionSession } from '../../api/realtime/recognition-session.ts';
import type { RealtimeText } from '../../api/realtime/results.ts';
import { orAborted } from '../../async/abort.ts';
import { sleep, type Clock } from '../../async/clock.ts';
import type { Semaphore } from '../../async/locks.ts';
import type { Space } from '../../model/place.ts';
import { createPacketDecoder, type PacketDecoder } from '../../audio/opus/streams-decoder.ts';
import { OPUS_CLOCK_HZ } from '../../audio/opus/packet.ts';
import type { SpeechDetector } from '../../audio/speech-detector/speech-detector.ts';
import { AppError, toAppError } from '../../errors.ts';
import type {
  Recogniser,
  RecogniserFactory,
  Recognition,
  RecognitionRequest,
  RecognitionResult,
  Utterance,
} from '../../ports/recogniser.ts';
import { createLocalAgreement } from '../../text/local-agreement.ts';
import { createBatchRecogniser } from './batch-recogniser.ts';
import { createGatedRecogniser } from './gated-recogniser.ts';
import { createUtterancePcm, PCM_RATE_HZ, type UtterancePcm } from './utterance.ts';

const GROW_EVERY_MS = 100;
/** Late packets that may be missing: a syllable is longer. */
const MOST_MISSED_SAMPLES = 0.06 * OPUS_CLOCK_HZ;
/** Longest wait for the text of a session; a request then takes its place. */
const FINISH_MS = 6_000;

export interface RealtimeRecogniserDeps {
  /** The space whose room it is. */
  readonly space: Space;
  readonly recognition: Pick<KeyedRecognitions, 'of'> & {
    readonly sessions: Pick<Semaphore, 'tryAcquire'>;
  };
  /** Recognises what no session does. */
  readonly batch: Recogniser;
  readonly clock: Clock;
  readonly createDecoder?: () => Promise<PacketDecoder>;
}

/** One utterance: a session while it grows, and a request where the session does not do. */
class RealtimeRecognition implements Recognition {
  readonly #request: RecognitionRequest;
  readonly #deps: RealtimeRecogniserDeps;
  readonly #batch: Recognition;
  readonly #agreement = createLocalAgreement();
  #permit: Disposable | undefined;
  #session: RecognitionSession | undefined;
  /** State of the path for the session's key. */
  #availability: Availability | undefined;
  #pcm: UtterancePcm | undefined;
  #feeding: Promise<void> | undefined;
  #grown: Utterance | undefined;
  #shown = '';
  /** True once no session is of use any more. */
  #isBatch = false;
  /** True where no part of it is requested: the service recognises speech as it comes, if not this utterance. */
  #isLate = false;
  /** Resolves when the service tells that the text comes after the end only. */
  readonly #late = Promise.withResolvers<undefined>();
  #isFinished = false;

  constructor(request: RecognitionRequest, deps: RealtimeRecogniserDeps) {
    this.#request = request;
    this.#deps = deps;
    this.#batch = deps.batch.start({ ...request, partial: (result) => this.#show(result, true) });
    request.signal.addEventListener('abort', this.#leave, { once: true });
  }

  grow(utterance: Utterance): void {
    if (this.#isFinished || this.#request.signal.aborted) return;
    this.#grown = utterance;
    if (this.#isBatch) this.#growBatch();
    else this.#feeding ??= this.#feed();
  }

  async finish(
    utterance: Utterance,
    deadlineMs: number,
    underWay?: (isSent: boolean) => void,
  ): Promise<RecognitionResult> {
    const { signal } = this.#request;
    const endsAtMs = this.#deps.clock.nowMs() + deadlineMs;
    this.#isFinished = true;
    try {
      signal.throwIfAborted();
      const text = await this.#finishSession(utterance, deadlineMs);
      if (text) return text;
    } finally {
      this.#leave();
    }
    return this.#batch.finish(utterance, endsAtMs - this.#deps.clock.nowMs(), underWay);
  }

  #growBatch(): void {
    if (this.#grown && !this.#isFinished && !this.#isLate) this.#batch.grow(this.#grown);
  }

  /** Has requests recognise the rest, and leaves the session's place to others. */
  #leaveToBatch(): void {
    this.#isBatch = true;
    this.#permit?.[Symbol.dispose]();
    this.#growBatch();
  }

  /** The text of the session; undefined when it does not stand for this utterance. */
  async #finishSession(
    utterance: Utterance,
    deadlineMs: number,
  ): Promise<RealtimeText | undefined> {
    const { signal } = this.#request;
    const { clock } = this.#deps;
    await this.#feeding;
    signal.throwIfAborted();
    // Voice that was sent and is no longer part of the utterance cannot be taken back.
    const wasCut = (this.#grown?.endMs ?? 0) > utterance.endMs;
    if (!this.#session || !this.#pcm || this.#isBatch || wasCut) return undefined;
    if (this.#pcm.missedSamples(utterance) > MOST_MISSED_SAMPLES) return undefined;
    const late = new AbortController();
    try {
      for await (const pcm of this.#pcm.next(utterance, true)) this.#session.append(pcm);
      const limit = sleep(clock, Math.min(FINISH_MS, deadlineMs / 2), late.signal).then(() => {
        throw new AppError('timeout', 'the session does not end', { retryable: true });
      });
      limit.catch(() => undefined);
      const text = await orAborted(
        Promise.race([this.#session.finish(), limit, this.#late.promise]),
        signal,
      );
      this.#availability?.succeeded();
      return text;
    } catch (thrown) {
      signal.throwIfAborted();
      this.#availability?.failed(toAppError(thrown));
      return undefined;
    } finally {
      late.abort();
    }
  }

  /** Decodes and sends what has grown, beside the packets that arrive meanwhile. */
  async #feed(): Promise<void> {
    try {
      await this.#open();
      let sent: Utterance | undefined;
      while (this.#session && this.#pcm && this.#grown !== sent && !this.#isFinished) {
        sent = this.#grown as Utterance;
        for await (const pcm of this.#pcm.next(sent, false)) this.#session.append(pcm);
      }
    } catch {
      // Without a key or a decoder there is nothing to send.
      this.#isBatch = true;
    } finally {
      this.#feeding = undefined;
    }
  }

  async #open(): Promise<void> {
    if (this.#session) return;
    const {
      recognition,
      space,
      createDecoder = () => createPacketDecoder(PCM_RATE_HZ),
    } = this.#deps;
    const { hotwords, language, expected } = await this.#request.hints(Infinity);
    const { openSession, availability, isOn, isFollowed } = await recognition.of(
      space,
      language ?? expected,
    );
    if (this.#request.signal.aborted) return;
    this.#isLate = isFollowed;
    this.#permit = isOn ? recognition.sessions.tryAcquire() : undefined;
    if (!this.#permit || !availability.mayTry()) return this.#leaveToBatch();
    this.#availability = availability;
    const pcm = createUtterancePcm(await createDecoder());
    if (this.#request.signal.aborted) return pcm.free();
    this.#pcm = pcm;
    this.#session = openSession({
      asker: { lane: 'live', space },
      language,
      expected,
      hotwords,
      late: () => {
        this.#isLate = true;
        this.#late.resolve(undefined);
        this.#leaveToBatch();
        this.#session?.abort();
      },
      changed: (text) => this.#show(text, text.isStable),
      failed: (error) => {
        availability.failed(error);
        this.#leaveToBatch();
      },
    });
  }

  #show(result: RecognitionResult, isCertain: boolean): void {
    if (this.#isFinished || this.#request.signal.aborted) return;
    const text = isCertain ? result.text : this.#agreement.add(result.text);
    if (text === this.#shown || !text.startsWith(this.#shown)) return;
    this.#shown = text;
    this.#request.partial({ ...result, text });
  }

  readonly #leave = (): void => {
    this.#request.signal.removeEventListener('abort', this.#leave);
    this.#session?.abort();
    this.#pcm?.free();
    this.#session = undefined;
    this.#pcm = undefined;
    this.#permit?.[Symbol.dispose]();
  };
}

/**
 * Creates a recogniser that sends speech while it is spoken. Where the service refuses that, says
 * nothing or breaks, and for utterances that did not grow, it recognises by requests.
 */
export const createRealtimeRecogniser = (deps: RealtimeRecogniserDeps): Recogniser => ({
  growEveryMs: GROW_EVERY_MS,
  start: (request) => new RealtimeRecognition(request, deps),
});

export interface RecogniserFactoryDeps {
  readonly client: ServiceClient;
  readonly realtime: Realtime | undefined;
  readonly clock: Clock;
  /** Keeps noises from the service. Default: it gets every sound. */
  readonly detectSpeech?: SpeechDetector | undefined;
}

/**
 * Creates the factory of recognisers over the service, for voice rooms and dictations: they use its WebSocket path
 * where partial transcripts are asked for and that path is on, otherwise requests.
 */
export const createRecogniserFactory =
  ({ client, realtime, clock, detectSpeech }: RecogniserFactoryDeps): RecogniserFactory =>
  ({ partials, space }) => {
    const batch = createBatchRecogniser(client, {
      space,
      clock,
      ...(partials ? {} : { partialEveryMs: 0 }),
    });
    const recognition = partials ? realtime?.recognition : undefined;
    const recogniser = recognition
      ? createRealtimeRecogniser({ recognition, space, batch, clock })
      : batch;
    return detectSpeech ? createGatedRecogniser({ recogniser, detectSpeech, clock }) : recogniser;
  };
