import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../../../service/engine.ts';
import { createEngine } from '../../../../service/engines/sherpa-onnx.ts';
import { readOnnxMetadata } from '../../../../service/engines/sherpa-onnx/onnx-metadata.ts';
import { writeRecord } from '../../../../service/models/installed.ts';
import { createLog } from '../../../../src/telemetry/log.ts';
import { testContract } from '../../../contracts/contract.ts';
import { recognitionEngineContract } from '../../../contracts/recognition-engine.ts';
import { speechEngineContract } from '../../../contracts/speech-engine.ts';
import { writeTinyRecogniser } from '../../../fakes/models/tiny-recogniser.ts';
import { writeTinyVoice } from '../../../fakes/models/tiny-voice.ts';
import { soundOf } from '../../../fakes/models/tones.ts';
import { engineConfig, lineOf } from '../../support.ts';
import { samplesOf } from '../../../contracts/speech-engine.ts';

const signal = new AbortController().signal;
const log = createLog('silent');
let root: string;
let engine: Engine;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'dragoman-models-'));
  engine = createEngine({ config: engineConfig({ SERVICE_MODELS: root }), log });
});
afterAll(async () => {
  await engine[Symbol.asyncDispose]();
  rmSync(root, { recursive: true });
});

describe('without an installed model', () => {
  it('nothing is served, and the way to a model is said', async () => {
    expect(await engine.abilities()).toEqual({});
    expect(await lineOf(engine)).toMatchObject({ ready: false, detail: 'npm run setup' });
    expect(engine.remedy({ ability: 'speech' })).toBe('run npm run setup');
  });
});

describe('an installed model', () => {
  beforeAll(() => {
    writeTinyRecogniser(join(root, '.new/tiny-recogniser'));
    writeTinyVoice(join(root, '.new/tiny-voice'));
    for (const name of ['tiny-recogniser', 'tiny-voice'])
      renameSync(join(root, '.new', name), join(root, name));
  });

  it('is served at once, without a restart or a variable', async () => {
    expect(Object.keys(await engine.abilities())).toEqual(['recognition', 'speech']);
    expect(await lineOf(engine)).toMatchObject({
      ready: true,
      serves: ['recognition', 'speech'],
      detail: 'nemo-ctc model tiny-recogniser; 1 voice',
    });
  });

  it('turns sound into the text that was said', async () => {
    const { recognition } = await engine.abilities();
    const heard = (text: string): Promise<unknown> =>
      recognition!.recognise(soundOf(text), {}, signal);
    expect(await heard('the quick brown fox')).toMatchObject({ text: 'thequickbrownfox' });
    expect(await heard('jumps')).toMatchObject({ text: 'jumps' });
    expect(await recognition!.recognise(new Float32Array(16_000), {}, signal)).toMatchObject({
      text: '',
    });
  });

  it('tells when each word was said', async () => {
    const { recognition } = await engine.abilities();
    const { text, words } = await recognition!.recognise(soundOf('  jumps'), {}, signal);
    expect(words).toHaveLength(1);
    expect(words![0]!.text).toBe(text);
    expect(Math.abs(words![0]!.startMs - 240)).toBeLessThan(60);
  });

  it('speaks so that it is understood, sentence by sentence', async () => {
    const { recognition, speech } = await engine.abilities();
    const [voice] = await speech!.voices(signal);
    const sound = await speech!.speak(
      { voiceId: voice!.id, text: 'The lazy dog. Runs home.', speed: 1 },
      signal,
    );
    const samples = await samplesOf(sound);
    expect(sound.sampleRateHz).toBe(16_000);
    expect(await recognition!.recognise(samples, {}, signal)).toMatchObject({
      text: 'thelazydogrunshome',
    });
  });

  it('describes each of its speakers for people', async () => {
    const name = 'vits-piper-xx_XX-anna_maria-medium-int8';
    writeTinyVoice(join(root, '.new', name), { language: 'Spanish', speakers: 2 });
    renameSync(join(root, '.new', name), join(root, name));
    const { speech } = await engine.abilities();
    expect((await speech!.voices(signal)).slice(1)).toMatchObject([
      {
        name: 'Anna Maria 1, Spanish',
        description: 'Anna Maria 1, Spanish (VITS)',
        language: 'Spanish',
        gender: 'Neutral',
      },
      {
        name: 'Anna Maria 2, Spanish',
        description: 'Anna Maria 2, Spanish (VITS)',
        language: 'Spanish',
        gender: 'Neutral',
      },
    ]);
    rmSync(join(root, name), { recursive: true });
  });

  it('has the gender that is known of it', async () => {
    const folder = join(root, '.new/known');
    writeTinyVoice(folder);
    await writeRecord(folder, {
      name: 'known',
      source: 'https://models.example.org/known.tar.bz2',
      gender: 'Female',
      installedAt: '2026-01-01T00:00:00.000Z',
    });
    renameSync(folder, join(root, 'known'));
    const { speech } = await engine.abilities();
    expect(await speech!.voices(signal)).toContainEqual(
      expect.objectContaining({ description: 'Known, English, female (VITS)', gender: 'Female' }),
    );
    rmSync(join(root, 'known'), { recursive: true });
  });

  it('of an unknown kind is named in the table, and the others are served', async () => {
    const folder = join(root, '.new/broken-voice');
    cpSync(join(root, 'tiny-voice'), folder, { recursive: true });
    rmSync(join(folder, 'tokens.txt'));
    renameSync(folder, join(root, 'broken-voice'));
    expect((await lineOf(engine)).detail).toContain('broken-voice: tokens.txt is missing');
    expect(Object.keys(await engine.abilities())).toEqual(['recognition', 'speech']);
    rmSync(join(root, 'broken-voice'), { recursive: true });
  });

  it('that cannot be read is named in the table, and the others are served', async () => {
    mkdirSync(join(root, '.new/unreadable/model.onnx'), { recursive: true });
    renameSync(join(root, '.new/unreadable'), join(root, 'unreadable'));
    expect((await lineOf(engine)).detail).toContain('unreadable: it cannot be read (EISDIR)');
    expect(Object.keys(await engine.abilities())).toEqual(['recognition', 'speech']);
    rmSync(join(root, 'unreadable'), { recursive: true });
  });

  it("in the format of ONNX's runtime alone is found", async () => {
    const folder = join(root, '.new/small');
    mkdirSync(folder);
    for (const file of ['encoder_model', 'decoder_model_merged'])
      writeFileSync(join(folder, `${file}.ort`), '\x08\0\0\0ORTM');
    writeFileSync(join(folder, 'tokens.txt'), 'a 0\n');
    renameSync(folder, join(root, 'small'));
    expect((await lineOf(engine)).detail).toContain('moonshine model small');
    rmSync(join(root, 'small'), { recursive: true });
  });

  testContract(
    'as recognition',
    recognitionEngineContract,
    async () => (await engine.abilities()).recognition!,
  );
  testContract('as speech', speechEngineContract, async () => (await engine.abilities()).speech!);
});

describe('the metadata of an ONNX file', () => {
  it('are read without the rest, and not from another file', async () => {
    const metadata = await readOnnxMetadata(join(root, 'tiny-voice/model.onnx'));
    expect(Object.fromEntries(metadata!)).toMatchObject({ model_type: 'vits', n_speakers: '1' });
    mkdirSync(join(root, '.new'), { recursive: true });
    for (const content of ['', 'x', 'not a model', '\xff'.repeat(40)]) {
      writeFileSync(join(root, '.new/other'), content);
      expect(await readOnnxMetadata(join(root, '.new/other'))).toBeUndefined();
    }
  });
});
