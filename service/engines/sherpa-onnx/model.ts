import { basename, join } from 'node:path';
import {
  checkTokens,
  foreignAdvice,
  leastTokens,
  listFiles,
  onnxMetadataOf,
  pickOnnx,
  type TokenCount,
  unusable,
} from './model-folder.ts';

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
  /** The model's own codes of the languages that it knows; undefined where its files do not say. */
  readonly languages: readonly string[] | undefined;
}

const NOT_KNOWN =
  'not a model that is known here: SenseVoice, Whisper, transducer, Paraformer, NeMo CTC';

/** True for a model that recognises speech while it comes, of which each call would get a part. */
const isStreaming = (encoder: string, metadata: Metadata): boolean =>
  /chunk-\d/.test(encoder) || metadata.has('decode_chunk_len');

type Metadata = ReadonlyMap<string, string>;

type Found = Pick<Model, 'kind'> & {
  readonly config: Omit<ModelConfig, 'tokens'>;
  readonly languages?: readonly string[] | undefined;
  readonly tokens: TokenCount;
};

const isWhisper = (metadata: Metadata): boolean =>
  metadata.get('model_type')?.startsWith('whisper') === true;

/** The languages of a Whisper model; one for English alone lists those of the others too. */
const whisperLanguages = (metadata: Metadata): readonly string[] | undefined =>
  metadata.get('is_multilingual') === '0' ? ['en'] : metadata.get('all_language_codes')?.split(',');

/** The kind of a model of one file, by the `model_type` that the library's scripts write. */
const findWhole = async (folder: string, file: string): Promise<Found> => {
  const metadata = await onnxMetadataOf(folder, file);
  const type = metadata.get('model_type') ?? '';
  const model = join(folder, file);
  const tokens = leastTokens(metadata);
  if (/^EncDec.*CTC/.test(type))
    return { kind: 'nemo-ctc', config: { nemoCtc: { model } }, tokens };
  if (type.startsWith('sense_voice'))
    return {
      kind: 'sense-voice',
      config: { senseVoice: { model, useInverseTextNormalization: 1 } },
      tokens,
    };
  if (type === 'paraformer')
    return { kind: 'paraformer', config: { paraformer: { model } }, tokens };
  throw unusable(folder, NOT_KNOWN);
};

/** The kind of a model that consists of an encoder and what follows it. */
const findParts = async (folder: string, files: readonly string[]): Promise<Found> => {
  const [encoder, decoder, joiner] = ['encoder', 'decoder', 'joiner'].map((part) =>
    pickOnnx(files, new RegExp(part)),
  );
  const metadata: Metadata = encoder ? await onnxMetadataOf(folder, encoder) : new Map();
  if (encoder && isStreaming(encoder, metadata))
    throw unusable(folder, 'this is a streaming model; take one for files (offline)');
  if (!encoder || !decoder || !(joiner || isWhisper(metadata))) {
    const missing = [
      !encoder && 'encoder',
      !decoder && 'decoder',
      !joiner && !isWhisper(metadata) && 'joiner',
    ];
    throw unusable(folder, `a ${missing.filter(Boolean).join(' and ')} .onnx file is missing`);
  }
  const at = (file: string): string => join(folder, file);
  const ofDecoder = await onnxMetadataOf(folder, decoder);
  if (isWhisper(metadata) || joiner === undefined) {
    if (isWhisper(ofDecoder)) throw unusable(folder, `${decoder} is an encoder, not a decoder`);
    return {
      kind: 'whisper',
      languages: whisperLanguages(metadata),
      config: {
        whisper: {
          encoder: at(encoder),
          decoder: at(decoder),
          language: '',
          task: 'transcribe',
          tailPaddings: -1,
        },
      },
      // Those of words, which come first, or all.
      tokens: { oneOf: ['eot', 'n_vocab'].map((name) => Number(metadata.get(name) ?? 0)) },
    };
  }
  await onnxMetadataOf(folder, joiner);
  return {
    kind: 'transducer',
    config: {
      transducer: { encoder: at(encoder), decoder: at(decoder), joiner: at(joiner) },
    },
    tokens: leastTokens(ofDecoder),
  };
};

/**
 * Detects the kind of the recogniser in a folder by its files and their metadata: the library itself
 * reports little about a missing file. Throws `AppError` (`config`) that names the problem.
 */
export const findModel = async (folder: string): Promise<Model> => {
  const files = await listFiles(folder);
  if (!files.some((file) => file.endsWith('.onnx')))
    throw unusable(
      folder,
      foreignAdvice(files) ?? 'there is no .onnx file in it; unpack the model into it',
    );
  const tokens = files.find((file) => /^(?:.*-)?tokens\.txt$/.test(file));
  if (!tokens) throw unusable(folder, 'tokens.txt is missing');
  const whole = pickOnnx(files, /^model/);
  const hasParts = pickOnnx(files, /encoder|decoder|joiner/) !== undefined;
  if (!hasParts && whole === undefined) throw unusable(folder, NOT_KNOWN);
  const {
    kind,
    config,
    languages,
    tokens: count,
  } = await (hasParts || whole === undefined ? findParts(folder, files) : findWhole(folder, whole));
  await checkTokens(folder, tokens, count);
  return {
    kind,
    name: basename(folder),
    config: { ...config, tokens: join(folder, tokens) },
    languages,
  };
};
