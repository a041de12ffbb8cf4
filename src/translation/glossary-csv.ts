import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { createSemaphore } from '../async/locks.ts';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { parse } from 'csv-parse';
import { disarm } from '../text/spreadsheet.ts';
import { stringify } from 'csv-stringify/sync';
import { AppError } from '../errors.ts';
import { LOADING } from '../process/loading.ts';
import type { ByteSource } from '../model/message.ts';
import type { GlossaryTerm } from '../model/glossary.ts';

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
  const worker = new Worker(new URL('encoding-worker.ts', import.meta.url), {
    workerData: sample,
    execArgv: LOADING,
  });
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

/** The largest file: more than the largest glossary needs, so a spreadsheet above it is a mistake. */
const LARGEST_BYTES = 8_388_608;
const MOST_LINES = 100_000;
/** Longest line: many times a term and its translation into every language. */
const LONGEST_LINE_CHARS = 65_536;
const MOST_CELLS = 500;
/** Bytes that are parsed, and entries that are written, before the event loop runs. */
const SLICE_BYTES = 8_192;
const ENTRIES_AT_ONCE = 500;
/** Characters and lines from which the separator is recognised. */
const SAMPLE_CHARS = 16_384;
const SAMPLE_LINES = 10;
const SEPARATORS = ['\t', ',', ';', '|'] as const;

const html = /^\s*<(?:!doctype|html|head|body|table|meta|\?xml)\b/i;
/** The line by which a spreadsheet says its separator. */
const separatorLine = /^"?sep=(.)"?\r?(?:\n|$)/i;

const BYTE_ORDER_MARK = '\uFEFF';

/** The `'` of a cell that `disarm` has made. */
const DISARMED = /^'(?=[=+\-@\t\r])/;

export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

interface CsvFile {
  /** All rows, a header included. */
  readonly rows: readonly CsvRow[];
  /** The name of the encoding that was recognised. */
  readonly encoding: string;
}

const notCsv = (): AppError =>
  new AppError('bad-input', 'the glossary file is not CSV', {
    sentence: { key: 'glossary.not-csv' },
  });

const tooLarge = (): AppError =>
  new AppError('too-large', 'the glossary file is too large', {
    sentence: {
      key: 'glossary.file-too-large',
      params: { mebibytes: LARGEST_BYTES / 2 ** 20, lines: MOST_LINES },
    },
  });

/** Reads a file whole; rejects with `too-large` for one that no glossary needs. */
export const readGlossaryFile = async (
  file: ByteSource,
  signal: AbortSignal,
): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of file.open(signal)) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > LARGEST_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

/** The separator that is as often in each of the first lines, because terms can have commas too. */
const separatorOf = (text: string): string => {
  const lines = text
    .slice(0, SAMPLE_CHARS)
    .split(/\r?\n/, SAMPLE_LINES)
    .map((line) => line.replaceAll(/"[^"]*"/g, ''))
    .filter((line) => line.trim() !== '');
  const even = SEPARATORS.find((mark) => {
    const counts = new Set(lines.map((line) => line.split(mark).length));
    return counts.size === 1 && !counts.has(1);
  });
  return even ?? SEPARATORS.find((mark) => lines[0]?.includes(mark)) ?? ',';
};

/** Yields a text in pieces; the event loop runs before each. */
const sliced = async function* (text: string): AsyncGenerator<Uint8Array, void, void> {
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length; from += SLICE_BYTES) {
    await setImmediate();
    yield bytes.subarray(from, from + SLICE_BYTES);
  }
};

const parseRows = async (text: string, signal: AbortSignal): Promise<readonly CsvRow[]> => {
  const separator = separatorLine.exec(text)?.[1];
  /** The last line of the last row that could be read. */
  let readLines = separator === undefined ? 0 : 1;
  const parser = parse({
    delimiter: separator ?? separatorOf(text),
    from_line: separator === undefined ? 1 : 2,
    info: true,
    max_record_size: LONGEST_LINE_CHARS,
    on_record: (row: string[], { lines }) => {
      readLines = lines;
      return row;
    },
    relax_column_count: true,
    // A quote within a cell is an inch.
    relax_quotes: true,
    skip_empty_lines: true,
    trim: true,
  });
  // Its faults are those of the parser.
  pipeline(sliced(text), parser, { signal }).catch(() => undefined);
  const rows: CsvRow[] = [];
  try {
    for await (const { record, info } of parser as AsyncIterable<{
      readonly record: readonly string[];
      readonly info: { readonly lines: number };
    }>) {
      if (rows.length === MOST_LINES || record.length > MOST_CELLS) throw tooLarge();
      rows.push({ line: info.lines, cells: record.map((cell) => cell.replace(DISARMED, '')) });
    }
    return rows;
  } catch (cause) {
    signal.throwIfAborted();
    if (cause instanceof AppError) throw cause;
    // An unclosed quotation mark is noticed far below: it begins behind what could be read.
    const lines = text.split('\n');
    let line = readLines + 1;
    while (lines[line - 1]?.trim() === '') line += 1;
    throw new AppError('bad-input', 'a line of the glossary file is not CSV', {
      sentence: { key: 'glossary.not-csv-line', params: { line } },
      cause,
    });
  }
};

/**
 * Reads a glossary file: separated by commas, semicolons, tabs or `|`, or by what its line `sep=`
 * says, in any common encoding. Throws an `AppError` (`bad-input`, `too-large`) for what is no text,
 * a web page or too large.
 */
export const readGlossaryCsv = async (file: ByteSource, signal: AbortSignal): Promise<CsvFile> => {
  const decoded = await decodeText(await readGlossaryFile(file, signal), signal);
  if (!decoded) throw notCsv();
  if (html.test(decoded.text))
    throw new AppError('bad-input', 'the glossary file is HTML', {
      sentence: { key: 'glossary.is-html' },
    });
  return { rows: await parseRows(decoded.text, signal), encoding: decoded.encoding };
};

/** Writes entries as CSV; the event loop runs in between. */
export const writeGlossaryCsv = async (terms: readonly GlossaryTerm[]): Promise<Uint8Array> => {
  const parts = [`${BYTE_ORDER_MARK}term,language,translation\n`];
  for (let from = 0; from < terms.length; from += ENTRIES_AT_ONCE) {
    const rows = terms
      .slice(from, from + ENTRIES_AT_ONCE)
      .map(({ term, language = '', translation = '' }) => [term, language, translation]);
    parts.push(stringify(rows.map((row) => row.map(disarm))));
    await setImmediate();
  }
  return Buffer.from(parts.join(''));
};
