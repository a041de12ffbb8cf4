import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { AppError } from '../../../src/errors.ts';

export type ModelKind = 'sense-voice' | 'whisper' | 'transducer' | 'paraformer';

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
}

export interface Model {
  readonly kind: ModelKind;
  readonly name: string;
  readonly config: ModelConfig;
}

const wrong = (folder: string, what: string): AppError =>
  new AppError('config', `SERVICE_SHERPA_MODEL (${folder}): ${what}`);

/** Picks the smaller, quantised file when a folder has both. */
const pickOnnx = (files: readonly string[], part: RegExp): string | undefined => {
  const found = files.filter((file) => file.endsWith('.onnx') && part.test(file));
  return found.find((file) => file.includes('int8')) ?? found[0];
};

const listFiles = async (folder: string): Promise<readonly string[]> => {
  try {
    return (await readdir(folder)).toSorted();
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw wrong(
      folder,
      code === 'ENOENT'
        ? 'there is no such folder'
        : code === 'ENOTDIR'
          ? 'it is a file; give the folder that the model is in'
          : `the folder cannot be read (${code})`,
    );
  }
};

const checkContents = async (folder: string, files: readonly string[]): Promise<void> => {
  for (const file of files) {
    const { size } = await stat(join(folder, file));
    if (size === 0) throw wrong(folder, `${file} is empty; was the download cut off?`);
  }
};

/**
 * Detects the kind of model in a folder by its files: the library itself reports little about a
 * missing file. Throws `AppError` (`config`) that names the problem.
 */
export const findModel = async (folder: string): Promise<Model> => {
  const files = await listFiles(folder);
  const tokens = files.find((file) => /^(?:.*-)?tokens\.txt$/.test(file));
  if (!files.some((file) => file.endsWith('.onnx')))
    throw wrong(folder, 'there is no .onnx file in it; unpack the model into it');
  if (!tokens) throw wrong(folder, 'tokens.txt is missing');
  const encoder = pickOnnx(files, /encoder/);
  const decoder = pickOnnx(files, /decoder/);
  const joiner = pickOnnx(files, /joiner/);
  const model = pickOnnx(files, /^model/);
  const name = basename(folder);
  const at = (file: string): string => join(folder, file);

  if (encoder && /chunk-\d/.test(encoder))
    throw wrong(folder, 'this is a streaming model; take one for files (offline)');
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
    throw wrong(folder, `a ${missing.filter(Boolean).join(' and ')} .onnx file is missing`);
  }
  if (!model)
    throw wrong(
      folder,
      'not a model that is known here: SenseVoice, Whisper, transducer, Paraformer',
    );
  await checkContents(folder, [tokens, model]);
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
