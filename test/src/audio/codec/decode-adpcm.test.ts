import { describe, expect, it } from 'vitest';
import { decodeAll, fixture, likeness, sourceOf } from '../support.ts';

const RATE_HZ = 8_000;
const SAMPLES_IN_BLOCK = 505;

/** Encodes a tone with the IMA's steps, by trying all sixteen differences. */
const imaWav = (channels: number, samples: readonly number[]): Uint8Array => {
  const STEPS = Array.from({ length: 89 }, (_, i) => IMA[i]!);
  const blocks: Buffer[] = [];
  for (let from = 0; from + SAMPLES_IN_BLOCK <= samples.length; from += SAMPLES_IN_BLOCK) {
    let sample = Math.round(samples[from]! * 32_767);
    let index = 30;
    const head = Buffer.alloc(4);
    head.writeInt16LE(sample, 0);
    head[2] = index;
    const nibbles: number[] = [];
    for (let i = 1; i < SAMPLES_IN_BLOCK; i += 1) {
      const wanted = Math.round(samples[from + i]! * 32_767);
      const step = STEPS[index]!;
      const value = (nibble: number): number => {
        const size = nibble & 7;
        const change =
          (step >> 3) +
          (size & 4 ? step : 0) +
          (size & 2 ? step >> 1 : 0) +
          (size & 1 ? step >> 2 : 0);
        return Math.max(-32_768, Math.min(32_767, nibble & 8 ? sample - change : sample + change));
      };
      let best = 0;
      for (let nibble = 1; nibble < 16; nibble += 1)
        if (Math.abs(value(nibble) - wanted) < Math.abs(value(best) - wanted)) best = nibble;
      sample = value(best);
      index = Math.max(0, Math.min(88, index + [-1, -1, -1, -1, 2, 4, 6, 8][best & 7]!));
      nibbles.push(best);
    }
    const bytes = Buffer.from(
      Array.from(
        { length: nibbles.length / 2 },
        (_, i) => nibbles[2 * i]! | (nibbles[2 * i + 1]! << 4),
      ),
    );
    for (let channel = 0; channel < channels; channel += 1) blocks.push(head);
    for (let at = 0; at < bytes.length; at += 4)
      for (let channel = 0; channel < channels; channel += 1)
        blocks.push(bytes.subarray(at, at + 4));
  }
  const data = Buffer.concat(blocks);
  const wav = Buffer.alloc(48);
  wav.write('RIFF', 0, 'latin1');
  wav.writeUInt32LE(40 + data.length, 4);
  wav.write('WAVEfmt ', 8, 'latin1');
  wav.writeUInt32LE(20, 16);
  wav.writeUInt16LE(0x11, 20);
  wav.writeUInt16LE(channels, 22);
  wav.writeUInt32LE(RATE_HZ, 24);
  wav.writeUInt16LE(256 * channels, 32);
  wav.writeUInt16LE(4, 34);
  wav.writeUInt16LE(2, 36);
  wav.writeUInt16LE(SAMPLES_IN_BLOCK, 38);
  wav.write('data', 40, 'latin1');
  wav.writeUInt32LE(data.length, 44);
  return new Uint8Array(Buffer.concat([wav, data]));
};

/** The table of the recommendation. */
const IMA = [
  7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55, 60, 66, 73,
  80, 88, 97, 107, 118, 130, 143, 157, 173, 190, 209, 230, 253, 279, 307, 337, 371, 408, 449, 494,
  544, 598, 658, 724, 796, 876, 963, 1_060, 1_166, 1_282, 1_411, 1_552, 1_707, 1_878, 2_066, 2_272,
  2_499, 2_749, 3_024, 3_327, 3_660, 4_026, 4_428, 4_871, 5_358, 5_894, 6_484, 7_132, 7_845, 8_630,
  9_493, 10_442, 11_487, 12_635, 13_899, 15_289, 16_818, 18_500, 20_350, 22_385, 24_623, 27_086,
  29_794, 32_767,
];

const TONE = Array.from({ length: 20 * SAMPLES_IN_BLOCK }, (_, i) => 0.5 * Math.sin(i * 0.2));

describe('ADPCM in WAV', () => {
  it('of Microsoft’s kind sounds as what was encoded', async () => {
    const original = await decodeAll(sourceOf(fixture('speech.wav')));
    const heard = await decodeAll(sourceOf(fixture('adpcm.wav')));
    expect(Math.abs(heard.length - original.length)).toBeLessThan(2_048);
    expect(likeness(heard, original)).toBeGreaterThan(0.98);
  });

  it.each([1, 2])(
    'of the IMA’s kind with %i channels sounds as what was encoded',
    async (channels) => {
      const heard = await decodeAll(sourceOf(imaWav(channels, TONE)), RATE_HZ);
      expect(heard).toHaveLength(TONE.length);
      const errors = heard.map((sample, i) => Math.abs(sample - TONE[i]!));
      expect(errors.toSorted()[Math.floor(errors.length * 0.9)]).toBeLessThan(0.02);
    },
  );

  it('is heard up to the block in which it is cut', async () => {
    const bytes = fixture('adpcm.wav');
    const half = await decodeAll(sourceOf(bytes.subarray(0, bytes.length >> 1)));
    const whole = await decodeAll(sourceOf(bytes));
    expect(Math.abs(half.length - whole.length / 2)).toBeLessThan(5_000);
  });

  it('of many channels or without a block is refused by its name', async () => {
    const bytes = imaWav(1, TONE);
    for (const [at, value] of [
      [22, 6],
      [32, 4],
    ] as const) {
      const other = Buffer.from(bytes);
      other.writeUInt16LE(value, at);
      await expect(decodeAll(sourceOf(new Uint8Array(other)))).rejects.toMatchObject({
        code: 'unsupported',
      });
    }
  });
});
