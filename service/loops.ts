import { deflateSync } from 'node:zlib';
import { countCodePoints } from '../src/text/unicode.ts';

/** Compression above which Whisper takes a text for a loop, of letters of one byte. */
const LOOP_COMPRESSION = 2.4;

/**
 * True for a text that a recogniser repeats without end. Letters of several bytes, of which the first are
 * mostly the same, compress better: Hindi and Tamil 2.6 times as they are spoken.
 *
 * @param compression the text's bytes over its compressed ones, where a recogniser tells it
 */
export const isLoop = (text: string, compression?: number | null): boolean => {
  const bytes = Buffer.from(text);
  if (bytes.length === 0) return false;
  const bound = LOOP_COMPRESSION * Math.sqrt(bytes.length / countCodePoints(text));
  return (compression ?? bytes.length / deflateSync(bytes).length) > bound;
};
