import { AppError } from '../../src/errors.ts';
import { createChild } from '../child.ts';
import { RECOGNITION_RATE_HZ, type CreateEngine, type RecognitionEngine } from '../engine.ts';
import { isPackageInstalled } from '../package-installed.ts';
import { findModel, type Model } from './sherpa-onnx/model.ts';
import type { SherpaReply, SherpaRequest } from './sherpa-onnx/worker.ts';

const NAME = 'sherpa-onnx';
const PACKAGE = 'sherpa-onnx-node';

/**
 * Longest audio of one call: Whisper takes at most 30 s; the other models grow slow with much more.
 */
const LONGEST_MS = 28_000;
/** Longest time of a call, loading a large model included. */
const CALL_TIMEOUT_MS = 120_000;
const CALLS_PER_CHILD = 5_000;
/** Idle time after which the child is stopped: models are slow to load. */
const IDLE_MS = 60 * 60_000;

type Setup =
  | { readonly model: Model; readonly recognition: RecognitionEngine }
  | { remedy: string };

/**
 * Creates the engine for local speech recognition with a model from a folder, in a separate
 * process.
 */
export const createEngine: CreateEngine = ({ config, log }) => {
  const children: AsyncDisposable[] = [];

  const setUp = async (): Promise<Setup> => {
    const folder = config.SERVICE_SHERPA_MODEL;
    if (folder === undefined)
      return { remedy: 'set SERVICE_SHERPA_MODEL to the folder of a sherpa-onnx model' };
    if (!isPackageInstalled(PACKAGE))
      return { remedy: `npm install --include=optional, which adds ${PACKAGE}` };
    let model: Model;
    try {
      model = await findModel(folder);
    } catch (error) {
      if (error instanceof AppError) return { remedy: error.message };
      throw error;
    }
    const child = createChild<SherpaRequest, SherpaReply>({
      name: NAME,
      file: new URL('./sherpa-onnx/worker.ts', import.meta.url),
      args: [JSON.stringify(model.config)],
      log,
      callTimeoutMs: CALL_TIMEOUT_MS,
      callsPerChild: CALLS_PER_CHILD,
      idleMs: IDLE_MS,
    });
    children.push(child);
    return {
      model,
      recognition: {
        longestMs: LONGEST_MS,
        recognise: (samples, hints, signal) =>
          child.call(
            {
              samples,
              sampleRateHz: RECOGNITION_RATE_HZ,
              language: hints.language?.split('-')[0],
            },
            signal,
          ),
      },
    };
  };
  const setup = setUp();

  return {
    name: NAME,
    serves: ['recognition'],
    rank: 2,
    concurrent: 2,
    abilities: async () => {
      const now = await setup;
      return 'remedy' in now ? {} : { recognition: now.recognition };
    },
    report: async () => {
      const now = await setup;
      return {
        name: NAME,
        serves: ['recognition'],
        ready: !('remedy' in now),
        detail: 'remedy' in now ? now.remedy : `${now.model.kind} model ${now.model.name}`,
      };
    },
    remedy: ({ ability }) =>
      ability === 'recognition' ? 'set SERVICE_SHERPA_MODEL to the folder of a model' : undefined,
    [Symbol.asyncDispose]: async () => {
      await setup.catch(() => undefined);
      await Promise.all(children.map((child) => child[Symbol.asyncDispose]()));
    },
  };
};
