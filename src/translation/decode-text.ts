import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { createSemaphore } from '../async/semaphore.ts';

export interface DecodedText {
  /**
   * The text in parts of whole characters, none of them empty: joining
   * megabytes takes milliseconds.
   */
  readonly parts: readonly string[];
  /** The encoding's usual name, such as `UTF-8` or `Shift_JIS`. */
  readonly encoding: string;
}

/** Bytes that are decoded before the event loop runs. */
const SLICE_BYTES = 65_536;
/** Bytes from which an encoding is detected; more make it no surer. */
const SAMPLE_BYTES = 65_536;

/** Names that the detector has and the Encoding Standard lacks. */
const ALIASES: Readonly<Record<string, string>> = {
  cp932: 'shift_jis',
  cp949: 'euc-kr',
  cp874: 'windows-874',
};

// Control characters that no text has.
const unprintable = /(?![\s\u007F-\u009F])\p{Cc}/u;

const nameOf = (label: string): string => {
  if (label === 'shift_jis') return 'Shift_JIS';
  if (label === 'big5') return 'Big5';
  if (label.startsWith('windows-')) return label.replace('w', 'W');
  return label.startsWith('utf-16') ? 'UTF-16' : label.toUpperCase();
};

/** Decodes bytes; undefined where they are no text in this encoding. */
const decode = async (bytes: Uint8Array, label: string): Promise<DecodedText | undefined> => {
  const decoder = new TextDecoder(label, { fatal: true });
  const parts: string[] = [];
  try {
    for (let from = 0; from < bytes.length; from += SLICE_BYTES) {
      const part = decoder.decode(bytes.subarray(from, from + SLICE_BYTES), { stream: true });
      if (unprintable.test(part)) return undefined;
      parts.push(part);
      await setImmediate();
    }
    parts.push(decoder.decode());
    return { parts: parts.filter((part) => part !== ''), encoding: nameOf(decoder.encoding) };
  } catch {
    return undefined;
  }
};

/**
 * The byte order of UTF-16 by the side on which its zero bytes are: those of line breaks, commas
 * and Latin letters. Undefined for other bytes; no other encoding of text has zero bytes.
 */
const utf16Of = (bytes: Uint8Array): string | undefined => {
  const zeros = [0, 0];
  for (const [index, byte] of bytes.entries())
    if (byte === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  if (even === odd) return undefined;
  return even > odd ? 'utf-16be' : 'utf-16le';
};

const LINE_FEED = 0x0a;

/** The lines from the first one with a byte that is not ASCII, of which alone an encoding can tell. */
const tellingPart = (bytes: Uint8Array): Uint8Array => {
  let first = 0;
  while (first < bytes.length && (bytes[first] as number) < 0x80) first += 1;
  const start = bytes.lastIndexOf(LINE_FEED, first) + 1;
  return bytes.subarray(start, start + SAMPLE_BYTES);
};

/** One at a time: a thread takes about 85 MB while it lives. */
const detections = createSemaphore(1);

/** Detects one of the older encodings in a thread of its own, because it takes a tenth of a second. */
const detect = async (sample: Uint8Array, signal: AbortSignal): Promise<string | undefined> => {
  using _ = await detections.acquire(signal);
  const worker = new Worker(new URL('encoding-worker.ts', import.meta.url), { workerData: sample });
  try {
    const [found] = (await once(worker, 'message', { signal })) as [string | null];
    const label = found?.toLowerCase();
    return label && (ALIASES[label] ?? label);
  } finally {
    await worker.terminate();
  }
};

const byteOrderMark = ([first, second]: Uint8Array): string | undefined => {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
};

/**
 * Decodes a text file: by its byte order mark, as UTF-8 or UTF-16, or else in the encoding that its
 * bytes make likely. Undefined where it is none.
 */
export const decodeText = async (
  bytes: Uint8Array,
  signal: AbortSignal,
): Promise<DecodedText | undefined> => {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const marked = byteOrderMark(bytes) ?? (sample.includes(0) ? utf16Of(sample) : undefined);
  if (marked) return decode(bytes, marked);
  const plain = await decode(bytes, 'utf-8');
  if (plain) return plain;
  const label = await detect(tellingPart(bytes), signal);
  return label === undefined ? undefined : decode(bytes, label).catch(() => undefined);
};
