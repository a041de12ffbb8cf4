import { missingEngineText } from '../../../src/http/missing-engine.ts';
import type { Log } from '../../../src/telemetry/log.ts';
import { createChild, type Child, type ChildOptions } from '../../../src/process/child.ts';
import type { RecognitionEngine, SpeechEngine } from '../../engine.ts';
import { withLanguage } from './hints.ts';
import type { ModelConfig } from './model.ts';
import { ContractError } from '../../errors.ts';
import { detectLanguage } from '../../../src/text/language/detect.ts';
import { languageOf } from '../../../src/text/language/language-names.ts';
import {
  chooseRecogniser,
  codeFor,
  type InstalledRecogniser,
  isUnknown,
} from './recogniser-choice.ts';
import type { SherpaReply, SherpaRequest } from './worker.ts';
import { AppError } from '../../../src/errors.ts';
import type { VoiceReply, VoiceRequest } from './voice-worker.ts';
import type { InstalledSpeaker } from './voices.ts';

/** Longest time of a call, loading a large model included. */
const CALL_TIMEOUT_MS = 120_000;
const CALLS: Calls = { callTimeoutMs: CALL_TIMEOUT_MS, callsPerChild: 5_000 };
/** Two parts of speech at once: the models of a voice keep nothing of a call. */
export const VOICE_CALLS: Calls = { ...CALLS, concurrent: 2 };
/**
 * Each call of a process with streams is a chunk of sound, of which another process knows nothing. Clients wait 5 s for
 * words.
 */
export const STREAM_CALLS: Calls = {
  callTimeoutMs: 4_000,
  firstCallTimeoutMs: CALL_TIMEOUT_MS,
  callsPerChild: Infinity,
  attempts: 1,
};
/** Idle time after which a child is stopped: models are slow to load. */
const IDLE_MS = 60 * 60_000;

type Calls = Pick<
  ChildOptions,
  'callTimeoutMs' | 'firstCallTimeoutMs' | 'callsPerChild' | 'concurrent' | 'attempts'
>;
export type Children<Request, Reply> = ReturnType<typeof createChildren<Request, Reply>>;

/**
 * Creates processes by what they are started with, one per model.
 *
 * @param worker name of the file that they run
 */
export const createChildren = <Request, Reply>(
  worker: 'worker' | 'stream-worker' | 'voice-worker',
  log: Log,
  calls: Calls = CALLS,
) => {
  const children = new Map<string, Child<Request, Reply>>();
  return {
    /** The process with the model of `config`, which is started by its first call. */
    of: (config: object): Child<Request, Reply> => {
      const key = JSON.stringify(config);
      const child =
        children.get(key) ??
        createChild<Request, Reply>({
          name: 'sherpa-onnx',
          file: new URL(`./${worker}.ts`, import.meta.url),
          args: [key],
          log,
          ...calls,
          idleMs: IDLE_MS,
          tellsErrors: true,
        });
      children.set(key, child);
      return child;
    },
    /** Stops the processes of all models but these. */
    keep: (configs: readonly object[]): void => {
      const current = new Set(configs.map((config) => JSON.stringify(config)));
      for (const [key, child] of children) {
        if (current.has(key)) continue;
        children.delete(key);
        void child[Symbol.asyncDispose]();
      }
    },
    [Symbol.asyncDispose]: async (): Promise<void> => {
      await Promise.all([...children.values()].map((child) => child[Symbol.asyncDispose]()));
    },
  };
};

/** Longest audio of one call: Whisper takes at most 30 s; the other models grow slow with much more. */
const LONGEST_MS = 28_000;

/**
 * Recognises with a model. One that is told its language when it is loaded, SenseVoice, is loaded once more
 * for a language only where it has heard another.
 */
const hearIn = async (
  code: string | undefined,
  config: ModelConfig,
  hear: (config: ModelConfig) => Promise<SherpaReply>,
): Promise<SherpaReply> => {
  const heard = await hear(config);
  const isOther = code !== undefined && heard.text !== '' && heard.language !== code;
  return config.senseVoice && isOther ? hear(withLanguage(config, code)) : heard;
};

/**
 * Recognition with the installed models, of which there is at least one.
 *
 * @param advise writes a remedy in the commands of where the program runs
 */
export const createSherpaRecognition = (
  recognisers: readonly InstalledRecogniser[],
  children: Children<SherpaRequest, SherpaReply>,
  advise = (remedy: string): string => remedy,
): RecognitionEngine => ({
  longestMs: LONGEST_MS,
  recognise: async (samples, { language, hotwords: expected }, signal) => {
    const chosen = chooseRecogniser(recognisers, language);
    if (!chosen) return { text: '' };
    if (language !== undefined && isUnknown(recognisers, language))
      throw new ContractError(
        'ErrServiceNotRegistered',
        missingEngineText({
          ability: 'recognition',
          language,
          remedies: [advise(`run npm run setup -- ${language}`)],
        }),
      );
    const hotwords = chosen.model.takesHotwords ? expected : undefined;
    const { config } = chosen.model;
    const code = codeFor(chosen, language);
    const request = { samples, language: code, hotwords };
    const heard = await hearIn(code, config, async (model) =>
      children.of(model).call(request, signal),
    );
    return hotwords?.length ? { ...heard, hotwordsUsed: true } : heard;
  },
});

/** Keeps samples within -1 to 1: models go a little beyond. */
const limited = (samples: Float32Array): Float32Array =>
  samples.map((sample) => Math.max(-1, Math.min(1, sample)));

/** A text for a speaker, with its language for a model that is told it: by its words, or the model's first. */
export const requestOf = (
  { speaker, languages, recording }: InstalledSpeaker,
  text: string,
  speed: number,
): VoiceRequest => {
  const spoken = detectLanguage(text)?.language;
  return {
    text,
    speaker,
    speed,
    language: languages?.find((code) => code === languageOf(spoken ?? '')) ?? languages?.[0],
    recording,
  };
};

export const createSherpaSpeech = (
  speakers: readonly InstalledSpeaker[],
  children: Children<VoiceRequest, VoiceReply>,
): SpeechEngine => ({
  voices: async () => speakers.map(({ voice }) => voice),
  speak: async ({ voiceId, text, speed }, signal) => {
    const speaker = speakers.find(({ voice }) => voice.id === voiceId);
    if (!speaker) throw new AppError('not-found', 'no such voice');
    const { samples, sampleRateHz } = await children
      .of(speaker.config)
      .call(requestOf(speaker, text, speed), signal);
    return {
      sampleRateHz,
      pcm: (async function* () {
        yield limited(samples);
      })(),
    };
  },
});
