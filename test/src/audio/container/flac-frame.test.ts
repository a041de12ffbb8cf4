import { describe, expect, it } from 'vitest';
import { createByteReader } from '../../../../src/audio/bytes.ts';
import { parseFlacHeader, readFlacFrames } from '../../../../src/audio/container/flac-frame.ts';
import { concat, fixture, sourceOf } from '../support.ts';

const framesOf = (bytes: Uint8Array, chunkBytes?: number) =>
  Array.fromAsync(readFlacFrames(createByteReader(sourceOf(bytes, chunkBytes).open())));

const samplesIn = (frames: readonly { samples: number }[]): number =>
  frames.reduce((total, frame) => total + frame.samples, 0);

/** What the head of the fixture says (`metaflac --show-total-samples`). */
const ALL_SAMPLES = 56_306;

describe('FLAC frames', () => {
  it('are all found, a last one of silence too, whatever the chunks', async () => {
    const bytes = fixture('speech.flac');
    for (const chunkBytes of [1, 1_000, 1e6]) {
      const frames = await framesOf(bytes, chunkBytes);
      expect(samplesIn(frames)).toBe(ALL_SAMPLES);
      expect(frames.every((frame) => frame.sampleRateHz === 16_000)).toBe(true);
      const all = concat(frames.map((frame) => frame.data));
      expect(all).toEqual(bytes.slice(-all.length));
    }
  });

  it('are left out where they are damaged, and the next one says so', async () => {
    const bytes = fixture('speech.flac');
    const whole = await framesOf(bytes);
    bytes[30_000]! ^= 1;
    const frames = await framesOf(bytes);
    expect(frames).toHaveLength(whole.length - 1);
    expect(frames.filter((frame) => frame.isAfterGap)).toHaveLength(1);
  });

  it.each([1, 1_000, 1e6])(
    'are all found in files that were joined (chunks of %i)',
    async (size) => {
      const bytes = fixture('speech.flac');
      const joined = await framesOf(concat([bytes, bytes]), size);
      expect(samplesIn(joined)).toBe(2 * ALL_SAMPLES);
      expect(joined.filter((frame) => frame.isAfterGap)).toHaveLength(1);
    },
  );

  it('are found in a stream that begins anywhere', async () => {
    const frames = await framesOf(fixture('speech.flac').subarray(20_000));
    expect(samplesIn(frames)).toBeGreaterThan(ALL_SAMPLES / 4);
  });

  it('are given up in a file of nothing but false headers', async () => {
    const frame = (await framesOf(fixture('speech.flac')))[0]!;
    const header = frame.data.slice(0, parseFlacHeader(frame.data)!.headerBytes);
    const liar = concat(Array.from({ length: 5_000 }, () => concat([header, Uint8Array.of(1)])));
    await expect(framesOf(liar)).rejects.toMatchObject({ code: 'bad-input' });
  });

  it('have headers with a checksum', () => {
    const bytes = fixture('speech.flac');
    const at = bytes.findIndex((_, i) => parseFlacHeader(bytes, i) !== undefined);
    expect(parseFlacHeader(bytes, at)).toMatchObject({ sampleRateHz: 16_000 });
    bytes[at + 2]! ^= 0x10;
    expect(parseFlacHeader(bytes, at)).toBeUndefined();
  });
});
