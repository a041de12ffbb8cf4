import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { createSemaphore } from '../async/locks.ts';

interface DecodedText {
  readonly text: string;
  /** The encoding's usual name, such as `UTF-8` or `Shift_JIS`. */
  readonly encoding: string;
}

/** Bytes from which an encoding is detected; more make it no surer. */
const SAMPLE_BYTES = 65_536;
const LINE_FEED = 0x0a;

/** Names that the detector has and the Encoding Standard lacks. */
const ALIASES: Readonly<Record<string, string>> = {
  cp932: 'shift_jis',
  cp949: 'euc-kr',
  cp874: 'windows-874',
};
const NAMES: Readonly<Record<string, string>> = { shift_jis: 'Shift_JIS', big5: 'Big5' };

const nameOf = (label: string): string =>
  NAMES[label] ??
  (label.startsWith('windows-')
    ? label.replace('w', 'W')
    : label.toUpperCase().replace(/[LB]E$/, ''));

/** Decodes bytes; undefined where they are no text in this encoding. */
const decode = (bytes: Uint8Array, label: string): DecodedText | undefined => {
  try {
    const text = new TextDecoder(label, { fatal: true }).decode(bytes);
    return text.includes('\0') ? undefined : { text, encoding: nameOf(label) };
  } catch {
    return undefined;
  }
};

/** The bytes from the first line on that is not plain ASCII, by which an encoding is recognised. */
const sampleOf = (bytes: Uint8Array): Uint8Array => {
  const first = bytes.findIndex((byte) => byte >= 0x80);
  const start = bytes.lastIndexOf(LINE_FEED, first) + 1;
  return bytes.subarray(start, start + SAMPLE_BYTES);
};

/** One at a time: a thread takes about 85 MB while it lives. */
const detections = createSemaphore(1);

/** Detects an encoding in a thread of its own, because it takes a tenth of a second. */
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

/** The encoding that the first two bytes of a file say; UTF-8 unless they are those of UTF-16. */
const markedEncoding = ([first, second]: Uint8Array): string => {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
};

/**
 * Decodes a text file: UTF-8, UTF-16 with a byte order mark, or else the encoding that its bytes
 * make likely; undefined for no text.
 */
export const decodeText = async (
  bytes: Uint8Array,
  signal: AbortSignal,
): Promise<DecodedText | undefined> => {
  const decoded = decode(bytes, markedEncoding(bytes));
  if (decoded) return decoded;
  const label = await detect(sampleOf(bytes), signal);
  return label === undefined ? undefined : decode(bytes, label);
};
