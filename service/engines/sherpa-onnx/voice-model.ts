import { join } from 'node:path';
import { checkContents, listFiles, pickOnnx, unusable } from './model-files.ts';
import { readOnnxMetadata } from './onnx-metadata.ts';

export type VoiceKind = 'vits' | 'kokoro' | 'kitten';

/** The model part of the library's `OfflineTtsConfig`, with absolute paths. */
export type VoiceConfig = Readonly<Partial<Record<VoiceKind, Readonly<Record<string, string>>>>>;

export interface VoiceModel {
  readonly kind: VoiceKind;
  readonly config: VoiceConfig;
  /** Properties that the file states of itself: `language`, `voice`, `n_speakers`, `speaker_names`. */
  readonly metadata: ReadonlyMap<string, string>;
}

/** Folder of the pronunciation data that Piper, Kokoro and Kitten models come with. */
const PRONUNCIATION = 'espeak-ng-data';
const LEXICON = /^lexicon(?:-us-en|-zh)?\.txt$/;

const KINDS: Readonly<Record<string, VoiceKind>> = {
  vits: 'vits',
  'melo-vits': 'vits',
  kokoro: 'kokoro',
  'kitten-tts': 'kitten',
};

/** True when the metadata are those of a voice, which a model for recognition has not. */
const speaks = (metadata: ReadonlyMap<string, string>): boolean =>
  metadata.has('sample_rate') && metadata.has('n_speakers');

/**
 * Detects the voice in a folder by its files and its metadata; undefined for a folder with another
 * kind of model. Throws `AppError` (`config`) for a voice that is incomplete or of an unknown kind.
 */
export const findVoiceModel = async (folder: string): Promise<VoiceModel | undefined> => {
  const files = await listFiles(folder);
  const model = pickOnnx(files);
  if (model === undefined) return undefined;
  const at = (file: string): string => join(folder, file);
  const metadata = await readOnnxMetadata(at(model));
  if (!speaks(metadata)) return undefined;

  const type = metadata.get('model_type') ?? 'vits';
  const kind = KINDS[type];
  if (kind === undefined)
    throw unusable(
      folder,
      `a voice of kind ${type}; known here: Piper and other VITS, Kokoro, Kitten`,
    );
  const needed = [model, 'tokens.txt', ...(kind === 'vits' ? [] : ['voices.bin'])];
  const missing = needed.find((file) => !files.includes(file));
  if (missing !== undefined) throw unusable(folder, `${missing} is missing`);
  const hasData = files.includes(PRONUNCIATION);
  const lexicons = files.filter((file) => LEXICON.test(file));
  // Without what it needs to pronounce words, the library ends its whole process.
  if (!hasData && lexicons.length === 0 && metadata.get('frontend') !== 'characters')
    throw unusable(folder, `${PRONUNCIATION} is missing`);
  await checkContents(folder, needed);
  return {
    kind,
    metadata,
    config: {
      [kind]: {
        model: at(model),
        tokens: at('tokens.txt'),
        ...(kind === 'vits' ? {} : { voices: at('voices.bin') }),
        ...(hasData ? { dataDir: at(PRONUNCIATION) } : {}),
        ...(lexicons.length > 0 ? { lexicon: lexicons.map(at).join(',') } : {}),
      },
    },
  };
};
