import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findModel } from '../../../../service/engines/sherpa-onnx/model.ts';
import { encodeOnnx } from '../../../fakes/models/onnx.ts';

/** An ONNX file with nothing but metadata. */
const onnx = (metadata: Readonly<Record<string, string | number>> = {}): Buffer =>
  encodeOnnx({ inputs: [], outputs: [], constants: [], nodes: [], metadata });
const of = (type: string): Buffer => onnx({ model_type: type });
/** A file in the format of ONNX's runtime. */
const ORT = Buffer.from('\x18\x00\x00\x00ORTM\x00\x00', 'latin1');
const TOKENS = { 'tokens.txt': 'a 0\nb 1\n' };

type Files = Readonly<Record<string, string | Buffer>>;
const TOKENIZER = (folder: string, last: string): Files =>
  Object.fromEntries(
    ['vocab.json', 'merges.txt', last].map((file) => [`${folder}/${file}`, 'x'] as const),
  );

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'dragoman-model-'));
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

const folder = (files: Files): string => {
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, 'm', file)), { recursive: true });
    writeFileSync(join(root, 'm', file), content);
  }
  return join(root, 'm');
};

const MOONSHINE: Files = {
  'preprocess.onnx': onnx(),
  'encode.int8.onnx': onnx(),
  'uncached_decode.int8.onnx': onnx(),
  'cached_decode.int8.onnx': onnx(),
  ...TOKENS,
};
const QWEN: Files = {
  'conv_frontend.onnx': onnx(),
  'encoder.int8.onnx': onnx(),
  'decoder.int8.onnx': onnx(),
  ...TOKENIZER('tokenizer', 'tokenizer_config.json'),
};
const pair = (encoder: Buffer): Files => ({
  'encoder.int8.onnx': encoder,
  'decoder.int8.onnx': onnx(),
  ...TOKENS,
});
const triple = (encoder: Buffer): Files => ({ ...pair(encoder), 'joiner.int8.onnx': onnx() });
const whole = (model: Buffer): Files => ({ 'model.int8.onnx': model, ...TOKENS });

const EUROPEAN = ['en', 'de', 'es', 'fr'];

