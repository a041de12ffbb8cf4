import { describe, expect, it } from 'vitest';
import { parseEdit } from '../../../../src/audio/container/mp4-box.ts';
import { concat, decodeAll, fixture, sourceOf, uint32s } from '../support.ts';

const box = (type: string, body: Uint8Array): Uint8Array =>
  concat([uint32s(body.length + 8), new TextEncoder().encode(type), body]);

const LONG = 0x0100_0000;

/** An `mvhd` or `mdhd` of a thousand units a second. */
const header = (type: string, units: number): Uint8Array =>
  box(type, uint32s(0, 0, 0, 1_000, units, 0));

interface Parts {
  readonly elst: Uint8Array;
  readonly mdhd?: Uint8Array;
  readonly mvhd?: Uint8Array;
}

const edit = ({ elst, mdhd = header('mdhd', 9_000), mvhd = header('mvhd', 9_000) }: Parts) =>
  parseEdit(mvhd.subarray(8), concat([box('edts', box('elst', elst)), box('mdia', mdhd)]));

describe('the edit list of an MP4 track', () => {
  it.each([
    ['an edit', { elst: uint32s(0, 1, 2_000, 500, 0x10000) }, 0.5, 2.5],
    ['a long edit', { elst: uint32s(LONG, 1, 0, 2_000, 0, 500, 0x10000) }, 0.5, 2.5],
    ['a pause before it', { elst: uint32s(0, 2, 70, -1, 0x10000, 2_000, 500, 0x10000) }, 0.5, 2.5],
    ['an open end', { elst: uint32s(0, 1, 0, 500, 0x10000) }, 0.5, Infinity],
    ['an end behind that of the media', { elst: uint32s(0, 1, 9_000, 500, 0x10000) }, 0.5, 9],
    [
      'media without a length',
      { elst: uint32s(0, 1, 9_000, 500, 0x10000), mdhd: header('mdhd', 0) },
      0.5,
      9.5,
    ],
    [
      'long headers',
      {
        elst: uint32s(0, 1, 2_000, 500, 0x10000),
        mdhd: box('mdhd', uint32s(LONG, 0, 0, 0, 0, 1_000, 0, 9_000)),
        mvhd: box('mvhd', uint32s(LONG, 0, 0, 0, 0, 1_000, 0, 9_000)),
      },
      0.5,
      2.5,
    ],
    [
      'a coarse unit of the movie, of which one may be missing',
      { elst: uint32s(0, 1, 2, 500, 0x10000), mvhd: box('mvhd', uint32s(0, 0, 0, 1, 9, 0)) },
      0.5,
      3.5,
    ],
  ])('with %s gives what is to be heard', (_what, parts, startSeconds, endSeconds) => {
    expect(edit(parts)).toEqual({ startSeconds, endSeconds });
  });

  it.each([
    ['no entry', { elst: uint32s(0, 0) }],
    ['a cut entry', { elst: uint32s(0, 9, 70) }],
    ['pauses alone', { elst: uint32s(0, 1, 70, -1, 0x10000) }],
    ['several parts', { elst: uint32s(0, 2, 70, 0, 0x10000, 70, 900, 0x10000) }],
    ['a track without a unit', { elst: uint32s(0, 1, 70, 0, 0), mdhd: new Uint8Array(0) }],
  ])('with %s is not followed', (_what, parts) => {
    expect(edit(parts)).toBeUndefined();
  });

  it.each(['speech.m4a', 'faststart.m4a', 'opus.mp4'])(
    'makes %s as long as it was before it was encoded',
    async (name) => {
      const original = await decodeAll(sourceOf(fixture('speech.wav')), 48_000);
      const heard = await decodeAll(sourceOf(fixture(name)), 48_000);
      expect(Math.abs(heard.length - original.length)).toBeLessThanOrEqual(48);
    },
  );

  it('cuts off what a phone was told to cut', async () => {
    const bytes = Uint8Array.from(fixture('faststart.m4a'));
    const whole = await decodeAll(sourceOf(bytes), 44_100);
    const at = Buffer.from(bytes).indexOf('elst') + 12;
    // One second from 2 s on; the encoder's delay comes before the first.
    const view = new DataView(bytes.buffer);
    const delay = view.getUint32(at + 4);
    view.setUint32(at, 1_000);
    view.setUint32(at + 4, delay + 2 * 44_100);
    const cut = await decodeAll(sourceOf(bytes), 44_100);
    expect(cut.length / 44_100).toBeCloseTo(1, 2);
    expect(cut).toEqual(whole.subarray(2 * 44_100, 2 * 44_100 + cut.length));
  });
});
