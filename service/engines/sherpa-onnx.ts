import { imageCommands } from '../../src/process/program.ts';
import { AppError, toAppError } from '../../src/errors.ts';
import type { Ability } from '../config.ts';
import { type CreateEngine, type EngineAbilities, isPackageInstalled } from '../engine.ts';
import { speakersText } from '../models/machine.ts';
import { followInstalled, type InstalledFolder } from '../models/installed.ts';
import {
  createChildren,
  createSherpaRecognition,
  createSherpaSpeech,
  STREAM_CALLS,
  VOICE_CALLS,
} from './sherpa-onnx/children.ts';
import {
  createSherpaDiarisation,
  findDiarisation,
  type DiarisationModel,
} from './sherpa-onnx/diarisation.ts';
import { createFollowing } from './sherpa-onnx/following.ts';
import { findModel } from './sherpa-onnx/model.ts';
import {
  foreignAdvice,
  isModelFile,
  listFiles,
  SHERPA_PACKAGE,
  unusable,
} from './sherpa-onnx/model-folder.ts';
import type { InstalledRecogniser } from './sherpa-onnx/recogniser-choice.ts';
import type { StreamReply, StreamRequest } from './sherpa-onnx/stream-worker.ts';
import type { VoiceReply, VoiceRequest } from './sherpa-onnx/voice-worker.ts';
import { findVoices, type InstalledSpeaker } from './sherpa-onnx/voices.ts';
import type { SherpaReply, SherpaRequest } from './sherpa-onnx/worker.ts';

const NAME = 'sherpa-onnx';
const SERVES = ['recognition', 'speech'] as const;
const SETUP = 'npm run setup';

interface Found {
  readonly recognisers: readonly InstalledRecogniser[];
  readonly speakers: readonly InstalledSpeaker[];
  readonly diarisation: DiarisationModel | undefined;
  /** Sentences about what cannot be used. */
  readonly faults: readonly string[];
}

/** Folders with files of ONNX are of this engine; what is for no engine is reported by it. */
const isOurs = async ({ path }: InstalledFolder): Promise<boolean> => {
  const files = await listFiles(path);
  return files.some(isModelFile) || foreignAdvice(files) !== undefined;
};

const servesOf = (found: Found): readonly Ability[] => [
  ...(found.recognisers.length > 0 ? (['recognition'] as const) : []),
  ...(found.speakers.length > 0 ? (['speech'] as const) : []),
];

/** Creates the engine for local recognition and speech with installed models, in processes. */
export const createEngine: CreateEngine = ({ config, log }) => {
  const chosen = config.SERVICE_SHERPA_MODEL;
  const ready = isPackageInstalled(SHERPA_PACKAGE);
  const recognisers = createChildren<SherpaRequest, SherpaReply>(
    NAME,
    new URL('./sherpa-onnx/worker.ts', import.meta.url),
    log,
  );
  const streams = createChildren<StreamRequest, StreamReply>(
    NAME,
    new URL('./sherpa-onnx/stream-worker.ts', import.meta.url),
    log,
    STREAM_CALLS,
  );
  const following = createFollowing(streams);
  const voices = createChildren<VoiceRequest, VoiceReply>(
    NAME,
    new URL('./sherpa-onnx/voice-worker.ts', import.meta.url),
    log,
    VOICE_CALLS,
  );

  const inspect = async (folders: readonly InstalledFolder[]): Promise<Found> => {
    const found: {
      recognisers: InstalledRecogniser[];
      speakers: InstalledSpeaker[];
      diarisation: DiarisationModel | undefined;
    } = { recognisers: [], speakers: [], diarisation: undefined };
    const faults: string[] = [];
    const note = (folder: string, thrown: unknown, start = ''): void => {
      const { code = toAppError(thrown).message } = thrown as NodeJS.ErrnoException;
      const error =
        thrown instanceof AppError ? thrown : unusable(folder, `it cannot be read (${code})`);
      faults.push(`${start}${error.message}`);
    };
    for (const folder of folders)
      try {
        if (!(await isOurs(folder))) continue;
        const diarisation = await findDiarisation(folder.path);
        found.diarisation ??= diarisation;
        if (diarisation) continue;
        const speakers = await findVoices(folder.path, folder.record?.gender);
        if (speakers) found.speakers.push(...speakers);
        else
          found.recognisers.push({
            model: await findModel(folder.path),
            languages: folder.record?.languages,
            realTimeFactor: folder.record?.measured?.realTimeFactor,
          });
      } catch (error) {
        note(folder.path, error);
      }
    if (chosen !== undefined)
      try {
        found.recognisers = [{ model: await findModel(chosen), languages: undefined }];
      } catch (error) {
        note(chosen, error, 'SERVICE_SHERPA_MODEL: ');
        found.recognisers = [];
      }
    const configsOf = (isStreaming: boolean) =>
      found.recognisers
        .filter(({ model }) => (model.isStreaming ?? false) === isStreaming)
        .map(({ model }) => model.config);
    recognisers.keep(configsOf(false));
    streams.keep(configsOf(true));
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
      const streaming = found.recognisers.filter(({ model }) => model.isStreaming);
      const others = found.recognisers.filter(({ model }) => !model.isStreaming);
      const recognition = createSherpaRecognition(
        others,
        recognisers,
        config.DRAGOMAN_IMAGE ? imageCommands : undefined,
      );
      return {
        ...(found.recognisers.length > 0
          ? { recognition: following.extend(recognition, streaming, others) }
          : {}),
        ...(found.speakers.length > 0
          ? { speech: createSherpaSpeech(found.speakers, voices) }
          : {}),
      };
    },
    diarisation: async () => {
      const { diarisation } = await current();
      return ready && diarisation ? createSherpaDiarisation(diarisation, log) : undefined;
    },
    report: async () => {
      const found = await current();
      const serves = servesOf(found);
      const offer = [
        ...found.recognisers.map(({ model, realTimeFactor }) =>
          [
            `${model.kind} model ${model.name}`,
            ...(realTimeFactor === undefined ? [] : [speakersText(realTimeFactor)]),
          ].join(', '),
        ),
        ...(found.speakers.length > 0
          ? [found.speakers.length === 1 ? '1 voice' : `${found.speakers.length} voices`]
          : []),
        ...(found.diarisation ? ['tells speakers apart'] : []),
        ...found.faults,
      ].join('; ');
      const usable = ready && serves.length > 0;
      return {
        name: NAME,
        serves: usable ? serves : SERVES,
        ready: usable,
        detail: ready
          ? offer || SETUP
          : `npm install --include=optional, which adds ${SHERPA_PACKAGE}`,
      };
    },
    measure: async function* (signal) {
      if (!ready) return;
      const found = await current();
      for (const one of found.recognisers)
        if (one.model.isStreaming) yield await following.measure(one, signal);
    },
    remedy: ({ ability }) => {
      if (ability === 'diarisation') return 'add its two models (docs/service.md, "Speakers")';
      return ability === 'recognition' || ability === 'speech' ? `run ${SETUP}` : undefined;
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(
        [recognisers, streams, voices].map((children) => children[Symbol.asyncDispose]()),
      );
    },
  };
};
