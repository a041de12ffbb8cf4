import { decodePackets } from '../../test/fakes/opus.ts';
import { SILENCE_PACKET } from '../../src/audio/opus/packet.ts';

/** What people in a channel heard of the bot, against what was to be heard. */

export const RATE_HZ = 24_000;

export interface Played {
  readonly atMs: number;
  readonly opus: Uint8Array;
}

export const isSilence = ({ opus }: Played): boolean => Buffer.compare(opus, SILENCE_PACKET) === 0;

export const decodePlayed = (packets: readonly Played[]): Promise<Float32Array> =>
  decodePackets(
    packets.map(({ opus }) => opus),
    RATE_HZ,
  );

/** From −1 to 1, of `a` from `at` on with `b` moved by `lag`, over so many samples. */
export const correlation = (
  a: Float32Array,
  b: Float32Array,
  { at = 0, samples = a.length, lag = 0 }: { at?: number; samples?: number; lag?: number } = {},
): number => {
  let [ab, aa, bb] = [0, 0, 0];
  for (let index = at; index < Math.min(at + samples, a.length); index += 1) {
    const [x, y] = [a[index] ?? 0, b[index + lag] ?? 0];
    ab += x * y;
    aa += x * x;
    bb += y * y;
  }
  return aa > 0 && bb > 0 ? ab / Math.sqrt(aa * bb) : 0;
};

/** How much later than in `source` everything is in `heard`, in samples, up to `most`. */
export const lagOf = (source: Float32Array, heard: Float32Array, most: number): number => {
  let best = { lag: 0, value: -1 };
  for (let lag = 0; lag <= most; lag += 1) {
    const value = correlation(source, heard, { lag });
    if (value > best.value) best = { lag, value };
  }
  return best.lag;
};

/** The share of a sound's energy that is at one frequency (Goertzel). */
export const shareAt = (sound: Float32Array, frequencyHz: number): number => {
  const factor = 2 * Math.cos((2 * Math.PI * frequencyHz) / RATE_HZ);
  let [before, last, energy] = [0, 0, 0];
  for (const sample of sound) {
    [before, last] = [last, sample + factor * last - before];
    energy += sample * sample;
  }
  const power = last * last + before * before - factor * last * before;
  return energy > 0 ? (2 * power) / (sound.length * energy) : 0;
};
