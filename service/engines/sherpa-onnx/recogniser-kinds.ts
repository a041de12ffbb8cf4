import type { Metadata, TokenCount } from './model-folder.ts';

/** A part of the library's configuration that names files; `teleSpeechCtc` is the name of the only one. */
export type ModelOption =
  | ('canary' | 'cohereTranscribe' | 'dolphin' | 'fireRedAsr' | 'fireRedAsrCtc' | 'funasrNano')
  | ('medasr' | 'moonshine' | 'nemoCtc' | 'omnilingual' | 'paraformer' | 'qwen3Asr' | 'senseVoice')
  | ('teleSpeechCtc' | 'toneCtc' | 'transducer' | 'wenetCtc' | 'whisper')
  | ('zipformer2Ctc' | 'zipformerCtc');

/** The name of a tokenizer's folder, and the files in it. */
interface Tokenizer {
  readonly folder: RegExp;
  readonly files: readonly string[];
}

/**
 * A kind of model that the library reads, and how it is known by its files. Those called streaming recognise speech
 * while it comes, with its `OnlineRecognizer`.
 */
export interface RecogniserKind {
  readonly kind: string;
  readonly option: ModelOption;
  /** Names of the files, by the configuration's keys. Default: the only one. */
  readonly files?: Readonly<Record<string, string>>;
  /** Names of files that only this kind has; a kind without them is known by its metadata. */
  readonly own?: readonly string[];
  /** Decides by the metadata of the first file. */
  readonly isOf?: (metadata: Metadata) => boolean;
  /** The rest of the configuration's part. */
  readonly fixed?: Readonly<Record<string, string | number>>;
  /** Stands in place of `tokens.txt`. */
  readonly tokenizer?: Tokenizer;
  /** ISO 639 codes; undefined where nothing says them. */
  readonly languages?: string | ((metadata: Metadata) => readonly string[] | undefined);
  /** The number of tokens; by `vocab_size` where this is left out. */
  readonly tokens?: (metadata: Metadata) => TokenCount;
  /** True for a model that takes any speech for its first language where none is given. */
  readonly needsLanguage?: true | undefined;
  /** True for a model that takes words to be expected with each recording. */
  readonly takesHotwords?: true | undefined;
}

const PAIR = { encoder: 'encoder', decoder: 'decoder' };
const TRIPLE = { ...PAIR, joiner: 'joiner' };

const isType =
  (pattern: RegExp) =>
  (metadata: Metadata): boolean =>
    pattern.test(metadata.get('model_type') ?? '');
const has =
  (...names: readonly string[]) =>
  (metadata: Metadata): boolean =>
    names.every((name) => metadata.has(name));

/** The library's tokenizers are made of these, which no metadata count. */
const tokenizer = (folder: RegExp, last: string): Tokenizer => ({
  folder,
  files: ['vocab.json', 'merges.txt', last],
});

/** The languages of a Whisper model; one for English alone lists those of the others too. */
const whisperLanguages = (metadata: Metadata): readonly string[] | undefined =>
  metadata.get('is_multilingual') === '0' ? ['en'] : metadata.get('all_language_codes')?.split(',');

/** The languages by which a NeMo model is prompted: a JSON object of locales and their numbers. */
const promptLanguages = (metadata: Metadata): readonly string[] | undefined => {
  const prompts = metadata.get('prompt_dictionary');
  if (prompts === undefined) return undefined;
  const bases = [...prompts.matchAll(/"([a-z]{2,3})(?:[-_][\w-]+)?"\s*:/gi)].map(([, base = '']) =>
    base.toLowerCase(),
  );
  return [...new Set(bases)];
};

/** Names of the files of a kind by the configuration's keys; '' for the only one. */
export const modelFilesOf = ({ files = { model: '' } }: RecogniserKind) => files;

/** A streaming model from icefall or NeMo states the length of what it reads at once. */
const streams = (metadata: Metadata): boolean =>
  ['decode_chunk_len', 'chunk_shift', 'streaming_model_type'].some((name) => metadata.has(name));