describe('a folder with the files of a recogniser', () => {
  it.each<[kind: string, option: string, files: Files, languages?: readonly string[]]>([
    ['moonshine', 'moonshine', MOONSHINE],
    [
      'moonshine',
      'moonshine',
      { 'encoder_model.ort': ORT, 'decoder_model_merged.ort': ORT, ...TOKENS },
    ],
    ['qwen3-asr', 'qwen3Asr', QWEN],
    [
      'funasr-nano',
      'funasrNano',
      {
        'encoder_adaptor.int8.onnx': onnx(),
        'llm.int8.onnx': onnx(),
        'embedding.int8.onnx': onnx(),
        ...TOKENIZER('Qwen3-0.6B', 'tokenizer.json'),
      },
    ],
    ['canary', 'canary', pair(of('EncDecMultiTaskModel')), EUROPEAN],
    ['cohere-transcribe', 'cohereTranscribe', pair(of('cohere-transcribe-03-2026'))],
    ['fire-red-asr', 'fireRedAsr', pair(onnx({ num_decoder_layers: 16, cmvn_mean: '0' }))],
    ['transducer', 'transducer', triple(of('EncDecRNNTBPEModel'))],
    ['zipformer-ctc', 'zipformerCtc', whole(of('zipformer2_ctc'))],
    ['wenet-ctc', 'wenetCtc', whole(of('wenet_ctc'))],
    ['telespeech-ctc', 'teleSpeechCtc', whole(of('telespeech_ctc')), ['zh']],
    ['omnilingual', 'omnilingual', whole(of('omnilingual-asr'))],
    ['medasr', 'medasr', whole(of('medasr_ctc')), ['en']],
    ['fire-red-asr-ctc', 'fireRedAsrCtc', whole(of('fire-red-asr-2-ctc'))],
    ['dolphin', 'dolphin', whole(onnx({ vocab_size: 2, mean: '0', invstd: '1' }))],
  ])('is of kind %s', async (kind, option, files, languages) => {
    const model = await findModel(folder(files));
    expect(model.kind).toBe(kind);
    expect(Object.keys(model.config).toSorted()).toEqual([option, 'tokens'].toSorted());
    if (languages) expect(model.languages).toEqual(languages);
  });

  it.each<[kind: string, option: string, files: Files, languages?: readonly string[]]>([
    [
      'streaming-transducer',
      'transducer',
      triple(onnx({ model_type: 'zipformer2', decode_chunk_len: 32 })),
    ],
    [
      'streaming-transducer',
      'transducer',
      triple(
        onnx({
          window_size: 65,
          chunk_shift: 56,
          prompt_dictionary: '{"auto": 101, "en-US": 0, "en-GB": 1, "ja-JP": 2}',
        }),
      ),
      ['en', 'ja'],
    ],
    [
      'streaming-paraformer',
      'paraformer',
      pair(onnx({ decoder_num_blocks: 16, encoder_output_size: 512 })),
    ],
    [
      'streaming-ctc',
      'zipformer2Ctc',
      whole(onnx({ model_type: 'zipformer2', decode_chunk_len: 32 })),
    ],
    [
      'streaming-ctc',
      'nemoCtc',
      whole(
        onnx({ model_type: 'EncDecHybridRNNTCTCBPEModel', window_size: 105, chunk_shift: 112 }),
      ),
    ],
    [
      'streaming-ctc',
      'toneCtc',
      whole(onnx({ model_type: 't-one', frame_length_ms: 300 })),
      ['ru'],
    ],
  ])('that streams is of kind %s', async (kind, option, files, languages) => {
    const model = await findModel(folder(files));
    expect(model).toMatchObject({ kind, isStreaming: true });
    expect(Object.keys(model.config).toSorted()).toEqual([option, 'tokens'].toSorted());
    expect(model.languages).toEqual(languages);
  });

  it('has each of them in the configuration of the library', async () => {
    const path = folder(MOONSHINE);
    expect((await findModel(path)).config).toEqual({
      moonshine: {
        preprocessor: join(path, 'preprocess.onnx'),
        encoder: join(path, 'encode.int8.onnx'),
        uncachedDecoder: join(path, 'uncached_decode.int8.onnx'),
        cachedDecoder: join(path, 'cached_decode.int8.onnx'),
      },
      tokens: join(path, 'tokens.txt'),
    });
  });

  it.each<[string, Files, string, string]>([
    ['Moonshine', MOONSHINE, 'preprocess.onnx', 'preprocess.onnx is missing'],
    ['Moonshine', MOONSHINE, 'cached_decode.int8.onnx', 'cached_decode.onnx is missing'],
    ['Qwen3-ASR', QWEN, 'decoder.int8.onnx', 'decoder.onnx is missing'],
    ['Qwen3-ASR', QWEN, 'tokenizer/merges.txt', 'tokenizer/merges.txt is missing'],
    ['Canary', pair(of('EncDecMultiTaskModel')), 'decoder.int8.onnx', 'decoder.onnx is missing'],
    ['a transducer', triple(of('zipformer2')), 'encoder.int8.onnx', 'encoder.onnx is missing'],
    ['Omnilingual', whole(of('omnilingual-asr')), 'tokens.txt', 'tokens.txt is missing'],
  ])('of %s that is half copied names what is missing: %#', async (_, files, left, words) => {
    const path = folder(files);
    rmSync(join(path, left));
    await expect(findModel(path)).rejects.toThrow(words);
  });

  it.each<[string, Files]>([
    ['encoder', { 'encoder.onnx': of('zipformer2'), 'encoder.fp16.onnx': of('zipformer2') }],
    [
      'encoder',
      {
        'encoder-e99-chunk-16-left-64.onnx': of('zipformer2'),
        'encoder-e99-chunk-16-left-128.onnx': of('zipformer2'),
      },
    ],
  ])('with several forms of its %s is one model: %#', async (_, encoders) => {
    const { 'encoder.int8.onnx': __, ...others } = triple(of('zipformer2'));
    const path = folder({ ...others, ...encoders, 'joiner.onnx': onnx() });
    expect((await findModel(path)).kind).toBe('transducer');
  });

  it.each<[string, Files, string]>([
    [
      'two models',
      { ...whole(of('paraformer')), 'other.onnx': of('paraformer') },
      'several models in it (model, other)',
    ],
    [
      'two Whisper models',
      {
        'tiny-encoder.int8.onnx': of('whisper-tiny'),
        'tiny-decoder.int8.onnx': onnx(),
        'base-encoder.int8.onnx': of('whisper-base'),
        'base-decoder.int8.onnx': onnx(),
        'tiny-tokens.txt': 'a 0\n',
      },
      'several models in it (base-encoder, tiny-encoder)',
    ],
    [
      'the tokens of another model',
      {
        ...whole(onnx({ model_type: 'zipformer2_ctc', vocab_size: 2 })),
        'tokens.txt': Array.from({ length: 40 }, (_, at) => `t${at} ${at}\n`).join(''),
      },
      'tokens.txt has 40 tokens, the model 2',
    ],
  ])('with %s is refused in words', async (_, files, words) => {
    await expect(findModel(folder(files))).rejects.toThrow(words);
  });
});
