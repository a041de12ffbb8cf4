import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../src/errors.ts';
import { findTranslationModel } from '../engines/bergamot/model.ts';
import { findModel } from '../engines/sherpa-onnx/model.ts';
import { findVoiceModel } from '../engines/sherpa-onnx/voice-model.ts';
import type { CatalogueModel } from './catalogue.ts';

export type ModelAbility = CatalogueModel['ability'];

export interface Layout {
  readonly ability: ModelAbility;
  /** The engine's configuration, in which the paths of the files stand. */
  readonly config: object;
}

/**
 * Finds out what kind of model a folder holds. Throws `AppError` (`config`) with an operator's
 * sentence when no engine can use it.
 */
export const findLayout = async (folder: string): Promise<Layout> => {
  const translation = await findTranslationModel({ path: folder, record: undefined });
  if (translation) return { ability: 'translation', config: translation };
  const voice = await findVoiceModel(folder);
  if (voice) return { ability: 'speech', config: voice.config };
  return { ability: 'recognition', config: (await findModel(folder)).config };
};

/** True for files of a model for which there can be another, quantised one. */
const isWeights = (name: string): boolean => /\.(?:onnx|weights)$/.test(name);

/** Removes weights that the engine does not use, and samples: half of what Whisper comes with. */
export const removeUnused = async (folder: string, { config }: Layout): Promise<void> => {
  const used = JSON.stringify(config);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const isSample = entry.isDirectory() && entry.name === 'test_wavs';
    const stem = entry.name.replace(/\.(?:onnx|weights)$/, '');
    const isSpare = entry.isFile() && isWeights(entry.name) && !used.includes(`/${stem}.onnx`);
    if (isSample || isSpare) await rm(join(folder, entry.name), { recursive: true });
  }
};

/** Throws `AppError` when a model of the catalogue turns out to be of another kind. */
export const demandAbility = (name: string, wanted: ModelAbility, found: ModelAbility): void => {
  if (wanted !== found)
    throw new AppError('config', `${name} should serve ${wanted}, but its files are for ${found}`);
};