/** The kinds by which the files of a model are tried, those that are known by less last. */
export const RECOGNISER_KINDS: readonly RecogniserKind[] = [
  {
    kind: 'moonshine',
    option: 'moonshine',
    files: {
      preprocessor: 'preprocess',
      encoder: 'encode',
      uncachedDecoder: 'uncached_decode',
      cachedDecoder: 'cached_decode',
    },
    own: ['preprocess', 'uncached_decode', 'cached_decode'],
  },
  {
    kind: 'moonshine',
    option: 'moonshine',
    files: { encoder: 'encoder_model', mergedDecoder: 'decoder_model_merged' },
    own: ['encoder_model', 'decoder_model_merged'],
  },
  {
    kind: 'qwen3-asr',
    option: 'qwen3Asr',
    files: { convFrontend: 'conv_frontend', ...PAIR },
    own: ['conv_frontend'],
    tokenizer: tokenizer(/^tokenizer$/, 'tokenizer_config.json'),
    languages:
      'zh en yue ar de fr es pt id it ko ru th vi ja tr hi ms nl sv da fi pl cs fil fa el hu mk ro',
    takesHotwords: true,
  },
  {
    kind: 'funasr-nano',
    option: 'funasrNano',
    files: { encoderAdaptor: 'encoder_adaptor', llm: 'llm', embedding: 'embedding' },
    own: ['encoder_adaptor', 'llm', 'embedding'],
    tokenizer: tokenizer(/^Qwen3|^tokenizer$/, 'tokenizer.json'),
  },
  {
    kind: 'whisper',
    option: 'whisper',
    files: PAIR,
    isOf: isType(/^whisper/),
    // Times of tokens come from a decoder that was exported with its attention.
    fixed: { language: '', task: 'transcribe', tailPaddings: -1, enableTokenTimestamps: 1 },
    languages: whisperLanguages,
    // Those of words, which come first, or all.
    tokens: (metadata) => ({
      oneOf: ['eot', 'n_vocab'].map((name) => Number(metadata.get(name) ?? 0)),
    }),
  },
  {
    kind: 'canary',
    option: 'canary',
    files: PAIR,
    isOf: isType(/^EncDecMultiTaskModel$/),
    fixed: { srcLang: 'en', tgtLang: 'en', usePnc: 1 },
    languages: 'en de es fr',
    needsLanguage: true,
  },
  {
    kind: 'cohere-transcribe',
    option: 'cohereTranscribe',
    files: PAIR,
    isOf: isType(/cohere-transcribe/),
    fixed: { language: 'en', usePunct: 1, useItn: 1 },
    languages: 'en ar de el es fr it ja ko nl pl pt vi zh',
    needsLanguage: true,
  },
  {
    kind: 'fire-red-asr',
    option: 'fireRedAsr',
    files: PAIR,
    isOf: has('cmvn_mean', 'num_decoder_layers'),
    languages: 'zh en',
  },
  {
    kind: 'streaming-paraformer',
    option: 'paraformer',
    files: PAIR,
    isOf: has('decoder_num_blocks', 'encoder_output_size'),
  },
  {
    kind: 'streaming-transducer',
    option: 'transducer',
    files: TRIPLE,
    isOf: streams,
    languages: promptLanguages,
  },
  { kind: 'transducer', option: 'transducer', files: TRIPLE, own: Object.values(TRIPLE) },
  { kind: 'streaming-ctc', option: 'zipformer2Ctc', isOf: has('decode_chunk_len') },
  { kind: 'streaming-ctc', option: 'nemoCtc', isOf: has('chunk_shift', 'window_size') },
  { kind: 'streaming-ctc', option: 'toneCtc', isOf: isType(/^t-one/), languages: 'ru' },
  {
    kind: 'sense-voice',
    option: 'senseVoice',
    isOf: isType(/^sense_voice/),
    fixed: { useInverseTextNormalization: 1 },
    languages: 'zh yue en ja ko',
  },
  { kind: 'paraformer', option: 'paraformer', isOf: isType(/^paraformer$/) },
  { kind: 'nemo-ctc', option: 'nemoCtc', isOf: isType(/^EncDec.*CTC/) },
  { kind: 'zipformer-ctc', option: 'zipformerCtc', isOf: isType(/^zipformer2_ctc/) },
  { kind: 'wenet-ctc', option: 'wenetCtc', isOf: isType(/^wenet_ctc/) },
  {
    kind: 'telespeech-ctc',
    option: 'teleSpeechCtc',
    isOf: isType(/^telespeech_ctc/),
    languages: 'zh',
  },
  { kind: 'omnilingual', option: 'omnilingual', isOf: isType(/^omnilingual/) },
  { kind: 'medasr', option: 'medasr', isOf: isType(/^medasr/), languages: 'en' },
  {
    kind: 'fire-red-asr-ctc',
    option: 'fireRedAsrCtc',
    isOf: isType(/^fire-red-asr/),
    languages: 'zh en',
  },
  { kind: 'dolphin', option: 'dolphin', isOf: has('mean', 'invstd') },
];
