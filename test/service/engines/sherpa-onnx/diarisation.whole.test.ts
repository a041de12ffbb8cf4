import { copyFileSync, mkdirSync, mkdtempSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  createSherpaDiarisation,
  findDiarisation,
} from '../../../../service/engines/sherpa-onnx/diarisation.ts';
import type { SpeakerTurn } from '../../../../service/engine.ts';
import { createLog } from '../../../../src/telemetry/log.ts';
import { VOICES, writeTinyDiarisation } from '../../../fakes/models/tiny-diarisation.ts';
import { soundOf } from '../../../fakes/models/tones.ts';
import { writeTinyRecogniser } from '../../../fakes/models/tiny-recogniser.ts';

const log = createLog('silent');
const [ANN, BEN] = VOICES;
const PAUSE = ' '.repeat(10);

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'dragoman-diarisation-'));
  writeTinyDiarisation(folder);
});

const diarise = async (
  samples: Float32Array,
  signal = new AbortController().signal,
): Promise<readonly SpeakerTurn[]> => {
  const model = await findDiarisation(folder);
  return createSherpaDiarisation(model!, log).diarise(samples, signal);
};

const inTenths = (turns: readonly SpeakerTurn[]) =>
  turns.map(({ startMs, endMs, speaker }) => [
    Math.round(startMs / 100),
    Math.round(endMs / 100),
    speaker,
  ]);

describe('telling speakers apart', () => {
  it('numbers them in the order of their first words, over a recording of any length', async () => {
    const samples = soundOf(
      [BEN.repeat(40), PAUSE, ANN.repeat(40), PAUSE, BEN.repeat(60), ANN.repeat(30)].join(''),
    );
    expect(inTenths(await diarise(samples))).toEqual([
      [0, 48, 1],
      [60, 108, 2],
      [120, 192, 1],
      [192, 228, 2],
    ]);
  });

  it('finds nobody in silence', async () => {
    expect(await diarise(new Float32Array(16_000 * 12))).toEqual([]);
  });

  it('stops with its request', async () => {
    const stop = new AbortController();
    const turns = diarise(soundOf(ANN.repeat(2_000)), stop.signal);
    stop.abort(new Error('the client left'));
    await expect(turns).rejects.toThrow('the client left');
  });

  it('ends with an error that names the process when a model is cut off', async () => {
    const broken = mkdtempSync(join(tmpdir(), 'dragoman-diarisation-'));
    writeTinyDiarisation(broken);
    const model = await findDiarisation(broken);
    truncateSync(join(broken, 'embedding.onnx'), 100);
    const { signal } = new AbortController();
    await expect(
      createSherpaDiarisation(model!, log).diarise(soundOf(ANN), signal),
    ).rejects.toMatchObject({ code: 'unavailable', message: 'diarisation crashed' });
  });
});

describe('a folder', () => {
  it.each([
    ['embedding.onnx', 'the model that finds changes of speakers (pyannote) is missing'],
    [
      'segmentation.onnx',
      'the model that compares voices (WeSpeaker, 3D-Speaker, NeMo) is missing',
    ],
  ])('with %s alone is named as half a model', async (file, what) => {
    const half = mkdtempSync(join(tmpdir(), 'dragoman-diarisation-'));
    copyFileSync(join(folder, file), join(half, file));
    await expect(findDiarisation(half)).rejects.toMatchObject({ message: `${half}: ${what}` });
  });

  it('with a recogniser tells nobody apart', async () => {
    const other = join(folder, 'other');
    mkdirSync(other);
    writeTinyRecogniser(other);
    expect(await findDiarisation(other)).toBeUndefined();
  });
});
