import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { serveParent } from '../../../src/process/child.ts';
import type { ModelConfig } from './model.ts';

export interface SherpaRequest {
  readonly samples: Float32Array;
  readonly sampleRateHz: number;
  /** ISO 639-1 code; only Whisper models use it. */
  readonly language: string | undefined;
}

export interface SherpaReply {
  readonly text: string;
  readonly language: string | undefined;
  readonly confidence: number | undefined;
}

/** The part of the library's types (`types.js`, 1.13) that is used here. */
interface Stream {
  acceptWaveform(wave: { samples: Float32Array; sampleRate: number }): void;
}
interface Recognizer {
  createStream(): Stream;
  decodeAsync(stream: Stream): Promise<unknown>;
  setConfig(config: RecognizerConfig): void;
}
interface RecognizerConfig {
  readonly featConfig: { readonly sampleRate: number; readonly featureDim: number };
  readonly modelConfig: ModelConfig & {
    readonly numThreads: number;
    readonly provider: string;
    readonly debug: 0;
  };
}
interface Sherpa {
  readonly OfflineRecognizer: {
    createAsync(config: RecognizerConfig): Promise<Recognizer>;
  };
}

const MOST_THREADS = 4;

const result = z.object({
  text: z.string(),
  /** Language: `en`, or `<|en|>` from SenseVoice. */
  lang: z.string().optional(),
  ys_log_probs: z.array(z.number()).optional(),
});

const model = JSON.parse(process.argv[2] ?? '{}') as ModelConfig;

const configFor = (language: string): RecognizerConfig => ({
  featConfig: { sampleRate: 16_000, featureDim: 80 },
  modelConfig: {
    ...model,
    ...(model.whisper ? { whisper: { ...model.whisper, language } } : {}),
    numThreads: Math.min(MOST_THREADS, availableParallelism()),
    provider: 'cpu',
    debug: 0,
  },
});

const load = async (): Promise<Recognizer> => {
  const sherpa = createRequire(import.meta.url)('sherpa-onnx-node') as Sherpa;
  return sherpa.OfflineRecognizer.createAsync(configFor(''));
};

/** The mean probability of a token. */
const confidenceOf = (logProbs: readonly number[] | undefined): number | undefined =>
  logProbs && logProbs.length > 0
    ? Math.min(1, Math.exp(logProbs.reduce((sum, one) => sum + one, 0) / logProbs.length))
    : undefined;

const loading = load();
// Each call reports the failure; before the first call nobody needs to know.
loading.catch(() => undefined);
let currentLanguage = '';

const recognise = async (request: SherpaRequest): Promise<SherpaReply> => {
  const { samples, sampleRateHz, language = '' } = request;
  const recognizer = await loading;
  if (model.whisper && language !== currentLanguage) {
    recognizer.setConfig(configFor(language));
    currentLanguage = language;
  }
  const stream = recognizer.createStream();
  stream.acceptWaveform({ samples, sampleRate: sampleRateHz });
  const heard = result.parse(await recognizer.decodeAsync(stream));
  return {
    text: heard.text.trim(),
    language: heard.lang?.replace(/^<\|(.*)\|>$/, '$1') || undefined,
    confidence: confidenceOf(heard.ys_log_probs),
  };
};

serveParent(recognise);
