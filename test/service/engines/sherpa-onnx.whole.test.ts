import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createEngine } from '../../../service/engines/sherpa-onnx.ts';
import { findModel } from '../../../service/engines/sherpa-onnx/model.ts';
import { findVoices } from '../../../service/engines/sherpa-onnx/voices.ts';
import { createLog } from '../../../src/telemetry/log.ts';
import { encodeOnnx } from '../../fakes/models/onnx.ts';
import { engineConfig, lineOf } from '../support.ts';

describe('a sherpa-onnx model', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'dragoman-model-'));
  });

  /** An ONNX file with nothing but metadata. */
  const onnx = (metadata: Readonly<Record<string, string | number>>): Buffer =>
    encodeOnnx({ inputs: [], outputs: [], constants: [], nodes: [], metadata });
  const of = (type: string): Buffer => onnx({ model_type: type });
  const VOICE = { model_type: 'vits', sample_rate: 16_000, n_speakers: 1 };
  const KOKORO = {
    ...VOICE,
    model_type: 'kokoro',
    n_speakers: 2,
    style_dim: '2,1,3',
    speaker_names: 'af_a,am_b',
  };
  const STYLES = Buffer.alloc(2 * 2 * 3 * 4, 1);
  const PRONUNCIATION = Object.fromEntries(
    ['phontab', 'phonindex', 'phondata', 'intonations'].map((file) => [
      `espeak-ng-data/${file}`,
      'x',
    ]),
  );

  type Files = Readonly<Record<string, string | Buffer>>;
  const folder = (name: string, files: Files): string => {
    const path = join(root, name);
    mkdirSync(path);
    for (const [file, content] of Object.entries(files)) {
      mkdirSync(dirname(join(path, file)), { recursive: true });
      writeFileSync(join(path, file), content);
    }
    return path;
  };

  it.each<[string, Files]>([
    ['sense-voice', { 'model.int8.onnx': of('sense_voice_ctc'), 'tokens.txt': 'a 1' }],
    ['paraformer', { 'model.onnx': of('paraformer'), 'tokens.txt': '<|yue|> 0' }],
    ['nemo-ctc', { 'model.onnx': of('EncDecCTCModelBPE'), 'tokens.txt': 'a 1' }],
    [
      'whisper',
      {
        'a-encoder.onnx': of('whisper-tiny'),
        'a-decoder.onnx': onnx({}),
        'a-tokens.txt': 'IQ== 0',
      },
    ],
    [
      'transducer',
      {
        'encoder-e1.onnx': of('zipformer2'),
        'decoder-e1.onnx': onnx({}),
        'joiner-e1.onnx': onnx({}),
        'tokens.txt': 'a 0\n  1\n',
      },
    ],
  ])('is known as %s by its metadata', async (kind, files) => {
    const path = folder('m', files);
    const model = await findModel(path);
    expect(model).toMatchObject({ kind, name: 'm' });
    expect(model.config.tokens.startsWith(path)).toBe(true);
  });

  it.each([
    ['all of its list', { is_multilingual: 1, all_language_codes: 'en,tl,jw' }, ['en', 'tl', 'jw']],
    ['English alone', { is_multilingual: 0, all_language_codes: 'en,zh' }, ['en']],
    ['unknown ones without a list', {}, undefined],
  ])('of Whisper has as languages %s', async (_, metadata, languages) => {
    const path = folder('m', {
      'tiny-encoder.onnx': onnx({ model_type: 'whisper-tiny', ...metadata }),
      'tiny-decoder.onnx': onnx({}),
      'tiny-tokens.txt': 'a 0\n',
    });
    expect(await findModel(path)).toMatchObject({ kind: 'whisper', languages });
  });

  it('is taken quantised where there are both', async () => {
    const model = of('paraformer');
    const path = folder('m', {
      'model.int8.onnx': model,
      'model.onnx': model,
      'tokens.txt': 'a 0\n  1\n',
    });
    expect((await findModel(path)).config.paraformer?.model).toBe(join(path, 'model.int8.onnx'));
  });

  it.each<[string, Files, string]>([
    ['no model', {}, 'no .onnx file'],
    ['no tokens', { 'model.onnx': of('paraformer') }, 'tokens.txt is missing'],
    [
      'no joiner',
      { 'encoder.onnx': of('zipformer2'), 'decoder.onnx': onnx({}), 'tokens.txt': 'a 0\n  1\n' },
      'joiner',
    ],
    ['an empty file', { 'model.onnx': '', 'tokens.txt': 'a 0\n  1\n' }, 'model.onnx is empty'],
    [
      'half a file',
      { 'model.onnx': of('paraformer').subarray(0, -3), 'tokens.txt': 'a 0\n  1\n' },
      'model.onnx is cut off',
    ],
    [
      'half a token',
      { 'model.onnx': of('paraformer'), 'tokens.txt': 'a 0\nb ' },
      'tokens.txt is cut',
    ],
    [
      'half its tokens',
      {
        'model.onnx': onnx({ model_type: 'paraformer', vocab_size: 3 }),
        'tokens.txt': 'a 0\nb 1\n',
      },
      'tokens.txt has 2 of 3 tokens',
    ],
    ['another file', { 'model.onnx': '<html>', 'tokens.txt': 'a 0\n  1\n' }, 'no ONNX model'],
    [
      'another kind',
      { 'model.onnx': of('x'), 'tokens.txt': 'a 0\n  1\n' },
      'not a model that is known',
    ],
    [
      'another name',
      { 'other.onnx': of('x'), 'tokens.txt': 'a 0\n  1\n' },
      'not a model that is known',
    ],
    [
      'an encoder in place of its decoder',
      {
        'base-encoder.onnx': of('whisper-base'),
        'base-decoder.onnx': of('whisper-base'),
        'base-tokens.txt': 'a 0\n',
      },
      'base-decoder.onnx is an encoder',
    ],
    [
      'the tokens of another model',
      {
        'tiny-encoder.onnx': onnx({ model_type: 'whisper-tiny', eot: 2, n_vocab: 5 }),
        'tiny-decoder.onnx': onnx({}),
        'tiny-tokens.txt': 'a 0\nb 1\nc 2\n',
      },
      'tiny-tokens.txt has 3 tokens, the model 2',
    ],
  ])('with %s is refused in words', async (_, files, words) => {
    await expect(findModel(folder('m', files))).rejects.toMatchObject({
      code: 'config',
      message: expect.stringMatching(new RegExp(`^${join(root, 'm')}: .*${words}`)),
    });
  });

  const voice = { 'model.onnx': onnx(VOICE), 'tokens.txt': 'a 0\n  1\n', ...PRONUNCIATION };
  const kokoro = { ...voice, 'model.onnx': onnx(KOKORO), 'voices.bin': STYLES };
  const without = (files: Files, ...names: readonly string[]): Files =>
    Object.fromEntries(Object.entries(files).filter(([name]) => !names.includes(name)));

  it('that is a voice has the speakers of its metadata', async () => {
    expect(await findVoices(folder('one', voice))).toHaveLength(1);
    expect(await findVoices(folder('two', kokoro))).toHaveLength(2);
    const newer = { ...kokoro, 'model.onnx': onnx({ ...KOKORO, version: 2 }) };
    expect(await findVoices(folder('new', { ...newer, 'lexicon-us-en.txt': 'x' }))).toHaveLength(2);
    const other = { 'model.onnx': of('paraformer'), 'tokens.txt': 'a 0\n  1\n' };
    expect(await findVoices(folder('other', other))).toBeUndefined();
  });

  it.each<[string, Files, string]>([
    ['no tokens', without(voice, 'tokens.txt'), 'tokens.txt is missing'],
    ['empty tokens', { ...voice, 'tokens.txt': '' }, 'tokens.txt is empty'],
    [
      'no pronunciation',
      without(voice, ...Object.keys(PRONUNCIATION)),
      'espeak-ng-data is missing',
    ],
    [
      'half its pronunciation',
      without(voice, 'espeak-ng-data/phontab'),
      'espeak-ng-data/phontab is missing',
    ],
    ['half a file', { ...voice, 'model.onnx': onnx(VOICE).subarray(0, -3) }, 'is cut off'],
    ['no styles', without(kokoro, 'voices.bin'), 'voices.bin is missing'],
    ['half its styles', { ...kokoro, 'voices.bin': STYLES.subarray(8) }, 'voices.bin has 40 bytes'],
    [
      'no lexicon, as Kokoro 1.0',
      { ...kokoro, 'model.onnx': onnx({ ...KOKORO, version: 2 }) },
      'lexicon-us-en.txt or lexicon-zh.txt is missing',
    ],
    [
      'speakers of other languages',
      { ...kokoro, 'model.onnx': onnx({ ...KOKORO, speaker_names: 'jf_a,jm_b' }) },
      'none of its speakers',
    ],
    ['an unknown kind', { ...voice, 'model.onnx': onnx({ ...VOICE, model_type: 'x' }) }, 'kind x'],
  ])('that is a voice with %s is named, and is no recogniser', async (_, files, words) => {
    const path = folder('m', files);
    await using engine = createEngine({
      config: engineConfig({ SERVICE_MODELS: root }),
      log: createLog('silent'),
    });
    expect(await engine.abilities()).toEqual({});
    expect(await lineOf(engine)).toMatchObject({
      ready: false,
      detail: expect.stringMatching(new RegExp(`^${path}: .*${words}`)),
    });
  });

  it.each([
    ['is not there', 'nothing', 'no such folder'],
    ['is a file', 'file', 'it is a file'],
  ])('whose folder %s is refused in words', async (_, name, words) => {
    writeFileSync(join(root, 'file'), 'x');
    await expect(findModel(join(root, name))).rejects.toThrow(words);
  });

  it('for another program is reported with what to do with it; folders of other engines are not', async () => {
    folder('faster', { 'model.bin': 'x', 'config.json': '{}' });
    folder('en-es', { 'model.enes.intgemm.alphas.bin': 'x', 'vocab.enes.spm': 'x' });
    const config = engineConfig({ SERVICE_MODELS: root });
    await using engine = createEngine({ config, log: createLog('silent') });
    const { ready, detail } = await lineOf(engine);
    expect(ready).toBe(false);
    expect(detail).toMatch(/^\S+faster: .*CTranslate2.*SERVICE_OPENAI_URL/);
    expect(detail).not.toContain('en-es');
  });

  it('that cannot be used is reported, and is no part of the service', async () => {
    const config = engineConfig({ SERVICE_SHERPA_MODEL: join(root, 'nothing') });
    await using engine = createEngine({ config, log: createLog('silent') });
    expect(await engine.abilities()).toEqual({});
    expect(await lineOf(engine)).toMatchObject({
      ready: false,
      detail: expect.stringMatching(/^SERVICE_SHERPA_MODEL: .*no such folder/),
    });
  });

  it('that turns out damaged is an error of each call, not the end of the service', async () => {
    const path = folder('m', { 'model.onnx': of('paraformer'), 'tokens.txt': 'a 0\n' });
    const config = engineConfig({ SERVICE_SHERPA_MODEL: path });
    await using engine = createEngine({ config, log: createLog('silent') });
    expect(await lineOf(engine)).toMatchObject({ ready: true, detail: 'paraformer model m' });
    const { recognition } = await engine.abilities();
    const heard = recognition!.recognise(
      new Float32Array(16_000),
      {},
      new AbortController().signal,
    );
    await expect(heard).rejects.toMatchObject({ name: 'AppError' });
  });
});
