import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openRtp, sealRtp, ssrcOf } from '../../../fakes/discord/voice/rtp.ts';

const KEY = new Uint8Array(32).fill(9);

const packets = fc.record({
  payloadType: fc.integer({ min: 0, max: 127 }),
  marker: fc.boolean(),
  sequence: fc.integer({ min: 0, max: 65_535 }),
  timestamp: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  ssrc: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  csrcs: fc.array(fc.integer({ min: 0, max: 2 ** 32 - 1 }), { maxLength: 15 }),
  extension: fc.option(
    fc.integer({ min: 0, max: 8 }).map((words) => new Uint8Array(words * 4).fill(words)),
    { nil: undefined },
  ),
  paddingBytes: fc.integer({ min: 0, max: 255 }),
  payload: fc.uint8Array({ maxLength: 40 }),
});

describe('a sealed RTP packet', () => {
  it('opens to what went in', () => {
    fc.assert(
      fc.property(packets, fc.integer({ min: 0, max: 2 ** 32 - 1 }), (packet, nonce) => {
        const opened = openRtp(sealRtp(packet, KEY, nonce), KEY);
        const plain = {
          ...opened,
          payload: opened && Uint8Array.from(opened.payload),
          extension: opened?.extension && Uint8Array.from(opened.extension),
        };
        expect(plain).toEqual({ ...packet, nonce });
      }),
    );
  });

  it('opens no more once a bit of it is wrong, or its end is missing', () => {
    fc.assert(
      fc.property(packets, fc.nat(), fc.integer({ min: 0, max: 7 }), (packet, at, bit) => {
        const sealed = sealRtp(packet, KEY, 1);
        const short = sealed.subarray(0, at % sealed.length);
        expect(openRtp(short, KEY)).toBe(undefined);
        sealed[at % sealed.length]! ^= 1 << bit;
        expect(openRtp(sealed, KEY)).toBe(undefined);
      }),
    );
  });

  it('says whose it is without being opened', () => {
    fc.assert(
      fc.property(packets, (packet) => {
        expect(ssrcOf(sealRtp(packet, KEY, 1))).toBe(packet.ssrc);
      }),
    );
  });
});
