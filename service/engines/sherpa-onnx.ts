import { AppError } from '../../src/errors.ts';
import type { Ability } from '../config.ts';
import { type CreateEngine, type EngineAbilities, isPackageInstalled } from '../engine.ts';
import { followInstalled, type InstalledFolder } from '../models/installed.ts';
import {
  createChildren,
  createSherpaRecognition,
  type InstalledRecogniser,
  createSherpaSpeech,
  type InstalledSpeaker,
} from './sherpa-onnx/children.ts';
import { findModel, type Model, findVoiceModel } from './sherpa-onnx/model.ts';
import type { VoiceReply, VoiceRequest } from './sherpa-onnx/voice-worker.ts';
import { describeInstalledVoices } from './sherpa-onnx/voices.ts';
import type { SherpaReply, SherpaRequest } from './sherpa-onnx/worker.ts';

const NAME = 'sherpa-onnx';
const PACKAGE = 'sherpa-onnx-node';
const SERVES = ['recognition', 'speech'] as const;
const SETUP = 'npm run setup';

interface Found {
  readonly recognisers: readonly InstalledRecogniser[];
  readonly speakers: readonly InstalledSpeaker[];
  /** Sentences about what cannot be used. */
  readonly faults: readonly string[];
}

const speakersOf = async ({
  path,
  record,
}: InstalledFolder): Promise<readonly InstalledSpeaker[]> => {
  const model = await findVoiceModel(path);
  if (!model) return [];
  return describeInstalledVoices(path, model, record?.gender).map((one) => ({
    ...one,
    config: model.config,
  }));
};

/** Undefined for a folder with another kind of model. */
const modelIn = (path: string): Promise<Model | undefined> =>
  findModel(path).catch((error: unknown) => {
    if (error instanceof AppError) return undefined;
    throw error;
  });

const servesOf = (found: Found): readonly Ability[] => [
  ...(found.recognisers.length > 0 ? (['recognition'] as const) : []),
  ...(found.speakers.length > 0 ? (['speech'] as const) : []),
];

/** Creates the engine for local recognition and speech with installed models, in processes. */
export const createEngine: CreateEngine = ({ config, log }) => {
  const chosen = config.SERVICE_SHERPA_MODEL;
  const ready = isPackageInstalled(PACKAGE);
  const recognisers = createChildren<SherpaRequest, SherpaReply>(
    NAME,
    new URL('./sherpa-onnx/worker.ts', import.meta.url),
    log,
  );
  const voices = createChildren<VoiceRequest, VoiceReply>(
    NAME,
    new URL('./sherpa-onnx/voice-worker.ts', import.meta.url),
    log,
  );

  const inspect = async (folders: readonly InstalledFolder[]): Promise<Found> => {
    const found: { recognisers: InstalledRecogniser[]; speakers: InstalledSpeaker[] } = {
      recognisers: [],
      speakers: [],
    };
    const faults: string[] = [];
    const note = (error: unknown, start = ''): void => {
      if (!(error instanceof AppError)) throw error;
      faults.push(`${start}${error.message}`);
    };
    for (const folder of folders) {
      const speakers = await speakersOf(folder).catch((error: unknown) => {
        note(error);
        return [];
      });
      found.speakers.push(...speakers);
      const model = speakers.length > 0 ? undefined : await modelIn(folder.path);
      if (model) found.recognisers.push({ model, languages: folder.record?.languages });
    }
    if (chosen !== undefined)
      try {
        found.recognisers = [{ model: await findModel(chosen), languages: undefined }];
      } catch (error) {
        note(error, 'SERVICE_SHERPA_MODEL: ');
        found.recognisers = [];
      }
    recognisers.keep(found.recognisers.map(({ model }) => model.config));
    voices.keep(found.speakers.map((speaker) => speaker.config));
    return { ...found, faults };
  };
  const current = followInstalled(config.SERVICE_MODELS, inspect);

  return {
    name: NAME,
    serves: SERVES,
    rank: 2,
    concurrent: 2,
    abilities: async (): Promise<EngineAbilities> => {
      if (!ready) return {};
      const found = await current();
      return {
        ...(found.recognisers.length > 0
          ? { recognition: createSherpaRecognition(found.recognisers, recognisers) }
          : {}),
        ...(found.speakers.length > 0
          ? { speech: createSherpaSpeech(found.speakers, voices) }
          : {}),
      };
    },
    report: async () => {
      const found = await current();
      const serves = servesOf(found);
      const offer = [
        ...found.recognisers.map(({ model }) => `${model.kind} model ${model.name}`),
        ...(found.speakers.length > 0
          ? [found.speakers.length === 1 ? '1 voice' : `${found.speakers.length} voices`]
          : []),
        ...found.faults,
      ].join('; ');
      const usable = ready && serves.length > 0;
      return {
        name: NAME,
        serves: usable ? serves : SERVES,
        ready: usable,
        detail: ready ? offer || SETUP : `npm install --include=optional, which adds ${PACKAGE}`,
      };
    },
    remedy: ({ ability }) =>
      ability === 'recognition' || ability === 'speech' ? `run ${SETUP}` : undefined,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([recognisers, voices].map((children) => children[Symbol.asyncDispose]()));
    },
  };
};
