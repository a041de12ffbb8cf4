import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { closeStandardError, serveParent } from '../../../src/process/serve-parent.ts';
import { RECOGNITION_RATE_HZ, type RecognisedText } from '../../engine.ts';
import { recogniserThreads } from '../../models/machine.ts';
import { isLoop } from '../../loops.ts';
import { recordingOptions, withLanguage } from './hints.ts';
import type { ModelConfig } from './model.ts';
import { decodeInPieces } from './pieces.ts';
import { decodeWhole } from './whisper-length.ts';
import { readSpelt, readSpeltToken, spellTokens } from './whisper-tokens.ts';
import { wordTimes } from './word-times.ts';

export interface SherpaRequest {
  /** Mono at `RECOGNITION_RATE_HZ`. */
  readonly samples: Float32Array;
  /** The model's own code: Whisper models end the process for any other. */
  readonly language: string | undefined;
  /** Words to be expected, for a model that takes them. */
  readonly hotwords?: readonly string[] | undefined;
}

export type SherpaReply = RecognisedText;

/** The part of the library's types (`types.js`, 1.13) that is used here. */
interface Stream {
  acceptWaveform(wave: { samples: Float32Array; sampleRate: number }): void;
  setOption(name: string, value: string): void;
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

const result = z.object({
  text: z.string(),
  /** Language: `en`, or `<|en|>` from SenseVoice. */
  lang: z.string().optional(),
  tokens: z.array(z.string()).optional(),
  timestamps: z.array(z.number()).optional(),
  durations: z.array(z.number()).optional(),
  ys_log_probs: z.array(z.number()).optional(),
});

type Heard = z.infer<typeof result>;

const model = JSON.parse(process.argv[2] ?? '{}') as ModelConfig;

const configFor = (language: string, tokens = model.tokens): RecognizerConfig => ({
  featConfig: { sampleRate: RECOGNITION_RATE_HZ, featureDim: 80 },
  modelConfig: {
    ...withLanguage(model, language),
    tokens,
    numThreads: recogniserThreads(false),
    provider: 'cpu',
    debug: 0,
  },
});

/** Longest sound, in samples, in which the library's 1.13.8 hears anything with newer Moonshine models. */
const longest = model.moonshine?.['mergedDecoder'] ? 5.5 * RECOGNITION_RATE_HZ : Infinity;

/** Loads with a file of spelt tokens, which is read meanwhile. */
const withSpeltTokens = async <T>(use: (tokens: string) => Promise<T>): Promise<T> => {
  const folder = await mkdtemp(join(tmpdir(), 'dragoman-tokens-'));
  try {
    const file = join(folder, 'tokens.txt');
    await writeFile(file, spellTokens(await readFile(model.tokens, 'utf8')));
    return await use(file);
  } finally {
    await rm(folder, { recursive: true });
  }
};

const load = async (): Promise<Recognizer> => {
  const sherpa = createRequire(import.meta.url)('sherpa-onnx-node') as Sherpa;
  const recognizer = await (model.whisper
    ? withSpeltTokens(async (tokens) => sherpa.OfflineRecognizer.createAsync(configFor('', tokens)))
    : sherpa.OfflineRecognizer.createAsync(configFor('')));
  closeStandardError();
  return recognizer;
};

/** The mean probability of a token. */
const confidenceOf = (logProbs: readonly number[] | undefined): number | undefined =>
  logProbs && logProbs.length > 0
    ? Math.min(1, Math.exp(logProbs.reduce((sum, one) => sum + one, 0) / logProbs.length))
    : undefined;

const replyOf = (heard: Heard, lengthMs: number): SherpaReply => ({
  text: heard.text.trim(),
  language: heard.lang?.replace(/^<\|(.*)\|>$/, '$1') || undefined,
  confidence: isLoop(heard.text) ? 0 : confidenceOf(heard.ys_log_probs),
  words: wordTimes(heard, lengthMs),
});

const loading = load();
// Each call reports the failure; before the first call nobody needs to know.
loading.catch(() => undefined);
let currentLanguage = '';

const recognise = async (request: SherpaRequest): Promise<SherpaReply> => {
  const { samples, language = '', hotwords } = request;
  const recognizer = await loading;
  if ((model.whisper || model.canary) && language !== currentLanguage) {
    recognizer.setConfig(configFor(language));
    currentLanguage = language;
  }
  const decode = async (sound: Float32Array): Promise<Heard> => {
    const stream = recognizer.createStream();
    for (const [name, value] of Object.entries(recordingOptions(model, language, hotwords)))
      stream.setOption(name, value);
    stream.acceptWaveform({ samples: sound, sampleRate: RECOGNITION_RATE_HZ });
    const heard = result.parse(await recognizer.decodeAsync(stream));
    if (!model.whisper) return heard;
    const { text, tokens } = heard;
    return { ...heard, text: readSpelt(text), tokens: tokens?.map(readSpeltToken) };
  };
  const heard = await (model.whisper
    ? decodeWhole(samples, decode)
    : decodeInPieces(samples, longest, decode));
  return replyOf(heard, Math.round((1_000 * samples.length) / RECOGNITION_RATE_HZ));
};

serveParent(recognise);
