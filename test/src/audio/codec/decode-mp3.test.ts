import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concatSamples } from '../../../../src/audio/pcm.ts';
import { createByteReader } from '../../../../src/audio/bytes.ts';
import { decodeMp3 } from '../../../../src/audio/codec/decode-mp3.ts';
import { readMp3Frames } from '../../../../src/audio/container/mp3-frame.ts';
import { concat, decodeAll, fixture, sourceOf } from '../support.ts';
import { casesOf } from '../../../fakes/cases.ts';

const BYTES = fixture('speech-8k.mp3');
const readerOf = (bytes: Uint8Array) => createByteReader(sourceOf(bytes).open());

const hear = async (bytes: Uint8Array): Promise<Float32Array> =>
  concatSamples((await Array.fromAsync(decodeMp3(readerOf(bytes)))).map(({ samples }) => samples));

const frames = await Array.fromAsync(readMp3Frames(readerOf(BYTES)));
const [table, ...audio] = frames.map(({ data }) => Uint8Array.from(data));
const PADDED_SAMPLES = audio.length * 576;
const DECODER_SAMPLES = 529;

/** The file with other numbers in its table. */
const withTable = (edit: (table: Buffer) => void): Uint8Array => {
  const edited = Buffer.from(table!);
  edit(edited);
  return concat([edited, ...audio]);
};

const TAG_AT = Buffer.from(table!).indexOf('Info');
const setDelays = (delay: number, padding: number) => (edited: Buffer) =>
  edited.writeUIntBE(delay * 4_096 + padding, TAG_AT + 120 + 21, 3);

describe('MP3', () => {
  it('is as long as before it was encoded, and at its place', async () => {
    const heard = await hear(BYTES);
    const source = (await decodeAll(sourceOf(fixture('speech.wav')), 8_000)).subarray(0, 8_000);
    expect(heard.length).toBe(8_000);
    const product = (a: Float32Array, b: Float32Array) =>
      a.reduce((sum, x, i) => sum + x * b[i]!, 0);
    const alike =
      product(heard, source) / Math.sqrt(product(heard, heard) * product(source, source));
    expect(alike).toBeGreaterThan(0.98);
  });

  it('without its table is heard with all that an encoder added', async () => {
    expect((await hear(concat(audio))).length).toBe(PADDED_SAMPLES);
  });

  it('that is cut off is heard up to its last whole frame', async () => {
    const whole = await hear(BYTES);
    const { delaySamples } = frames[0]!.table!.gapless!;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: audio.length - 1 }), async (count) => {
        const heard = await hear(concat([table!, ...audio.slice(0, count)]));
        expect(heard.length).toBe(Math.max(0, count * 576 - delaySamples - DECODER_SAMPLES));
        expect(heard).toEqual(whole.subarray(0, heard.length));
      }),
      { numRuns: casesOf(12, 6) },
    );
  });

  it('behind another is as long as alone', async () => {
    expect((await hear(concat([BYTES, BYTES]))).length).toBe(2 * 8_000);
    const { delaySamples } = frames[0]!.table!.gapless!;
    const longer = concat([BYTES, ...audio, BYTES]);
    const longerSamples = 2 * PADDED_SAMPLES - delaySamples - DECODER_SAMPLES;
    expect((await hear(longer)).length).toBe(longerSamples + 8_000);
  });

  it('is as long as its table says, whatever delays stand there', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(4_095), fc.nat(4_095), async (delay, padding) => {
        const heard = await hear(withTable(setDelays(delay, padding)));
        expect(heard.length).toBe(Math.max(0, PADDED_SAMPLES - delay - padding));
      }),
      { numRuns: casesOf(25) },
    );
  });

  it('keeps its end where its table counts other frames, as that of an edited file does', async () => {
    for (const count of [0, audio.length - 1, audio.length + 1, 0xffff_ffff]) {
      const heard = await hear(
        withTable((edited) => {
          setDelays(0, 4_000)(edited);
          edited.writeUInt32BE(count, TAG_AT + 8);
        }),
      );
      expect(heard.length).toBe(PADDED_SAMPLES - DECODER_SAMPLES);
    }
  });
});
