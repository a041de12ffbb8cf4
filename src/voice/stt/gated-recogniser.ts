import type { Clock } from '../../async/clock.ts';
import { createPacketDecoder, type PacketDecoder } from '../../audio/opus/streams-decoder.ts';
import { samplesOfS16le } from '../../audio/pcm.ts';
import type {
  SpeechDetector,
  SpeechListener,
} from '../../audio/speech-detector/speech-detector.ts';
import type {
  Recogniser,
  Recognition,
  RecognitionRequest,
  RecognitionResult,
  Utterance,
} from '../../ports/recogniser.ts';
import { createUtterancePcm, PCM_RATE_HZ, type UtterancePcm } from './utterance.ts';

export interface GatedRecogniserDeps {
  readonly recogniser: Recogniser;
  readonly detectSpeech: SpeechDetector;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly createDecoder?: () => Promise<PacketDecoder>;
}

/** The result for a sound in which nobody speaks: no recogniser was asked. */
export const NO_SPEECH: RecognitionResult = {
  text: '',
  language: '',
  confidence: undefined,
  noSpeech: 1,
};

interface Ear extends Disposable {
  readonly pcm: UtterancePcm;
  readonly listener: SpeechListener;
}

/** Keeps an utterance from the recogniser until there is speech in it. */
const startGated = (
  request: RecognitionRequest,
  {
    recogniser,
    detectSpeech,
    clock,
    createDecoder = () => createPacketDecoder(PCM_RATE_HZ),
  }: GatedRecogniserDeps,
): Recognition => {
  const inner = recogniser.start(request);
  let ear: Promise<Ear | undefined> | undefined;
  /** True once there was speech, or nothing can tell. */
  let isHeard = false;
  let isFinished = false;
  let grown: Utterance;
  let growing: Promise<void> | undefined;

  const openEar = async (): Promise<Ear | undefined> => {
    const listener = await detectSpeech();
    if (!listener) return undefined;
    const pcm = createUtterancePcm(await createDecoder());
    if (request.signal.aborted) pcm.free();
    request.signal.addEventListener('abort', pcm.free, { once: true });
    return {
      pcm,
      listener,
      [Symbol.dispose]: () => {
        request.signal.removeEventListener('abort', pcm.free);
        pcm.free();
      },
    };
  };

  const hasSpeech = async (utterance: Utterance, isWhole: boolean): Promise<boolean> => {
    ear ??= openEar();
    const opened = await ear;
    if (!opened) return true;
    for await (const bytes of opened.pcm.next(utterance, isWhole))
      if (await opened.listener.hears(samplesOfS16le(bytes), false)) return true;
    return isWhole && opened.listener.hears(new Float32Array(0), true);
  };

  const listen = async (utterance: Utterance, isWhole: boolean): Promise<void> => {
    try {
      isHeard = await hasSpeech(utterance, isWhole);
    } catch {
      // Without a decoder nothing can tell.
      isHeard = true;
    }
    if (isHeard || isWhole) (await ear?.catch(() => undefined))?.[Symbol.dispose]();
  };

  /** Listens to what has grown, and to what grows meanwhile. */
  const follow = async (utterance: Utterance): Promise<void> => {
    await listen(utterance, false);
    if (isFinished) return;
    if (isHeard) return inner.grow(grown);
    if (grown !== utterance) return follow(grown);
    growing = undefined;
  };

  return {
    grow: (utterance) => {
      grown = utterance;
      if (isHeard) inner.grow(utterance);
      else growing ??= follow(utterance);
    },
    finish: async (utterance, deadlineMs, underWay) => {
      const endsAtMs = clock.nowMs() + deadlineMs;
      isFinished = true;
      await growing;
      if (!isHeard) await listen(utterance, true);
      request.signal.throwIfAborted();
      return isHeard ? inner.finish(utterance, endsAtMs - clock.nowMs(), underWay) : NO_SPEECH;
    },
  };
};

/** Wraps a recogniser: it gets no utterance in which nobody speaks. */
export const createGatedRecogniser = (deps: GatedRecogniserDeps): Recogniser => ({
  growEveryMs: deps.recogniser.growEveryMs,
  start: (request) => startGated(request, deps),
});
