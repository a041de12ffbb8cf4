import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../../src/errors.ts';
import { readOnnxMetadata } from './onnx-metadata.ts';

/** The library, an optional package. */
export const SHERPA_PACKAGE = 'sherpa-onnx-node';

/** The error of a folder that holds no usable model: an operator's sentence. */
export const unusable = (folder: string, what: string): AppError =>
  new AppError('config', `${folder}: ${what}`);

/** The properties that a model's file states of itself. */
export type Metadata = ReadonlyMap<string, string>;

/** True for a file in the format of ONNX, or in that of its runtime. */
export const isModelFile = (file: string): boolean => /\.(?:onnx|ort)$/.test(file);

/** Parts of the names of files that distinguish forms of one model. */
const FORM = /[-_.](?:u?int8|fp(?:16|32)|quant\w*|q[48]|chunk-\d+-left-\d+|steps-\d+)(?![a-z\d])/g;

/**
 * Throws `AppError` (`config`) where there are several models, and not forms of one, such as that with
 * whole numbers.
 */
export const demandOneModel = (folder: string, files: readonly string[], part = /(?:)/): void => {
  const found = files.filter((file) => isModelFile(file) && part.test(file));
  const stems = new Set(found.map((file) => file.replace(/\.\w+$/, '').replaceAll(FORM, '')));
  if (stems.size > 1)
    throw unusable(
      folder,
      `there are several models in it (${[...stems].join(', ')}); give each a folder of its own`,
    );
};

/** Picks the smaller, quantised file when a folder has both. */
export const pickOnnx = (files: readonly string[], part = /(?:)/): string | undefined => {
  const found = files.filter((file) => isModelFile(file) && part.test(file));
  return found.find((file) => file.includes('int8')) ?? found[0];
};

/** The names of files that are called so, whatever else their name says. */
export const named = (name: string): RegExp => new RegExp(`(?<![a-z])${name}(?![a-z])`);

/**
 * The paths of a model's files by the configuration's keys. Throws `AppError` (`config`) that names
 * those that are missing.
 *
 * @param names what each file is called
 */
export const pickParts = (
  folder: string,
  kind: string,
  names: Readonly<Record<string, string>>,
  pick: (name: string) => string | undefined,
): Readonly<Record<string, string>> => {
  const parts = Object.entries(names).map(([key, name]) => [key, name, pick(name)] as const);
  const missing = parts.filter(([, , file]) => file === undefined);
  if (missing.length > 0)
    throw unusable(
      folder,
      `${missing.map(([, name]) => `${name || 'model'}.onnx`).join(' and ')} is missing, which a ${kind} model needs`,
    );
  return Object.fromEntries(parts.map(([key, , file = '']) => [key, join(folder, file)]));
};

/** The names in a folder, sorted. Throws `AppError` (`config`) when it is none. */
export const listFiles = async (folder: string): Promise<readonly string[]> => {
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

/** Files of models that other programs read, and those programs. */
const FOREIGN: readonly (readonly [RegExp, string])[] = [
  [/^model\.bin$/, 'CTranslate2, which faster-whisper reads'],
  [/\.ggml$|^ggml-.*\.bin$/, 'GGML, which whisper.cpp reads'],
  [/\.safetensors$|\.pt$|\.nemo$|^pytorch_model.*\.bin$/, 'PyTorch, which vLLM and NeMo read'],
];

/** Says what to do with a model for another program; undefined where no file is of one. */
export const foreignAdvice = (files: readonly string[]): string | undefined => {
  const found = FOREIGN.find(([pattern]) => files.some((file) => pattern.test(file)));
  return (
    found &&
    `this is a model in the format of ${found[1]}: run it with a server that has the OpenAI API and set SERVICE_OPENAI_URL, or take the same model for sherpa-onnx (npm run service -- models list)`
  );
};

/** The size of a file in bytes. Throws `AppError` (`config`) where there is none, or nothing in it. */
export const sizeOf = async (folder: string, file: string): Promise<number> => {
  const found = await stat(join(folder, file)).catch(() => undefined);
  if (!found) throw unusable(folder, `${file} is missing`);
  if (found.size === 0) throw unusable(folder, `${file} is empty; was the download cut off?`);
  return found.size;
};

/**
 * The properties that an ONNX file states of itself. Throws `AppError` (`config`) for a file that is
 * empty, cut off or something else.
 */
export const onnxMetadataOf = async (folder: string, file: string): Promise<Metadata> => {
  await sizeOf(folder, file);
  const metadata = await readOnnxMetadata(join(folder, file));
  if (!metadata)
    throw unusable(folder, `${file} is cut off, or no ONNX model; was the download cut off?`);
  return metadata;
};

/** A token and its number; tokens may be or hold spaces. */
const TOKEN_LINE = /(?:^|\s)\d+$/;

/** Most tokens over those of the model: a blank, marks of the lexicon. */
const MOST_OTHERS = 20;

/** Number of tokens that a model's metadata name; none for a model that says nothing of it. */
export interface TokenCount {
  readonly least?: number;
  readonly oneOf?: readonly number[];
}

/** The number of tokens that most models state. */
export const leastTokens = (metadata: Metadata): TokenCount => ({
  least: Number(metadata.get('vocab_size') ?? 0),
});

/**
 * Checks that each line of a file of tokens is one, and that there are about as many as the model has. Throws
 * `AppError` (`config`) otherwise.
 */
export const checkTokens = async (
  folder: string,
  file: string,
  { least = 0, oneOf = [] }: TokenCount,
): Promise<void> => {
  await sizeOf(folder, file);
  const text = await readFile(join(folder, file), 'utf8');
  const lines = text.trimEnd().split(/\r?\n/);
  if (!lines.every((line) => TOKEN_LINE.test(line)))
    throw unusable(folder, `${file} is cut off, or no list of tokens; was the download cut off?`);
  const [words = least] = oneOf;
  if (lines.length < words)
    throw unusable(
      folder,
      `${file} has ${lines.length} of ${words} tokens; was the download cut off?`,
    );
  const isOther =
    oneOf.length === 0 ? lines.length > words + MOST_OTHERS : !oneOf.includes(lines.length);
  if (words > 0 && isOther)
    throw unusable(folder, `${file} has ${lines.length} tokens, the model ${words}; take its own`);
};
