import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createSpeechDetector } from '../../../../src/audio/speech-detector/speech-detector.ts';
import { readWeights } from '../../../../src/audio/speech-detector/weights.ts';
import { loadSpeechWeights } from '../../../../src/voice/stt/speech-weights.ts';
import { createRandom } from '../../../fakes/random.ts';
import { silentLog } from '../../../fakes/silent-log.ts';
import { decodeAll, fixture, sourceOf } from '../support.ts';

const RATE_HZ = 16_000;

const detect = createSpeechDetector(async () => loadSpeechWeights(silentLog));

/** True when speech is heard in a sound that comes in pieces of so many samples. */
const hears = async (sound: Float32Array, piece = sound.length): Promise<boolean> => {
  const listener = await detect();
  if (!listener) throw new Error('the optional package is not installed');
  for (let at = 0; at < sound.length; at += piece)
    if (await listener.hears(sound.subarray(at, at + piece), at + piece >= sound.length))
      return true;
  return false;
};

const soundOf = (seconds: number, sampleAt: (at: number) => number): Float32Array =>
  Float32Array.from({ length: seconds * RATE_HZ }, (_, at) => sampleAt(at));

const tone = (hz: number) => (at: number) => 0.3 * Math.sin((2 * Math.PI * hz * at) / RATE_HZ);
const noise = (level: number) => {
  const random = createRandom(1);
  return () => level * (2 * random() - 1);
};
/** Clicks of 8 ms, eight a second. */
const clicks = () => {
  const hiss = noise(0.8);
  return (at: number) => (at % 2_000 < 128 ? hiss() * (1 - (at % 2_000) / 128) : 0);
};

describe('the detector of speech', () => {
  it.each([1, 0.1, 0.02])('hears speech at %f of its level', async (level) => {
    const speech = await decodeAll(sourceOf(fixture('speech.wav')));
    expect(await hears(speech.map((sample) => sample * level))).toBe(true);
  });

  it('hears it in pieces of any length', async () => {
    const speech = await decodeAll(sourceOf(fixture('speech.wav')));
    expect(await hears(speech, 333)).toBe(true);
    expect(await hears(speech, 8_000)).toBe(true);
  });

  it.each([
    ['silence', soundOf(2, () => 0)],
    ['hiss', soundOf(3, noise(0.1))],
    ['faint hiss', soundOf(3, noise(0.002))],
    ['a tone', soundOf(3, tone(440))],
    ['a hum', soundOf(3, tone(50))],
    ['keys', soundOf(3, clicks())],
    ['less than a window', soundOf(0.01, noise(0.1))],
  ])('hears none in %s', async (_, sound) => {
    expect(await hears(sound)).toBe(false);
  });
});

it('judges no sound without weights', async () => {
  expect(await createSpeechDetector(async () => undefined)()).toBeUndefined();
});

describe('the weights of the detector', () => {
  const file = readFileSync(
    createRequire(import.meta.url).resolve('@ricky0123/vad-web/dist/silero_vad_v6.onnx'),
  );

  it('are those of the branch for 16 kHz', () => {
    const weights = readWeights(file);
    expect(weights?.['encoder.0.reparam_conv.weight']).toHaveLength(128 * 129 * 3);
    expect(weights?.['decoder.rnn.weight_hh'].every(Number.isFinite)).toBe(true);
  });

  it('are not found in a file of another kind', () => {
    expect(readWeights(Buffer.from('{"graph": 1}'))).toBeUndefined();
    expect(readWeights(file.subarray(0, 100_000))).toBeUndefined();
    expect(readWeights(Buffer.alloc(0))).toBeUndefined();
  });
});
