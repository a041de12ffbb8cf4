import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { parse } from 'csv-parse';
import { stringify } from 'csv-stringify/sync';
import { AppError } from '../errors.ts';
import type { ByteSource } from '../model/file.ts';
import type { GlossaryTerm } from '../model/glossary.ts';

/**
 * The largest file: more than the largest glossary needs, so a spreadsheet above it is a mistake.
 */
const LARGEST_BYTES = 1_048_576;
const LONGEST_LINES = 5_000;
/** Longest line: many times a term and its translation into every language. */
const LONGEST_LINE_CHARS = 65_536;
const MOST_CELLS = 500;
/** Bytes that are parsed before the event loop runs. */
const SLICE_BYTES = 4_096;

const BYTE_ORDER_MARK = '\uFEFF';
const COLUMNS = ['term', 'language', 'translation'] as const;

/** Start of a cell that a spreadsheet would evaluate as a formula; a `'` in front makes it text. */
const RUNS_IN_SPREADSHEETS = /^[=+\-@\t\r]/;
const DISARMED = /^'(?=[=+\-@\t\r])/;

export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

const notCsv = (cause?: unknown): AppError =>
  new AppError('bad-input', 'the glossary file is not CSV in UTF-8', {
    sentence: { key: 'glossary.not-csv' },
    cause,
  });

const tooLarge = (): AppError =>
  new AppError('too-large', 'the glossary file is too large', {
    sentence: {
      key: 'glossary.file-too-large',
      params: { mebibytes: LARGEST_BYTES / 2 ** 20, lines: LONGEST_LINES },
    },
  });

const readAll = async (file: ByteSource, signal: AbortSignal): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of file.open(signal)) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > LARGEST_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  const utf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  try {
    return new TextDecoder(utf16 ? 'utf-16le' : 'utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw notCsv(cause);
  }
};

/** Size of the sample from which the delimiter is detected. */
const SAMPLE_LINES = 10;
const SAMPLE_CHARS = 16_384;
const DELIMITERS = ['\t', ',', ';'] as const;

/**
 * Detects the delimiter that occurs equally often in each of the first lines, because terms can
 * contain commas too.
 */
const delimiterOf = (text: string): string => {
  const lines = text
    .slice(0, SAMPLE_CHARS)
    .split(/\r?\n/, SAMPLE_LINES)
    .map((line) => line.replaceAll(/"[^"]*"/g, ''))
    .filter((line) => line.trim() !== '');
  const counts = (mark: string): number[] => lines.map((line) => line.split(mark).length - 1);
  const even = DELIMITERS.find((mark) => {
    const [first = 0, ...rest] = counts(mark);
    return first > 0 && rest.every((count) => count === first);
  });
  return even ?? DELIMITERS.find((mark) => lines[0]?.includes(mark)) ?? ',';
};

const isWithinCharacter = (byte: number | undefined): boolean =>
  byte !== undefined && (byte & 0xc0) === 0x80;

/** Encodes a text as UTF-8 in pieces of whole characters; the event loop runs after each. */
const sliced = async function* (text: string): AsyncGenerator<Uint8Array, void, void> {
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length;) {
    let end = start + SLICE_BYTES;
    while (isWithinCharacter(bytes[end])) end -= 1;
    yield bytes.subarray(start, end);
    start = end;
    await setImmediate();
  }
};

/** A line as the parser yields it. */
interface Parsed {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

/**
 * Reads the rows of a glossary file, including a header line: separated by commas, semicolons or
 * tabs, in UTF-8 or in UTF-16 with a byte order mark.
 */
export const readGlossaryCsv = async (
  file: ByteSource,
  signal: AbortSignal,
): Promise<readonly CsvRow[]> => {
  const text = await readAll(file, signal);
  const parser = parse({
    bom: true,
    delimiter: delimiterOf(text),
    info: true,
    max_record_size: LONGEST_LINE_CHARS,
    relax_column_count: true,
    skip_empty_lines: true,
    trim: true,
  });
  const rows: CsvRow[] = [];
  const keep = async (parsed: AsyncIterable<Parsed>): Promise<void> => {
    for await (const { record, info } of parsed) {
      if (rows.length === LONGEST_LINES || record.length > MOST_CELLS) throw tooLarge();
      rows.push({ line: info.lines, cells: record.map((cell) => cell.replace(DISARMED, '')) });
    }
  };
  try {
    await pipeline(sliced(text), parser, keep, { signal });
    return rows;
  } catch (cause) {
    signal.throwIfAborted();
    throw cause instanceof AppError ? cause : notCsv(cause);
  }
};

const disarm = (cell: string): string => (RUNS_IN_SPREADSHEETS.test(cell) ? `'${cell}` : cell);

export const writeGlossaryCsv = (terms: readonly GlossaryTerm[]): Uint8Array => {
  const rows = terms.map(({ term, language, translation }) =>
    [term, language ?? '', translation ?? ''].map(disarm),
  );
  return Buffer.from(BYTE_ORDER_MARK + stringify([[...COLUMNS], ...rows]));
};
