import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readOnnxMetadata } from '../../../../service/engines/sherpa-onnx/onnx-metadata.ts';
import { preparePiperVoice } from '../../../../service/engines/sherpa-onnx/piper.ts';
import { findVoices } from '../../../../service/engines/sherpa-onnx/voices.ts';
import { writePiperVoice, writeTinyVoice } from '../../../fakes/models/tiny-voice.ts';

let root: string;
let folder: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'dragoman-piper-'));
  folder = join(root, 'en_US-joe-medium');
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

const namesOf = async (): Promise<unknown> =>
  (await findVoices(folder))?.map(({ voice }) => voice.name);

describe('a Piper voice as it is published', () => {
  it('gets tokens, and metadata behind the model', async () => {
    writePiperVoice(folder, 'joe');
    await preparePiperVoice(folder);
    expect(readFileSync(join(folder, 'tokens.txt'), 'utf8')).toMatch(
      /^_ 0\n\^ 0\n\$ 0\n {2}0\na 1\n/,
    );
    const metadata = await readOnnxMetadata(join(folder, 'joe.onnx'));
    expect(Object.fromEntries(metadata ?? [])).toEqual({
      model_type: 'vits',
      comment: 'piper',
      language: 'English',
      voice: 'en-us',
      has_espeak: '1',
      n_speakers: '1',
      sample_rate: '16000',
    });
    expect(await namesOf()).toEqual(['Joe, American English']);
  });

  it('stays as it is when it was prepared before', async () => {
    writePiperVoice(folder, 'joe');
    await preparePiperVoice(folder);
    const before = readFileSync(join(folder, 'joe.onnx'));
    await preparePiperVoice(folder);
    expect(readFileSync(join(folder, 'joe.onnx'))).toEqual(before);
  });

  it.each([
    ['en-us', ['en_dict']],
    ['pt-br', ['en_dict', 'pt_dict']],
    ['nb', ['en_dict', 'no_dict']],
    ['vi', ['en_dict', 'vi_dict']],
    ['sr', ['en_dict', 'sr_dict']],
  ])('gets the pronunciation of its language, %s', async (voice, dictionaries) => {
    writePiperVoice(folder, 'joe', { espeak: { voice } });
    await preparePiperVoice(folder);
    const files = readdirSync(join(folder, 'espeak-ng-data'));
    expect(files.filter((file) => file.endsWith('_dict'))).toEqual(dictionaries);
    for (const file of ['phontab', 'phonindex', 'phondata', 'intonations', 'lang'])
      expect(existsSync(join(folder, 'espeak-ng-data', file))).toBe(true);
  });

  it('of many speakers has their names in the order of their numbers', async () => {
    writePiperVoice(folder, 'many', {
      num_speakers: 2,
      speaker_id_map: { southern_english: 1, ada: 0 },
      dataset: 'many',
    });
    await preparePiperVoice(folder);
    expect(await namesOf()).toEqual([
      'Ada, American English',
      'Southern English, American English',
    ]);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['letters in place of phonemes', { phoneme_type: 'text' }, 'it speaks text in place of'],
    ['a language that is not known', { espeak: { voice: 'xx' } }, 'xx, is none of eSpeak NG'],
    ['other settings', { phoneme_id_map: 3 }, 'joe.onnx.json does not hold the settings'],
  ])('with %s is refused', async (_, settings, words) => {
    writePiperVoice(folder, 'joe', settings);
    await expect(preparePiperVoice(folder)).rejects.toThrow(words);
  });

  it('beside another in one folder is to be added by its file', async () => {
    writePiperVoice(folder, 'joe');
    for (const end of ['', '.json'])
      cpSync(join(folder, `joe.onnx${end}`), join(folder, `amy.onnx${end}`));
    await expect(preparePiperVoice(folder)).rejects.toThrow(
      'add each by its file, such as amy.onnx',
    );
  });

  it('that was put among the models by hand is told apart, with what to do', async () => {
    writePiperVoice(folder, 'joe');
    await expect(findVoices(folder)).rejects.toThrow('npm run service -- models add FOLDER');
  });
});

it('A model of another kind stays as it is', async () => {
  writeTinyVoice(folder);
  const before = readdirSync(folder);
  await preparePiperVoice(folder);
  expect(readdirSync(folder)).toEqual(before);
});
