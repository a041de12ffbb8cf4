import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createEngine } from '../../../service/engines/sherpa-onnx.ts';
import { findModel } from '../../../service/engines/sherpa-onnx/model.ts';
import { createLog } from '../../../src/telemetry/log.ts';
import { engineConfig } from '../support.ts';

describe('a sherpa-onnx model', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'dragoman-model-'));
  });

  const folder = (name: string, files: Readonly<Record<string, string>>): string => {
    const path = join(root, name);
    mkdirSync(path);
    for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text);
    return path;
  };

  it.each([
    ['sense-voice', 'm', { 'model.int8.onnx': 'x', 'model.onnx': 'x', 'tokens.txt': '<|yue|> 1' }],
    ['paraformer', 'm', { 'model.onnx': 'x', 'tokens.txt': '<blank> 0' }],
    [
      'whisper',
      'm',
      { 'tiny-encoder.onnx': 'x', 'tiny-decoder.onnx': 'x', 'tiny-tokens.txt': 'x' },
    ],
    [
      'transducer',
      'm',
      { 'encoder-e1.onnx': 'x', 'decoder-e1.onnx': 'x', 'joiner-e1.onnx': 'x', 'tokens.txt': 'x' },
    ],
  ])('is known as %s by its files', async (kind, name, files) => {
    const path = folder(name, files);
    const model = await findModel(path);
    expect(model).toMatchObject({ kind, name });
    expect(model.config.tokens.startsWith(path)).toBe(true);
  });

  it('is taken quantised where there are both', async () => {
    const path = folder('m', { 'model.int8.onnx': 'x', 'model.onnx': 'x', 'tokens.txt': 'x' });
    expect((await findModel(path)).config.paraformer?.model).toBe(join(path, 'model.int8.onnx'));
  });

  it.each([
    ['no model', {}, 'no .onnx file'],
    ['no tokens', { 'model.onnx': 'x' }, 'tokens.txt is missing'],
    ['no joiner', { 'encoder.onnx': 'x', 'decoder.onnx': 'x', 'tokens.txt': 'x' }, 'joiner'],
    ['an empty file', { 'model.onnx': '', 'tokens.txt': 'x' }, 'model.onnx is empty'],
    ['another kind', { 'other.onnx': 'x', 'tokens.txt': 'x' }, 'not a model that is known'],
    [
      'a streaming model',
      {
        'encoder-chunk-16-left-128.onnx': 'x',
        'decoder.onnx': 'x',
        'joiner.onnx': 'x',
        'tokens.txt': 'x',
      },
      'streaming',
    ],
  ])('with %s is refused in words', async (_, files, words) => {
    await expect(findModel(folder('m', files))).rejects.toMatchObject({
      code: 'config',
      message: expect.stringMatching(new RegExp(`^${join(root, 'm')}: .*${words}`)),
    });
  });

  it.each([
    ['is not there', 'nothing', 'no such folder'],
    ['is a file', 'file', 'it is a file'],
  ])('whose folder %s is refused in words', async (_, name, words) => {
    writeFileSync(join(root, 'file'), 'x');
    await expect(findModel(join(root, name))).rejects.toThrow(words);
  });

  it('that cannot be used is reported, and is no part of the service', async () => {
    const config = engineConfig({ SERVICE_SHERPA_MODEL: join(root, 'nothing') });
    await using engine = createEngine({ config, log: createLog('silent') });
    expect(await engine.abilities()).toEqual({});
    expect(await engine.report()).toMatchObject({
      ready: false,
      detail: expect.stringMatching(/^SERVICE_SHERPA_MODEL: .*no such folder/),
    });
  });

  it('that turns out damaged is an error of each call, not the end of the service', async () => {
    const path = folder('m', { 'model.onnx': 'not a model', 'tokens.txt': 'a 0\n' });
    const config = engineConfig({ SERVICE_SHERPA_MODEL: path });
    await using engine = createEngine({ config, log: createLog('silent') });
    expect(await engine.report()).toMatchObject({ ready: true, detail: 'paraformer model m' });
    const { recognition } = await engine.abilities();
    const heard = recognition!.recognise(
      new Float32Array(16_000),
      {},
      new AbortController().signal,
    );
    await expect(heard).rejects.toMatchObject({ name: 'AppError' });
  });
});
