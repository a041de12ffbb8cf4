import { createCipheriv, createDecipheriv } from 'node:crypto';

/** An RTP packet (RFC 3550 section 5.1), sealed as `aead_aes256_gcm_rtpsize` asks. */
export interface RtpPacket {
  readonly payloadType: number;
  readonly marker?: boolean;
  readonly sequence: number;
  readonly timestamp: number;
  readonly ssrc: number;
  readonly csrcs?: readonly number[];
  /** The one-byte headers of RFC 8285, a multiple of four bytes. */
  readonly extension?: Uint8Array | undefined;
  /** With the byte that counts it; 0: none. */
  readonly paddingBytes?: number;
  readonly payload: Uint8Array;
}

export interface OpenedPacket extends RtpPacket {
  /** The counter at its end. */
  readonly nonce: number;
}

/** Of Opus on Discord. */
export const OPUS_PAYLOAD_TYPE = 0x78;

const FIXED_BYTES = 12;
const NONCE_BYTES = 4;
const TAG_BYTES = 16;
const ONE_BYTE_HEADERS = 0xbe_de;

const nonceOf = (counter: number): Buffer => {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32BE(counter);
  return nonce;
};

/** What stays readable and is only authenticated: up to the length of the extension, without its body. */
const writeHeader = (packet: RtpPacket): Buffer => {
  const { csrcs = [], extension, paddingBytes = 0 } = packet;
  const at = FIXED_BYTES + csrcs.length * 4;
  const header = Buffer.alloc(at + (extension ? 4 : 0));
  header[0] = 0x80 | (paddingBytes > 0 ? 0x20 : 0) | (extension ? 0x10 : 0) | csrcs.length;
  header[1] = (packet.marker ? 0x80 : 0) | packet.payloadType;
  header.writeUInt16BE(packet.sequence, 2);
  header.writeUInt32BE(packet.timestamp, 4);
  header.writeUInt32BE(packet.ssrc, 8);
  for (const [index, csrc] of csrcs.entries()) header.writeUInt32BE(csrc, FIXED_BYTES + index * 4);
  if (extension) {
    header.writeUInt16BE(ONE_BYTE_HEADERS, at);
    header.writeUInt16BE(extension.length / 4, at + 2);
  }
  return header;
};

export const sealRtp = (packet: RtpPacket, key: Uint8Array, nonce: number): Buffer => {
  const header = writeHeader(packet);
  const { paddingBytes = 0, extension = new Uint8Array() } = packet;
  const padding = Buffer.alloc(paddingBytes);
  if (paddingBytes > 0) padding[paddingBytes - 1] = paddingBytes;
  const iv = nonceOf(nonce);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(header);
  return Buffer.concat([
    header,
    cipher.update(Buffer.concat([extension, packet.payload, padding])),
    cipher.final(),
    cipher.getAuthTag(),
    iv.subarray(0, NONCE_BYTES),
  ]);
};

const SENDER_REPORT = 200;
const SENDER_REPORT_BYTES = 28;

/** An RTCP sender report (RFC 3550 section 6.4.1) of nothing in particular; 8 bytes stay readable. */
export const sealReport = (ssrc: number, key: Uint8Array, nonce: number): Buffer => {
  const header = Buffer.alloc(8);
  header.writeUInt16BE((0x80 << 8) | SENDER_REPORT, 0);
  header.writeUInt16BE(SENDER_REPORT_BYTES / 4 - 1, 2);
  header.writeUInt32BE(ssrc, 4);
  const iv = nonceOf(nonce);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(header);
  const body = cipher.update(Buffer.alloc(SENDER_REPORT_BYTES - header.length));
  cipher.final();
  return Buffer.concat([header, body, cipher.getAuthTag(), iv.subarray(0, NONCE_BYTES)]);
};

/** The source of any RTP packet; undefined for what is none. */
export const ssrcOf = (datagram: Buffer): number | undefined =>
  datagram.length > FIXED_BYTES && datagram[0]! >> 6 === 2 ? datagram.readUInt32BE(8) : undefined;

/** Undefined for what is no RTP, cut short, or not sealed with this key. */
export const openRtp = (datagram: Buffer, key: Uint8Array): OpenedPacket | undefined => {
  const ssrc = ssrcOf(datagram);
  if (ssrc === undefined) return undefined;
  const [flags = 0, type = 0] = datagram;
  const extensionAt = FIXED_BYTES + (flags & 0x0f) * 4;
  const headerBytes = extensionAt + (flags & 0x10 ? 4 : 0);
  const end = datagram.length - NONCE_BYTES;
  if (headerBytes + TAG_BYTES > end) return undefined;
  const nonce = datagram.readUInt32BE(end);
  const cipher = createDecipheriv('aes-256-gcm', key, nonceOf(nonce))
    .setAAD(datagram.subarray(0, headerBytes))
    .setAuthTag(datagram.subarray(end - TAG_BYTES, end));
  let plain = cipher.update(datagram.subarray(headerBytes, end - TAG_BYTES));
  try {
    cipher.final();
  } catch {
    return undefined;
  }
  const paddingBytes = flags & 0x20 ? plain.at(-1)! : 0;
  const extensionBytes = flags & 0x10 ? datagram.readUInt16BE(extensionAt + 2) * 4 : 0;
  if (paddingBytes + extensionBytes > plain.length) return undefined;
  plain = plain.subarray(0, plain.length - paddingBytes);
  return {
    payloadType: type & 0x7f,
    marker: (type & 0x80) !== 0,
    sequence: datagram.readUInt16BE(2),
    timestamp: datagram.readUInt32BE(4),
    ssrc,
    csrcs: Array.from({ length: flags & 0x0f }, (_, index) =>
      datagram.readUInt32BE(FIXED_BYTES + index * 4),
    ),
    extension: flags & 0x10 ? plain.subarray(0, extensionBytes) : undefined,
    paddingBytes,
    payload: plain.subarray(extensionBytes),
    nonce,
  };
};
