import { basename, join } from 'node:path';
import { isMadeToTranslate } from '../../../src/text/model-size.ts';
import { listFiles, unusable } from '../sherpa-onnx/model-folder.ts';
import { readGguf, type GgufHead } from './gguf.ts';

/** A language model: one file in the format GGUF of llama.cpp. */
export interface ChatModel {
  /** Name of its folder. */
  readonly name: string;
  readonly path: string;
  readonly bytes: number;
  readonly parameters: number;
  /** The most tokens that it was trained to read and write together. */
  readonly trainedTokens: number;
  /** Bytes of memory that a token of its context takes, at most. */
  readonly tokenBytes: number;
  /** True for one that makes vectors of texts and answers nothing. */
  readonly isForVectors: boolean;
  /** True for one that was made to translate. */
  readonly isForTranslation: boolean;
  /** Names of its folder, of its file, and its own. */
  readonly names: string;
}

/** Tokens of a model that does not say for how many it was trained. */
const USUAL_TOKENS = 2_048;
/** Bytes of a number in the memory of a context. */
const NUMBER_BYTES = 2;

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

/** Bytes that a token takes in the memory of a context; fewer in models that look back less far. */
const tokenBytesOf = ({ metadata }: GgufHead, architecture: string): number => {
  const of = (name: string): unknown => metadata.get(`${architecture}.${name}`);
  const count = (name: string, otherwise = 0): number => Number(of(name) ?? otherwise);
  const layers = count('block_count');
  const heads = of('attention.head_count_kv') ?? of('attention.head_count');
  const perHead = count('embedding_length') / Math.max(1, count('attention.head_count'));
  const width = count('attention.key_length', perHead) + count('attention.value_length', perHead);
  const all = Array.isArray(heads) ? sum(heads as number[]) : Number(heads ?? 0) * layers;
  return NUMBER_BYTES * width * all;
};

/**
 * Detects the language model in a folder; undefined for a folder without one. Throws `AppError`
 * (`config`) for a folder with several, and for a file that is something else, is cut off, or was not
 * made to answer.
 */
export const findChatModel = async (folder: string): Promise<ChatModel | undefined> => {
  const files = (await listFiles(folder)).filter((name) => name.endsWith('.gguf'));
  const [file, ...others] = files;
  if (file === undefined) return undefined;
  if (others.length > 0)
    throw unusable(folder, 'there are several models in it; give each a folder of its own');
  const path = join(folder, file);
  const head = await readGguf(path);
  if (head === 'other') throw unusable(folder, `${file} is no GGUF file`);
  if (head === 'cut') throw unusable(folder, `${file} is cut off; was the download cut off?`);
  const { metadata, parameters, wholeBytes } = head;
  if (Number(metadata.get('split.count') ?? 1) > 1)
    throw unusable(folder, `${file} is a part of a model; take it as one file`);
  const architecture = String(metadata.get('general.architecture'));
  const isForVectors = metadata.has(`${architecture}.pooling_type`);
  if (!isForVectors && !metadata.get('tokenizer.chat_template'))
    throw unusable(
      folder,
      `${file} has no chat template, so it was not made to answer; take its variant for instructions (its name often ends in -it or -instruct)`,
    );
  const name = basename(folder);
  const names = [name, file, metadata.get('general.name')].join(' ');
  return {
    name,
    path,
    bytes: wholeBytes,
    parameters,
    trainedTokens: Number(metadata.get(`${architecture}.context_length`) ?? USUAL_TOKENS),
    tokenBytes: tokenBytesOf(head, architecture),
    isForVectors,
    names,
    isForTranslation: isMadeToTranslate(names),
  };
};
