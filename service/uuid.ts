import { createHash } from 'node:crypto';

/** Derives the same id from the same name on every machine: a UUID of version 8 (RFC 9562). */
export const stableUuid = (name: string): string => {
  const bytes = createHash('sha256').update(`dragoman ${name}`).digest();
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes
    .toString('hex', 0, 16)
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};
