import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { checkContents, listFiles, pickOnnx, unusable } from './model-files.ts';
import { readOnnxMetadata } from './onnx-metadata.ts';

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
