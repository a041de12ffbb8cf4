import { basename, join } from 'node:path';
import { createChild } from '../../../src/process/child.ts';
import { LONGEST_SPEAKERS_MS } from '../../../src/api/contract.ts';
import type { Log } from '../../../src/telemetry/log.ts';
import type { DiarisationEngine, SpeakerTurn } from '../../engine.ts';
import type { DiarisationConfig, DiarisationReply } from './diarisation-worker.ts';
import { listFiles, onnxMetadataOf, unusable } from './model-folder.ts';

/** Two models that tell speakers apart: one finds changes of speakers, the other compares voices. */
export interface DiarisationModel {
  readonly name: string;
  readonly config: DiarisationConfig;
}

/** Kinds of models that compare voices (`framework` in their metadata). */
const EMBEDDINGS = ['wespeaker', '3d-speaker', 'nemo'];

/**
 * Detects the models in a folder that tell speakers apart; undefined where there is none of them. Throws
 * `AppError` (`config`) where one of the two is missing.
 */
export const findDiarisation = async (folder: string): Promise<DiarisationModel | undefined> => {
  let segmentation: string | undefined;
  let embedding: string | undefined;
  for (const file of (await listFiles(folder)).filter((name) => name.endsWith('.onnx'))) {
    const metadata = await onnxMetadataOf(folder, file);
    if (metadata.has('powerset_max_classes')) segmentation ??= file;
    else if (metadata.has('output_dim') && EMBEDDINGS.includes(metadata.get('framework') ?? ''))
      embedding ??= file;
  }
  if (segmentation === undefined && embedding === undefined) return undefined;
  if (segmentation === undefined)
    throw unusable(folder, 'the model that finds changes of speakers (pyannote) is missing');
  if (embedding === undefined)
    throw unusable(
      folder,
      'the model that compares voices (WeSpeaker, 3D-Speaker, NeMo) is missing',
    );
  return {
    name: basename(folder),
    config: {
      segmentation: { pyannote: { model: join(folder, segmentation) } },
      embedding: { model: join(folder, embedding) },
    },
  };
};

const CALL_TIMEOUT_MS = 10 * 60_000;

/** Numbers speakers in the order of their first words. */
const numbered = (found: DiarisationReply): readonly SpeakerTurn[] => {
  const numbers = new Map<number, number>();
  return found
    .toSorted((a, b) => a.start - b.start)
    .map(({ start, end, speaker }) => {
      const number = numbers.get(speaker) ?? numbers.size + 1;
      numbers.set(speaker, number);
      return { startMs: start * 1_000, endMs: end * 1_000, speaker: number };
    });
};

/** Tells speakers apart; each recording has a process, which ends with it. */
export const createSherpaDiarisation = (
  { config }: DiarisationModel,
  log: Log,
): DiarisationEngine => ({
  longestMs: LONGEST_SPEAKERS_MS,
  diarise: async (samples, signal) => {
    await using child = createChild<Float32Array, DiarisationReply>({
      name: 'diarisation',
      file: new URL('./diarisation-worker.ts', import.meta.url),
      args: [JSON.stringify(config)],
      log,
      callTimeoutMs: CALL_TIMEOUT_MS,
      callsPerChild: Infinity,
      idleMs: CALL_TIMEOUT_MS,
      tellsErrors: true,
    });
    return numbered(await child.call(samples, signal));
  },
});
