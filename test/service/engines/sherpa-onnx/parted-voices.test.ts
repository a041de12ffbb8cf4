import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { requestOf } from '../../../../service/engines/sherpa-onnx/children.ts';
import { findVoices } from '../../../../service/engines/sherpa-onnx/voices.ts';
import { encodeOnnx } from '../../../fakes/models/onnx.ts';

const ONNX = encodeOnnx({ inputs: [], outputs: [], constants: [], nodes: [], metadata: {} });
const MATCHA = encodeOnnx({
  inputs: [],
  outputs: [],
  constants: [],
  nodes: [],
  metadata: {
    model_type: 'matcha-tts',
    sample_rate: 22_050,
    n_speakers: 1,
    voice: 'en-us',
    language: 'English',
  },
});
/** Dimensions of ten styles. */
const STYLES = Buffer.from(BigInt64Array.of(10n, 50n, 256n, 10n, 8n, 16n).buffer);

type Files = Readonly<Record<string, string | Buffer>>;
const PRONUNCIATION: Files = Object.fromEntries(
  ['phontab', 'phonindex', 'phondata', 'intonations'].map(
    (file) => [`espeak-ng-data/${file}`, 'x'] as const,
  ),
);
const models = (...names: readonly string[]): Files =>
  Object.fromEntries(names.map((name) => [`${name}.onnx`, ONNX]));

const SUPERTONIC: Files = {
  ...models(
    'duration_predictor.int8',
    'text_encoder.int8',
    'vector_estimator.int8',
    'vocoder.int8',
  ),
  'tts.json': '{}',
  'unicode_indexer.bin': 'x',
  'voice.bin': STYLES,
};
const POCKET: Files = {
  ...models('lm_flow.int8', 'lm_main.int8', 'encoder', 'decoder.int8', 'text_conditioner'),
  'vocab.json': '{}',
  'token_scores.json': '{}',
  'test_wavs/bria.wav': 'RIFF',
};
const ZIPVOICE: Files = {
  ...models('encoder.int8', 'decoder.int8', 'vocos_24khz'),
  'tokens.txt': 'a 0\n',
  'lexicon.txt': 'a a\n',
  'ada.wav': 'RIFF',
  'ada.txt': 'My words.\n',
  ...PRONUNCIATION,
};
const MATCHA_FILES: Files = {
  'model-steps-3.onnx': MATCHA,
  'hifigan_v2.onnx': ONNX,
  'tokens.txt': 'a 0\n',
  ...PRONUNCIATION,
};

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'dragoman-voices-'));
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

const folder = (files: Files, ...left: readonly string[]): string => {
  for (const [file, content] of Object.entries(files)) {
    if (left.includes(file)) continue;
    mkdirSync(dirname(join(root, 'm', file)), { recursive: true });
    writeFileSync(join(root, 'm', file), content);
  }
  return join(root, 'm');
};

describe('a voice of several models', () => {
  it('Supertonic has ten speakers, each of 31 languages', async () => {
    const path = folder(SUPERTONIC);
    const speakers = (await findVoices(path)) ?? [];
    expect(speakers.map(({ voice }) => voice.name)).toEqual([
      ...[1, 2, 3, 4, 5].map((at) => `F${at}, 31 languages, female`),
      ...[1, 2, 3, 4, 5].map((at) => `M${at}, 31 languages, male`),
    ]);
    expect(speakers[0]?.voice.language).toMatch(
      /^English, Korean, Japanese, Arabic, .*Vietnamese$/,
    );
    expect(speakers[0]?.config.supertonic).toMatchObject({
      durationPredictor: join(path, 'duration_predictor.int8.onnx'),
      voiceStyle: join(path, 'voice.bin'),
    });
  });

  it('is told the language of a text that it speaks, or else its first', async () => {
    const [speaker] = (await findVoices(folder(SUPERTONIC))) ?? [];
    const languageOf = (text: string): unknown => requestOf(speaker!, text, 1).language;
    expect(languageOf('오늘은 날씨가 정말 좋네요.')).toBe('ko');
    expect(languageOf('Guten Morgen, wie geht es Ihnen heute?')).toBe('de');
    expect(languageOf('วันนี้อากาศดีมาก')).toBe('en');
  });

  it('Pocket TTS speaks as the recordings in its folder do', async () => {
    const path = folder(POCKET);
    const speakers = (await findVoices(path)) ?? [];
    expect(speakers.map(({ voice }) => voice.name)).toEqual(['Bria, English']);
    expect(requestOf(speakers[0]!, 'Hello', 1).recording).toEqual({
      file: join(path, 'test_wavs/bria.wav'),
    });
  });

  it('ZipVoice speaks as recordings do whose words stand beside them', async () => {
    const path = folder({ ...ZIPVOICE, 'bob.wav': 'RIFF' });
    const speakers = (await findVoices(path)) ?? [];
    expect(speakers.map(({ voice }) => voice.name)).toEqual(['Ada, Chinese, English']);
    expect(speakers[0]?.recording).toEqual({ file: join(path, 'ada.wav'), text: 'My words.' });
  });

  it('Matcha has its vocoder beside it', async () => {
    const path = folder(MATCHA_FILES);
    const [speaker] = (await findVoices(path)) ?? [];
    expect(speaker?.config.matcha).toMatchObject({
      acousticModel: join(path, 'model-steps-3.onnx'),
      vocoder: join(path, 'hifigan_v2.onnx'),
    });
  });

  it.each([
    ['of another voice', Buffer.alloc(64, 0x3d)],
    ['of nobody', Buffer.alloc(64)],
    ['that are cut off', Buffer.from([10, 0])],
  ])('Supertonic with styles %s is refused in words', async (_, styles) => {
    const found = findVoices(folder({ ...SUPERTONIC, 'voice.bin': styles }));
    await expect(found).rejects.toThrow('voice.bin is cut off, or of another voice');
  });

  it.each<[string, Files, string, string]>([
    ['Supertonic', SUPERTONIC, 'vocoder.int8.onnx', 'vocoder.onnx is missing'],
    ['Supertonic', SUPERTONIC, 'voice.bin', 'voice.bin is missing'],
    ['Pocket TTS', POCKET, 'lm_main.int8.onnx', 'lm_main.onnx is missing'],
    ['Pocket TTS', POCKET, 'test_wavs/bria.wav', 'put NAME.wav into the folder'],
    ['ZipVoice', ZIPVOICE, 'vocos_24khz.onnx', 'vocos.onnx is missing'],
    ['ZipVoice', ZIPVOICE, 'ada.txt', 'NAME.wav and NAME.txt with its words'],
    ['Matcha', MATCHA_FILES, 'hifigan_v2.onnx', 'vocos-22khz-univ.onnx is missing'],
    ['Matcha', MATCHA_FILES, 'espeak-ng-data/phontab', 'espeak-ng-data/phontab is missing'],
  ])('%s that is half copied names what is missing: %#', async (_, files, left, words) => {
    await expect(findVoices(folder(files, left))).rejects.toThrow(words);
  });
});
