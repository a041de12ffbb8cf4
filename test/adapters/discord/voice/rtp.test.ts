import { createCipheriv, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openRtp, readRtp } from '../../../../adapters/discord/voice/rtp.ts';

const KEY = Buffer.alloc(32, 7);

interface Sent {
  readonly payload: Uint8Array;
  readonly sources?: number;
  readonly extensionWords?: number;
  readonly paddingBytes?: number;
  readonly payloadType?: number;
  readonly marker?: boolean;
}

/** A packet as a voice server sends it (RFC 3550 section 5; voice connections, "rtpsize"). */
const send = ({
  payload,
  sources = 0,
  extensionWords,
  paddingBytes = 0,
  payloadType = 0x78,
  marker = false,
}: Sent): Buffer => {
  const isExtended = extensionWords !== undefined;
  const clear = Buffer.alloc(12 + 4 * sources + (isExtended ? 4 : 0));
  clear[0] = (2 << 6) | (paddingBytes > 0 ? 0x20 : 0) | (isExtended ? 0x10 : 0) | sources;
  clear[1] = payloadType | (marker ? 0x80 : 0);
  clear.writeUInt16BE(65_535, 2);
  clear.writeUInt32BE(4_294_967_295, 4);
  clear.writeUInt32BE(1_234, 8);
  if (isExtended) {
    clear.writeUInt16BE(0xbede, 12 + 4 * sources);
    clear.writeUInt16BE(extensionWords, 14 + 4 * sources);
  }
  const padding = Buffer.alloc(paddingBytes);
  if (paddingBytes > 0) padding[paddingBytes - 1] = paddingBytes;
  const plain = Buffer.concat([Buffer.alloc(4 * (extensionWords ?? 0), 9), payload, padding]);
  const counter = Buffer.from([0, 0, 1, 2]);
  const cipher = createCipheriv('aes-256-gcm', KEY, Buffer.concat([counter, Buffer.alloc(8)]));
  cipher.setAAD(clear);
  const hidden = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([clear, hidden, cipher.getAuthTag(), counter]);
};

const open = (message: Buffer, key: Buffer = KEY): Buffer | undefined => {
  const header = readRtp(message);
  return header && openRtp(message, header, key);
};

describe('RTP', () => {
  it('gives what was sent, whatever stands around it', () => {
    const sent = fc.record({
      payload: fc.uint8Array({ minLength: 1, maxLength: 1_200 }),
      sources: fc.nat(15),
      extensionWords: fc.option(fc.nat(8), { nil: undefined }),
      paddingBytes: fc.nat(255),
      marker: fc.boolean(),
    });
    fc.assert(
      fc.property(sent, ({ extensionWords, ...rest }) => {
        const message = send({
          ...rest,
          ...(extensionWords === undefined ? {} : { extensionWords }),
        });
        expect(readRtp(message)).toMatchObject({
          sequence: 65_535,
          timestampSamples: 4_294_967_295,
          ssrc: 1_234,
        });
        expect(open(message)).toEqual(Buffer.from(rest.payload));
      }),
    );
  });

  it.each([
    ['a keep-alive', Buffer.alloc(8)],
    ['an answer to IP discovery', Buffer.from([0, 2, 0, 70, ...Buffer.alloc(70)])],
    ['a report (RTCP)', Buffer.from([0x81, 201, ...Buffer.alloc(60)])],
    ['video', send({ payload: Buffer.from('video'), payloadType: 101 })],
    ['a packet that breaks off', send({ payload: Buffer.from('voice') }).subarray(0, 20)],
    ['nothing', Buffer.alloc(0)],
  ])('passes over %s', (_, message) => {
    expect(readRtp(message)).toBeUndefined();
  });

  it('opens nothing with another key, and nothing that was changed on its way', () => {
    const message = send({ payload: Buffer.from('a voice'), extensionWords: 2 });
    expect(open(message, Buffer.alloc(32, 8))).toBeUndefined();
    for (let at = 1; at < message.length; at += 1) {
      const changed = Buffer.from(message);
      changed[at]! ^= 0x40;
      expect(open(changed)).toBeUndefined();
    }
  });

  it('survives anything that comes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(open(Buffer.from(bytes))).toBeUndefined();
      }),
    );
  });

  it('gives nothing where padding or extension claim more than there is', () => {
    const plain = randomBytes(4);
    plain[3] = 200;
    const clear = Buffer.alloc(12);
    clear[0] = (2 << 6) | 0x20;
    clear[1] = 0x78;
    const counter = Buffer.alloc(4);
    const cipher = createCipheriv('aes-256-gcm', KEY, Buffer.alloc(12));
    cipher.setAAD(clear);
    const hidden = Buffer.concat([cipher.update(plain), cipher.final()]);
    expect(open(Buffer.concat([clear, hidden, cipher.getAuthTag(), counter]))).toBeUndefined();
  });
});
