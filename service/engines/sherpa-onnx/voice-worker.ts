import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { closeStandardError, serveParent } from '../../../src/process/serve-parent.ts';
import type { Recording } from './parted-voices.ts';
import type { VoiceConfig } from './voice-model.ts';

export interface VoiceRequest {
  readonly text: string;
  readonly speaker: number;
  readonly speed: number;
  /** ISO 639 code of the text's language, for a model that is told it. */
  readonly language?: string | undefined;
  /** The recording that is spoken like. */
  readonly recording?: Recording | undefined;
}

export interface VoiceReply {
  readonly samples: Float32Array;
  readonly sampleRateHz: number;
}

/** The part of the library's types (`types.js`, 1.13) that is used here. */
interface OfflineTts {
  generateAsync(request: {
    text: string;
    sid: number;
    speed: number;
    generationConfig?: object;
  }): Promise<unknown>;
}
interface Sherpa {
  readWave(file: string): unknown;
  readonly OfflineTts: {
    createAsync(config: {
      readonly model: VoiceConfig & {
        readonly numThreads: number;
        readonly provider: string;
        readonly debug: 0;
      };
      readonly maxNumSentences: number;
    }): Promise<OfflineTts>;
  };
}

/**
 * Half of the processors for each of two calls at once: two of one thread take half the time of one call with
 * two threads after the other, where the processors are wanted by others, too.
 */
const MOST_THREADS = 4;
const threads = Math.max(1, Math.min(MOST_THREADS, Math.floor(availableParallelism() / 2)));

const audio = z.object({ samples: z.instanceof(Float32Array), sampleRate: z.int().positive() });

const library = (): Sherpa => createRequire(import.meta.url)('sherpa-onnx-node') as Sherpa;

/** Settings of a model that is told a language or a recording; undefined for the others. */
const settingsOf = ({ speaker, speed, language, recording }: VoiceRequest) => {
  if (language === undefined && recording === undefined) return undefined;
  const wave = recording && audio.parse(library().readWave(recording.file));
  return {
    sid: recording ? 0 : speaker,
    speed,
    ...(wave ? { referenceAudio: wave.samples, referenceSampleRate: wave.sampleRate } : {}),
    ...(recording?.text === undefined ? {} : { referenceText: recording.text }),
    extra: language === undefined ? {} : { lang: language },
  };
};

const load = async (): Promise<OfflineTts> => {
  const tts = await library().OfflineTts.createAsync({
    model: {
      ...(JSON.parse(process.argv[2] ?? '{}') as VoiceConfig),
      numThreads: threads,
      provider: 'cpu',
      debug: 0,
    },
    maxNumSentences: 1,
  });
  closeStandardError();
  return tts;
};

const loading = load();
// Each call reports the failure; before the first call nobody needs to know.
loading.catch(() => undefined);

serveParent(async (request: VoiceRequest): Promise<VoiceReply> => {
  const { text, speaker, speed } = request;
  const tts = await loading;
  const generationConfig = settingsOf(request);
  const made = audio.parse(
    await tts.generateAsync({
      text,
      sid: speaker,
      speed,
      ...(generationConfig ? { generationConfig } : {}),
    }),
  );
  return { samples: made.samples, sampleRateHz: made.sampleRate };
});
