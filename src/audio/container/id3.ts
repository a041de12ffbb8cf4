import type { ByteReader } from '../bytes.ts';

const HEADER_BYTES = 10;

/** The length of an ID3v2 tag that `head` begins with, header and footer included; 0 without. */
export const id3Bytes = (head: Uint8Array): number => {
  const [i, d, three, major = 255, minor = 255, flags = 0, ...size] = head.subarray(
    0,
    HEADER_BYTES,
  );
  if (i !== 0x49 || d !== 0x44 || three !== 0x33 || major === 255 || minor === 255) return 0;
  if (size.length < 4 || size.some((byte) => byte > 127)) return 0;
  const footer = (flags & 0x10) !== 0 ? HEADER_BYTES : 0;
  return HEADER_BYTES + footer + size.reduce((total, byte) => total * 128 + byte, 0);
};

/** Skips ID3v2 tags, of which some tools write several. */
export const skipId3 = async (reader: ByteReader): Promise<void> => {
  for (;;) {
    const bytes = id3Bytes(await reader.peek(HEADER_BYTES));
    if (bytes === 0 || (await reader.skip(bytes)) < bytes) return;
  }
};
