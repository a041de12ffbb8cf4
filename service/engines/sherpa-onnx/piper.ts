import { appendFile, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { ESPEAK_DATA, writeEspeakData } from './espeak-data.ts';
import { listFiles, onnxMetadataOf, unusable } from './model-folder.ts';
import { encodeMetadata } from './onnx-metadata.ts';

/** The settings of a Piper voice, `x.onnx.json` beside `x.onnx`, as far as they are used here. */
const piperSettings = z.object({
  audio: z.object({ sample_rate: z.int().positive() }),
  espeak: z.object({ voice: z.string() }),
  phoneme_type: z.string().default('espeak'),
  phoneme_id_map: z.record(z.string(), z.array(z.int()).min(1)),
  num_speakers: z.int().positive().default(1),
  speaker_id_map: z.record(z.string(), z.int()).default({}),
  language: z.object({ name_english: z.string().optional() }).default({}),
  /** Name of the speaker, or of the recordings of many. */
  dataset: z.string().optional(),
});
type PiperSettings = z.infer<typeof piperSettings>;

export const settingsFile = (model: string): string => `${model}.json`;

/** Reads the settings of a Piper voice; undefined where there are none, or others. */
export const readPiperSettings = async (
  folder: string,
  model: string,
): Promise<PiperSettings | undefined> => {
  try {
    const text = await readFile(join(folder, settingsFile(model)), 'utf8');
    return piperSettings.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
};

/** Names of the speakers in the order of their numbers; undefined where they have none. */
export const speakerNames = ({
  num_speakers: count,
  speaker_id_map: ids,
  dataset,
}: PiperSettings): readonly string[] | undefined => {
  const names = Object.entries(ids)
    .toSorted(([, a], [, b]) => a - b)
    .map(([name]) => name);
  if (names.length === count) return names;
  return count === 1 && dataset !== undefined ? [dataset] : undefined;
};

/** A rate that some settings have by a slip of the keyboard, and the one that is meant. */
const MISTYPED_RATE_HZ = 22_500;
const MEANT_RATE_HZ = 22_050;

/** Metadata that the library's own script writes into the model. */
const metadataOf = (settings: PiperSettings) => {
  const { sample_rate: rate } = settings.audio;
  const voice = settings.espeak.voice.toLowerCase();
  return {
    model_type: 'vits',
    comment: 'piper',
    language: settings.language.name_english ?? voice,
    voice: voice === 'pt-pt' ? 'pt' : voice,
    has_espeak: 1,
    n_speakers: settings.num_speakers,
    sample_rate: rate === MISTYPED_RATE_HZ ? MEANT_RATE_HZ : rate,
  };
};

/** Lines of a token and its number; Piper's own program reads characters, and no others. */
const tokensOf = ({ phoneme_id_map: ids }: PiperSettings): string =>
  Object.entries(ids)
    .filter(([token]) => token !== '\n' && Array.from(token).length === 1)
    .map(([token, [id]]) => `${token} ${id}\n`)
    .join('');

/**
 * Makes a Piper voice as it is published, `x.onnx` and `x.onnx.json`, one that the library reads: with
 * tokens, with metadata at the end of the model and with pronunciation. Leaves any other folder as it
 * is. Throws `AppError` (`config`) for a voice that cannot be used.
 */
export const preparePiperVoice = async (folder: string): Promise<void> => {
  const files = await listFiles(folder);
  const [model, ...others] = files.filter(
    (file) => file.endsWith('.onnx') && files.includes(settingsFile(file)),
  );
  if (model === undefined || files.includes('tokens.txt')) return;
  if (others.length > 0)
    throw unusable(
      folder,
      `there are several voices in it; add each by its file, such as ${model}`,
    );
  if ((await onnxMetadataOf(folder, model)).has('sample_rate')) return;
  const settings = await readPiperSettings(folder, model);
  if (!settings)
    throw unusable(folder, `${settingsFile(model)} does not hold the settings of a Piper voice`);
  if (settings.phoneme_type !== 'espeak')
    throw unusable(
      folder,
      `it speaks ${settings.phoneme_type} in place of eSpeak NG's phonemes, which is not read here`,
    );
  const metadata = metadataOf(settings);
  if (!files.includes(ESPEAK_DATA)) await writeEspeakData(folder, metadata.voice);
  await writeFile(join(folder, 'tokens.txt'), tokensOf(settings));
  await appendFile(join(folder, model), encodeMetadata(metadata));
};

/** The file with the settings of a voice whose model is a file on this machine. Throws for one without. */
export const settingsBeside = async (path: string): Promise<string> => {
  const beside = settingsFile(path);
  if ((await stat(beside).catch(() => undefined)) === undefined)
    throw unusable(
      path,
      `${beside} is missing, without which a voice cannot be used; another model is added by its folder`,
    );
  return beside;
};
