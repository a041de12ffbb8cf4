import { join } from 'node:path';
import { ESPEAK_DATA } from './espeak-data.ts';
import {
  checkTokens,
  demandOneModel,
  leastTokens,
  listFiles,
  type Metadata,
  onnxMetadataOf,
  pickOnnx,
  pickParts,
  sizeOf,
  unusable,
} from './model-folder.ts';
import { findPartedVoice, type PartedVoice, type Recording } from './parted-voices.ts';
import { readPiperSettings, speakerNames } from './piper.ts';

export type VoiceKind = 'vits' | 'kokoro' | 'kitten' | 'matcha' | PartedVoice['kind'];

/** The model part of the library's `OfflineTtsConfig`, with absolute paths. */
export type VoiceConfig = Readonly<Partial<Record<VoiceKind, Readonly<Record<string, string>>>>>;

export interface VoiceModel {
  readonly kind: VoiceKind;
  readonly config: VoiceConfig;
  /** Properties that the file states of itself: `language`, `voice`, `n_speakers`, `speaker_names`. */
  readonly metadata: Metadata;
  /** ISO 639 codes of a model that is told the language of each text. */
  readonly languages?: readonly string[];
  /** Recordings that the model speaks like, for one without speakers of its own. */
  readonly recordings?: readonly Recording[];
}

const PRONUNCIATION_FILES = ['phontab', 'phonindex', 'phondata', 'intonations'];
const LEXICON = /^lexicon(?:-us-en|-zh)?\.txt$/;

const KINDS: Readonly<Record<string, VoiceKind>> = {
  vits: 'vits',
  'melo-vits': 'vits',
  kokoro: 'kokoro',
  'kitten-tts': 'kitten',
  'matcha-tts': 'matcha',
};

/** Names of the model that makes sound of what a Matcha model makes. */
const VOCODER = /vocos|hifigan/;
const NO_VOCODER = /^(?!.*(?:vocos|hifigan))/;

/** Version of Kokoro's metadata from which the library demands a lexicon: that of Kokoro 1.0. */
const KOKORO_WITH_LEXICON = 2;

/** True when the metadata are those of a voice, which a model for recognition has not. */
const speaks = (metadata: Metadata): boolean =>
  metadata.has('sample_rate') && metadata.has('n_speakers');

const FLOAT_BYTES = 4;

/** Checks that `voices.bin` has the styles of all speakers: else the library ends its process. */
const checkStyles = async (folder: string, metadata: Metadata): Promise<void> => {
  const sizeBytes = await sizeOf(folder, 'voices.bin');
  const dimensions = (metadata.get('style_dim') ?? '').split(',').map(Number);
  const expectedBytes = dimensions.reduce(
    (product, one) => product * one,
    FLOAT_BYTES * Number(metadata.get('n_speakers')),
  );
  if (sizeBytes !== expectedBytes)
    throw unusable(
      folder,
      `voices.bin has ${sizeBytes} bytes in place of ${expectedBytes}: it is cut off, or of another model`,
    );
};

/** Checks that words can be pronounced: else the library ends its process. */
const checkPronunciation = async (
  folder: string,
  kind: VoiceKind,
  metadata: Metadata,
  files: readonly string[],
): Promise<void> => {
  const hasLexicon = files.some((file) => LEXICON.test(file));
  const needsLexicon =
    kind === 'kokoro' && Number(metadata.get('version') ?? 1) >= KOKORO_WITH_LEXICON;
  if (needsLexicon && !hasLexicon)
    throw unusable(
      folder,
      'lexicon-us-en.txt or lexicon-zh.txt is missing, which Kokoro needs from version 1.0 on',
    );
  const hasData = files.includes(ESPEAK_DATA);
  const isSpelt = kind === 'vits' || kind === 'matcha';
  const needsData = !isSpelt || (!hasLexicon && metadata.get('frontend') !== 'characters');
  if (needsData && !hasData) throw unusable(folder, `${ESPEAK_DATA} is missing`);
  if (hasData)
    for (const file of PRONUNCIATION_FILES) await sizeOf(folder, `${ESPEAK_DATA}/${file}`);
};

const vocoderOf = (folder: string, files: readonly string[]) =>
  pickParts(folder, 'Matcha', { vocoder: 'vocos-22khz-univ' }, () => pickOnnx(files, VOCODER));

/**
 * Detects the voice in a folder by its metadata; undefined for a folder with another kind of model.
 * Throws `AppError` (`config`) for a voice that is incomplete or of an unknown kind.
 */
export const findVoiceModel = async (folder: string): Promise<VoiceModel | undefined> => {
  const files = await listFiles(folder);
  const parted = await findPartedVoice(folder, files);
  if (parted) return parted;
  const model = pickOnnx(files, NO_VOCODER);
  if (model === undefined) return undefined;
  const at = (file: string): string => join(folder, file);
  const metadata = await onnxMetadataOf(folder, model);
  const piper = await readPiperSettings(folder, model);
  if (!speaks(metadata)) {
    if (!piper) return undefined;
    throw unusable(
      folder,
      'this is a Piper voice as it is published; npm run service -- models add FOLDER makes it one that is read here',
    );
  }

  demandOneModel(folder, files, NO_VOCODER);
  const type = metadata.get('model_type') ?? 'vits';
  const kind = KINDS[type];
  if (kind === undefined)
    throw unusable(
      folder,
      `a voice of kind ${type}; known here: Piper and other VITS, Kokoro, Kitten, Matcha, Supertonic, Pocket TTS, ZipVoice`,
    );
  await checkTokens(folder, 'tokens.txt', leastTokens(metadata));
  const hasStyles = kind === 'kokoro' || kind === 'kitten';
  if (hasStyles) await checkStyles(folder, metadata);
  await checkPronunciation(folder, kind, metadata, files);
  const lexicons = files.filter((file) => LEXICON.test(file));
  const names = piper && speakerNames(piper)?.join(',');
  return {
    kind,
    metadata: names ? new Map([...metadata, ['speaker_names', names]]) : metadata,
    config: {
      [kind]: {
        ...(kind === 'matcha'
          ? { acousticModel: at(model), ...vocoderOf(folder, files) }
          : { model: at(model) }),
        tokens: at('tokens.txt'),
        ...(hasStyles ? { voices: at('voices.bin') } : {}),
        ...(files.includes(ESPEAK_DATA) ? { dataDir: at(ESPEAK_DATA) } : {}),
        ...(lexicons.length > 0 ? { lexicon: lexicons.map(at).join(',') } : {}),
      },
    },
  };
};
