import { basename, join } from 'node:path';
import {
  checkTokens,
  demandOneModel,
  foreignAdvice,
  isModelFile,
  leastTokens,
  listFiles,
  type Metadata,
  named,
  onnxMetadataOf,
  pickOnnx,
  pickParts,
  sizeOf,
  unusable,
} from './model-folder.ts';
import {
  modelFilesOf,
  type ModelOption,
  RECOGNISER_KINDS,
  type RecogniserKind,
} from './recogniser-kinds.ts';

type Option = Readonly<Record<string, string | number>>;

/** The model part of the library's `OfflineRecognizerConfig` or `OnlineRecognizerConfig`, with absolute paths. */
export type ModelConfig = Readonly<
  Partial<Record<Exclude<ModelOption, 'teleSpeechCtc'>, Option>>
> & {
  /** Empty for a model with a tokenizer. */
  readonly tokens: string;
  readonly teleSpeechCtc?: string;
};

export interface Model extends Pick<RecogniserKind, 'kind' | 'needsLanguage' | 'takesHotwords'> {
  readonly name: string;
  readonly config: ModelConfig;
  readonly isStreaming?: boolean;
  /** The model's own codes of the languages that it knows; undefined where its files do not say. */
  readonly languages: readonly string[] | undefined;
}

const NAMES = [...new Set(RECOGNISER_KINDS.map(({ kind }) => kind))].join(', ');
const NOT_KNOWN = `not a model that is known here: ${NAMES}`;

/** Names of files that are not the only one of a model. */
const PARTS = RECOGNISER_KINDS.flatMap((kind) => Object.values(modelFilesOf(kind))).filter(Boolean);

const ONLY = new RegExp(`^(?!.*(?:${PARTS.map((name) => named(name).source).join('|')}))`);

const patternOf = (name: string): RegExp => (name === '' ? ONLY : named(name));

/** The file of a model that is called so. */
const pick = (files: readonly string[], name: string): string | undefined =>
  pickOnnx(files, patternOf(name));

/** The kind of the model in a folder, by its files and by the metadata of the first of them. */
const findKind = async (
  folder: string,
  files: readonly string[],
): Promise<RecogniserKind | undefined> => {
  const stated = new Map<string, Metadata>();
  for (const kind of RECOGNISER_KINDS) {
    if (kind.own?.some((name) => pick(files, name) !== undefined)) return kind;
    const first = pick(files, Object.values(modelFilesOf(kind))[0] ?? '');
    if (first === undefined || !kind.isOf) continue;
    const metadata = stated.get(first) ?? (await onnxMetadataOf(folder, first));
    stated.set(first, metadata);
    if (kind.isOf(metadata)) return kind;
  }
  return undefined;
};

/** The folder of a tokenizer, which is there with all of its files. */
const findTokenizer = async (
  folder: string,
  files: readonly string[],
  { kind, tokenizer }: RecogniserKind,
): Promise<Record<string, string>> => {
  if (!tokenizer) return {};
  const found = files.find((file) => tokenizer.folder.test(file));
  if (found === undefined)
    throw unusable(folder, `the folder of the tokenizer is missing, which ${kind} needs`);
  for (const file of tokenizer.files) await sizeOf(folder, `${found}/${file}`);
  return { tokenizer: join(folder, found) };
};

/**
 * Detects the kind of the recogniser in a folder by its files and their metadata: the library itself
 * reports little about a missing file. Throws `AppError` (`config`) that names the problem.
 */
export const findModel = async (folder: string): Promise<Model> => {
  const files = await listFiles(folder);
  if (!files.some(isModelFile))
    throw unusable(
      folder,
      foreignAdvice(files) ?? 'there is no .onnx file in it; unpack the model into it',
    );
  const kind = await findKind(folder, files);
  if (!kind) throw unusable(folder, NOT_KNOWN);
  const names = modelFilesOf(kind);
  for (const name of Object.values(names)) demandOneModel(folder, files, patternOf(name));
  const paths = pickParts(folder, kind.kind, names, (name) => pick(files, name));
  const stated: Metadata[] = [];
  for (const path of Object.values(paths))
    stated.push(await onnxMetadataOf(folder, basename(path)));
  const config = { ...kind.fixed, ...paths, ...(await findTokenizer(folder, files, kind)) };
  const [metadata = new Map<string, string>(), second] = stated;
  if (kind.kind === 'whisper' && second && kind.isOf?.(second))
    throw unusable(folder, `${basename(paths['decoder'] ?? '')} is an encoder, not a decoder`);
  const tokens = files.find((file) => /^(?:.*-)?tokens\.txt$/.test(file));
  if (!kind.tokenizer) {
    if (tokens === undefined) throw unusable(folder, 'tokens.txt is missing');
    const counting = stated.find((one) => one.has('vocab_size')) ?? metadata;
    await checkTokens(folder, tokens, (kind.tokens ?? leastTokens)(counting));
  }
  const { languages, needsLanguage, takesHotwords } = kind;
  return {
    kind: kind.kind,
    name: basename(folder),
    config: {
      [kind.option]: kind.option === 'teleSpeechCtc' ? paths['model'] : config,
      tokens: kind.tokenizer || tokens === undefined ? '' : join(folder, tokens),
    },
    languages: typeof languages === 'string' ? languages.split(' ') : languages?.(metadata),
    isStreaming: kind.kind.startsWith('streaming-'),
    needsLanguage,
    takesHotwords,
  };
};
