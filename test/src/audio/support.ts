import { readFileSync } from 'node:fs';
import { decodeTo } from '../../../src/audio/codec/decode.ts';
import { concatSamples } from '../../../src/audio/pcm.ts';
import { createLevelMeter } from '../../../src/audio/vad.ts';
import type { ByteSource } from '../../../src/model/message.ts';
import { decodePackets } from '../../fakes/opus.ts';

export const fixture = (name: string): Uint8Array =>
  new Uint8Array(readFileSync(new URL(`../../fixtures/audio/${name}`, import.meta.url)));

/** Makes what belongs to a key when it is first asked for, and gives the same again: nobody may change it. */
export const shared = <Key, Value>(make: (key: Key) => Value): ((key: Key) => Value) => {
  const made = new Map<Key, Value>();
  return (key) => {
    if (!made.has(key)) made.set(key, make(key));
    return made.get(key)!;
  };
};

/** Bytes as a stream of chunks, which counts how often it was opened and how much was read. */
export const sourceOf = (bytes: Uint8Array, chunkBytes = 4_096) => {
  const source = {
    sizeBytes: bytes.length,
    opened: 0,
    readBytes: 0,
    async *open() {
      source.opened += 1;
      for (let at = 0; at < bytes.length; at += chunkBytes) {
        const chunk = bytes.subarray(at, at + chunkBytes);
        source.readBytes += chunk.length;
        yield chunk;
      }
    },
  };
  return source satisfies ByteSource;
};

export const never = new AbortController().signal;

export const concat = (parts: readonly Uint8Array[]): Uint8Array =>
  new Uint8Array(Buffer.concat(parts));

export const tone = (sampleRateHz: number, seconds: number, hz = 440): Float32Array =>
  new Float32Array(Math.round(sampleRateHz * seconds)).map(
    (_, i) => 0.5 * Math.sin((2 * Math.PI * hz * i) / sampleRateHz),
  );

export async function* chunked(samples: Float32Array, size = 1_000): AsyncGenerator<Float32Array> {
  for (let at = 0; at < samples.length; at += size) yield samples.subarray(at, at + size);
}

export const decodeAll = async (source: ByteSource, sampleRateHz = 16_000): Promise<Float32Array> =>
  concatSamples(await Array.fromAsync(decodeTo(source, sampleRateHz, never)));

/** How alike two sounds of 16 kHz are in their course of loudness: 1 for the same. */
export const likeness = (a: Float32Array, b: Float32Array): number => {
  const [x, y] = [a, b].map((samples) =>
    createLevelMeter()(samples).map((db) => Math.max(db, -50)),
  );
  const length = Math.min(x!.length, y!.length);
  const mean = (values: readonly number[]) =>
    values.slice(0, length).reduce((sum, value) => sum + value, 0) / length;
  const [mx, my] = [mean(x!), mean(y!)];
  let [xy, xx, yy] = [0, 0, 0];
  for (let i = 0; i < length; i += 1) {
    const [dx, dy] = [x![i]! - mx, y![i]! - my];
    xy += dx * dy;
    xx += dx * dx;
    yy += dy * dy;
  }
  return xy / Math.sqrt(xx * yy);
};

/** The rate of `heardIn`. */
export const HEARD_HZ = 16_000;

/** What a listener hears in Opus packets. */
export const heardIn = (packets: readonly Uint8Array[]): Promise<Float32Array> =>
  decodePackets(packets, HEARD_HZ);

/** Numbers as containers of MP4 have them: 32 bits, big-endian. */
export const uint32s = (...numbers: readonly number[]): Uint8Array => {
  const bytes = Buffer.alloc(4 * numbers.length);
  for (const [i, number] of numbers.entries()) bytes.writeUInt32BE(number >>> 0, 4 * i);
  return new Uint8Array(bytes);
};
