import * as fc from 'fast-check';
import { createDecoder } from 'libopus-wasm';
import { describe, expect, it } from 'vitest';
import { parseToc } from '../../../../src/audio/opus/packet.ts';
import {
  createRepacketizer,
  framesOf,
  packetOf,
  splitStreams,
} from '../../../../src/audio/opus/layout.ts';
import { concat } from '../support.ts';

const PACKET_SAMPLES = 960;

describe('the layout of packets', () => {
  const frame = fc.uint8Array({ maxLength: 300 });
  const twenty = 0x98; // CELT, 20 ms: any bytes are a frame.
  const five = 0x88; // CELT, 5 ms.

  it('is read as it was written, for any frames', () => {
    fc.assert(
      fc.property(fc.array(frame, { minLength: 1, maxLength: 6 }), (frames) => {
        const packet = packetOf(twenty, frames);
        expect(parseToc(packet)).toMatchObject({
          frames: frames.length,
          samples: frames.length * PACKET_SAMPLES,
        });
        expect(framesOf(packet)?.map((one) => [...one])).toEqual(frames.map((one) => [...one]));
      }),
    );
  });

  it('agrees with libopus on what is a packet, and never throws', async () => {
    using decoder = await createDecoder({ channels: 1 });
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 40 }), (packet) => {
        let isTaken = true;
        try {
          decoder.decodeFloat(packet);
        } catch {
          isTaken = false;
        }
        expect(framesOf(packet) !== undefined).toBe(isTaken);
      }),
    );
  });

  it('of several streams is taken apart whatever the frames of each', () => {
    const lengthBytes = ({ length }: Uint8Array) =>
      length < 252 ? [length] : [252 + (length % 4), (length - 252 - (length % 4)) / 4];
    /** As `packetOf`, with all lengths given. */
    const delimited = (frames: readonly Uint8Array[], padding: number) =>
      concat([
        Uint8Array.of(twenty | 3, 0x80 | 0x40 | frames.length, padding),
        ...frames.map((one) => Uint8Array.from(lengthBytes(one))),
        ...frames,
        new Uint8Array(padding),
      ]);
    const streams = fc.array(fc.array(frame, { minLength: 1, maxLength: 6 }), { minLength: 1 });
    fc.assert(
      fc.property(streams, fc.nat(254), (all, padding) => {
        const first = all.slice(0, -1).map((frames) => delimited(frames, padding));
        const whole = concat([...first, packetOf(twenty, all.at(-1)!)]);
        const split = splitStreams(whole, all.length)!.map((packet) => framesOf(packet));
        expect(split).toEqual(all);
        expect(splitStreams(whole.subarray(0, 1), all.length + 1)).toBeUndefined();
      }),
    );
  });

  it('of several streams that is damaged is refused or taken apart, never otherwise', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.integer({ min: 2, max: 8 }), (packet, n) => {
        expect([undefined, n]).toContain(splitStreams(packet, n)?.length);
      }),
    );
  });

  it('keeps every frame in order when packets are fitted', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(frame, { minLength: 1, maxLength: 9 }), { maxLength: 9 }),
        (groups) => {
          const fitter = createRepacketizer();
          const fitted = groups.flatMap((frames) => fitter.push(packetOf(five, frames)) ?? []);
          const all = [...fitted, ...fitter.end()];
          const frames = all.flatMap((packet) => framesOf(packet)?.map((one) => [...one]) ?? []);
          const wanted = groups.flat().map((one) => [...one]);
          expect(all.every((packet) => parseToc(packet)?.samples === PACKET_SAMPLES)).toBe(true);
          expect(frames.slice(0, wanted.length)).toEqual(wanted);
          expect(frames.slice(wanted.length).every((one) => one.length === 0)).toBe(true);
        },
      ),
    );
  });
});
