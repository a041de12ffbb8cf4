import { describe, expect, it } from 'vitest';
import { speechPackets } from '../../../../src/voice/tts/speech-packets.ts';
import { encoderLimit } from '../../../../src/audio/opus/encoder.ts';
import { applyGain } from '../../../../src/voice/tts/gain.ts';
import { toS16le } from '../../../../src/audio/pcm.ts';
import { heardIn, never, sourceOf, tone } from '../../audio/support.ts';

const packetsOf = (sound: Float32Array, sampleRateHz: number): Promise<Uint8Array[]> => {
  const chunks = sourceOf(toS16le(sound), 777).open();
  return Array.fromAsync(speechPackets({ format: 'pcm', sampleRateHz, chunks }, never));
};

describe('lowered packets', () => {
  async function* each<Item>(items: readonly Item[]) {
    yield* items;
  }
  const loudness = (sound: Float32Array, fromMs: number, toMs: number): number => {
    const part = sound.subarray(fromMs * 16, toMs * 16);
    return Math.sqrt(part.reduce((sum, x) => sum + x * x, 0) / part.length);
  };

  it('are untouched at full gain, and as loud as asked from the next packet on', async () => {
    const packets = await packetsOf(tone(48_000, 2), 48_000);
    let count = 0;
    const gain = () => {
      count += 1;
      return count > 25 && count <= 75 ? 0.25 : 1;
    };
    const out = await Array.fromAsync(applyGain(each(packets), gain));
    expect(out.slice(0, 25)).toEqual(packets.slice(0, 25));
    expect(out.slice(77, 100)).toEqual(packets.slice(77, 100));
    expect(out.length).toBe(packets.length);
    const sound = await heardIn(out);
    const full = loudness(sound, 100, 480);
    expect(loudness(sound, 600, 1_400) / full).toBeCloseTo(0.25, 1);
    expect(loudness(sound, 1_700, 1_980) / full).toBeCloseTo(1, 1);
  });
});

it('packets stay as loud as they are where all encoders are taken, rather than wait', async () => {
  const packets = await packetsOf(tone(24_000, 0.2), 24_000);
  const places = Array.from({ length: 16 }, () => encoderLimit.tryAcquire());
  const all = async function* () {
    yield* packets;
  };
  expect(await Array.fromAsync(applyGain(all(), () => 0.3))).toEqual(packets);
  for (const place of places) place?.[Symbol.dispose]();
});
