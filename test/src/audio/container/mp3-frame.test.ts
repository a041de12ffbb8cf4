import { describe, expect, it } from 'vitest';
import { createByteReader } from '../../../../src/audio/bytes.ts';
import { parseMp3Header, readMp3Frames } from '../../../../src/audio/container/mp3-frame.ts';
import { concat, fixture, sourceOf } from '../support.ts';

const framesOf = (bytes: Uint8Array, chunkBytes?: number) =>
  Array.fromAsync(readMp3Frames(createByteReader(sourceOf(bytes, chunkBytes).open())));

describe('an MP3 header', () => {
  it.each([
    ['MPEG-1, 128 kbit/s, 44.1 kHz, stereo', [0xff, 0xfb, 0x90, 0x44], 417, 1_152, 44_100, 2],
    ['MPEG-1, padded, mono', [0xff, 0xfb, 0x92, 0xc4], 418, 1_152, 44_100, 1],
    ['MPEG-2, 64 kbit/s, 24 kHz, mono', [0xff, 0xf3, 0x84, 0xc4], 192, 576, 24_000, 1],
    ['MPEG-2.5, 32 kbit/s, 8 kHz, mono', [0xff, 0xe3, 0x48, 0xc4], 288, 576, 8_000, 1],
  ])('of %s is understood', (_name, head, bytes, samples, sampleRateHz, channels) => {
    expect(parseMp3Header(Uint8Array.from(head))).toMatchObject({
      bytes,
      samples,
      sampleRateHz,
      channels,
    });
  });

  it.each([
    ['layer II', [0xff, 0xfd, 0x90, 0x44]],
    ['a reserved version', [0xff, 0xeb, 0x90, 0x44]],
    ['the free format', [0xff, 0xfb, 0x00, 0x44]],
    ['a bad bit rate', [0xff, 0xfb, 0xf0, 0x44]],
    ['a reserved rate', [0xff, 0xfb, 0x9c, 0x44]],
    ['a cut header', [0xff, 0xfb, 0x90]],
  ])('is not seen in %s', (_name, head) => {
    expect(parseMp3Header(Uint8Array.from(head))).toBeUndefined();
  });
});

describe('MP3 frames', () => {
  it('are found behind the tag, the encoder table among them', async () => {
    const frames = await framesOf(fixture('speech.mp3'), 100);
    expect(frames.filter((frame) => frame.table)).toHaveLength(1);
    const seconds = frames.slice(1).reduce((sum, frame) => sum + frame.samples, 0) / 44_100;
    expect(seconds).toBeCloseTo(3.56, 1);
  });

  it('are found again behind something else', async () => {
    const frames = await framesOf(fixture('speech.mp3'));
    const bytes = frames.map((frame) => new Uint8Array(frame.data));
    const noise = new Uint8Array(9_000).fill(0xff);
    const mixed = concat([...bytes.slice(0, 10), noise, ...bytes.slice(10)]);
    expect(await framesOf(mixed)).toHaveLength(frames.length);
  });
});
