import { readFile, readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { readOnnxMetadata } from './onnx-metadata.ts';
import { AppError } from '../../../src/errors.ts';

/** The error of a folder that holds no usable model: an operator's sentence. */
const unusable = (folder: string, what: string): AppError =>
  new AppError('config', `${folder}: ${what}`);

/** Picks the smaller, quantised file when a folder has both. */
const pickOnnx = (files: readonly string[], part = /(?:)/): string | undefined => {
  const found = files.filter((file) => file.endsWith('.onnx') && part.test(file));
  return found.find((file) => file.includes('int8')) ?? found[0];
};

/** The names in a folder, sorted. Throws `AppError` (`config`) when it is none. */
const listFiles = async (folder: string): Promise<readonly string[]> => {
  try {
    return (await readdir(folder)).toSorted();
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw unusable(
      folder,
      code === 'ENOENT'
        ? 'there is no such folder'
        : code === 'ENOTDIR'
          ? 'it is a file; give the folder that the model is in'
          : `the folder cannot be read (${code})`,
    );
  }
};

/** Throws `AppError` (`config`) for a file without content. */
const checkContents = async (folder: string, files: readonly string[]): Promise<void> => {
  for (const file of files) {
    const { size } = await stat(join(folder, file));
    if (size === 0) throw unusable(folder, `${file} is empty; was the download cut off?`);
  }
};

export type ModelKind = 'sense-voice' | 'whisper' | 'transducer' | 'paraformer' | 'nemo-ctc';

/** The model part of the library's `OfflineRecognizerConfig`, with absolute paths. */
export interface ModelConfig {
  readonly tokens: string;
  readonly senseVoice?: { readonly model: string; readonly useInverseTextNormalization: 1 };
  readonly whisper?: {
    readonly encoder: string;
    readonly decoder: string;
    readonly language: string;
    readonly task: 'transcribe';
    readonly tailPaddings: -1;
  };
  readonly transducer?: {
    readonly encoder: string;
    readonly decoder: string;
    readonly joiner: string;
  };
  readonly paraformer?: { readonly model: string };
  readonly nemoCtc?: { readonly model: string };
}

export interface Model {
  readonly kind: ModelKind;
  readonly name: string;
  readonly config: ModelConfig;
}

/**
 * Detects the kind of model in a folder by its files: the library itself reports little about a
 * missing file. Throws `AppError` (`config`) that names the problem.
 */
export const findModel = async (folder: string): Promise<Model> => {
  const files = await listFiles(folder);
  const tokens = files.find((file) => /^(?:.*-)?tokens\.txt$/.test(file));
  if (!files.some((file) => file.endsWith('.onnx')))
    throw unusable(folder, 'there is no .onnx file in it; unpack the model into it');
  if (!tokens) throw unusable(folder, 'tokens.txt is missing');
  const encoder = pickOnnx(files, /encoder/);
  const decoder = pickOnnx(files, /decoder/);
  const joiner = pickOnnx(files, /joiner/);
  const model = pickOnnx(files, /^model/);
  const name = basename(folder);
  const at = (file: string): string => join(folder, file);

  if (encoder && /chunk-\d/.test(encoder))
    throw unusable(folder, 'this is a streaming model; take one for files (offline)');
  if (encoder && decoder && joiner) {
    await checkContents(folder, [tokens, encoder, decoder, joiner]);
    return {
      kind: 'transducer',
      name,
      config: {
        tokens: at(tokens),
        transducer: { encoder: at(encoder), decoder: at(decoder), joiner: at(joiner) },
      },
    };
  }
  if (encoder && decoder && (/whisper/i.test(name) || tokens !== 'tokens.txt')) {
    await checkContents(folder, [tokens, encoder, decoder]);
    return {
      kind: 'whisper',
      name,
      config: {
        tokens: at(tokens),
        whisper: {
          encoder: at(encoder),
          decoder: at(decoder),
          language: '',
          task: 'transcribe',
          tailPaddings: -1,
        },
      },
    };
  }
  if (encoder || decoder || joiner) {
    const missing = [!encoder && 'encoder', !decoder && 'decoder', !joiner && 'joiner'];
    throw unusable(folder, `a ${missing.filter(Boolean).join(' and ')} .onnx file is missing`);
  }
  if (!model)
    throw unusable(
      folder,
      'not a model that is known here: SenseVoice, Whisper, transducer, Paraformer, NeMo CTC',
    );
  await checkContents(folder, [tokens, model]);
  const metadata = await readOnnxMetadata(at(model));
  if (/^EncDec.*CTC/.test(metadata.get('model_type') ?? ''))
    return {
      kind: 'nemo-ctc',
      name,
      config: { tokens: at(tokens), nemoCtc: { model: at(model) } },
    };
  // Both kinds have the same file names; only SenseVoice has tokens for languages and emotions.
  return /<\|(?:HAPPY|yue|nospeech)\|>/.test(await readFile(at(tokens), 'utf8'))
    ? {
        kind: 'sense-voice',
        name,
        config: {
          tokens: at(tokens),
          senseVoice: { model: at(model), useInverseTextNormalization: 1 },
        },
      }
    : {
        kind: 'paraformer',
        name,
        config: { tokens: at(tokens), paraformer: { model: at(model) } },
      };
};

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
