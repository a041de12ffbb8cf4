import { imageCommands } from '../../src/process/program.ts';
import { type CreateEngine, type EngineAbilities, isPackageInstalled } from '../engine.ts';
import { speakersText } from '../models/machine.ts';
import { followInstalled, inspectFolders, type InstalledFolder } from '../models/installed.ts';
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
} from './sherpa-onnx/model-folder.ts';
import type { InstalledRecogniser } from './sherpa-onnx/recogniser-choice.ts';
import type { StreamReply, StreamRequest } from './sherpa-onnx/stream-worker.ts';
import type { VoiceReply, VoiceRequest } from './sherpa-onnx/voice-worker.ts';
import { findVoices, type InstalledSpeaker } from './sherpa-onnx/voices.ts';
import type { SherpaReply, SherpaRequest } from './sherpa-onnx/worker.ts';

const NAME = 'sherpa-onnx';
const SERVES = ['recognition', 'speech'] as const;
const SETUP = 'npm run setup';

/** The content of a folder, which is of one kind. */
interface Part {
  readonly recogniser?: InstalledRecogniser;
  readonly speakers?: readonly InstalledSpeaker[];
  readonly diarisation?: DiarisationModel;
}

/** Finds what is in a folder with files of ONNX, or for no engine, which is reported by this one. */
const findPart = async ({ path, record }: InstalledFolder): Promise<Part | undefined> => {
  const files = await listFiles(path);
  if (!files.some(isModelFile) && foreignAdvice(files) === undefined) return undefined;
  const diarisation = await findDiarisation(path);
  if (diarisation) return { diarisation };
  const speakers = await findVoices(path, record?.gender);
  if (speakers) return { speakers };
  const realTimeFactor = record?.measured?.realTimeFactor;
  return {
    recogniser: { model: await findModel(path), languages: record?.languages, realTimeFactor },
  };
};

/** Creates the engine for local recognition and speech with installed models, in processes. */
export const createEngine: CreateEngine = ({ config, log }) => {
  const chosen = config.SERVICE_SHERPA_MODEL;
  const ready = isPackageInstalled(SHERPA_PACKAGE);
  const recognisers = createChildren<SherpaRequest, SherpaReply>('worker', log);
  const streams = createChildren<StreamRequest, StreamReply>('stream-worker', log, STREAM_CALLS);
  const following = createFollowing(streams);
  const voices = createChildren<VoiceRequest, VoiceReply>('voice-worker', log, VOICE_CALLS);

  const inspect = async (folders: readonly InstalledFolder[]) => {
    const { found, faults } = await inspectFolders(folders, findPart);
    const alone = await inspectFolders(chosen === undefined ? [] : [{ path: chosen }], (one) =>
      findModel(one.path),
    );
    const installed: readonly InstalledRecogniser[] =
      chosen === undefined
        ? found.flatMap(({ recogniser = [] }) => recogniser)
        : alone.found.map((model) => ({ model, languages: undefined }));
    const speakers = found.flatMap((part) => part.speakers ?? []);
    for (const children of [recognisers, streams])
      children.keep(installed.map(({ model }) => model.config));
    voices.keep(speakers.map((speaker) => speaker.config));
    return {
      recognisers: installed,
      speakers,
      diarisation: found.find((part) => part.diarisation)?.diarisation,
      faults: [...faults, ...alone.faults.map((fault) => `SERVICE_SHERPA_MODEL: ${fault}`)],
    };
  };
  const current = followInstalled(config.SERVICE_MODELS, inspect);

  const abilitiesOf = (found: Awaited<ReturnType<typeof inspect>>): EngineAbilities => {
    if (!ready) return {};
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
      ...(found.speakers.length > 0 ? { speech: createSherpaSpeech(found.speakers, voices) } : {}),
    };
  };

  return {
    name: NAME,
    serves: SERVES,
    rank: 2,
    concurrent: 2,
    abilities: async () => abilitiesOf(await current()),
    diarisation: async () => {
      const { diarisation } = await current();
      return ready && diarisation ? createSherpaDiarisation(diarisation, log) : undefined;
    },
    report: async () => {
      const found = await current();
      const abilities = abilitiesOf(found);
      const serves = SERVES.filter((ability) => abilities[ability]);
      const offer = [
        ...found.recognisers.map(({ model, realTimeFactor }) => {
          const measured = realTimeFactor === undefined ? '' : `, ${speakersText(realTimeFactor)}`;
          return `${model.kind} model ${model.name}${measured}`;
        }),
        ...(found.speakers.length > 0
          ? [found.speakers.length === 1 ? '1 voice' : `${found.speakers.length} voices`]
          : []),
        ...(found.diarisation ? ['tells speakers apart'] : []),
        ...found.faults,
      ].join('; ');
      return {
        name: NAME,
        serves: serves.length > 0 ? serves : SERVES,
        ready: serves.length > 0,
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
