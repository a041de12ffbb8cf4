import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { parse } from 'csv-parse';
import { stringify } from 'csv-stringify/sync';
import { AppError } from '../errors.ts';
import type { ByteSource } from '../model/message.ts';
import type { GlossaryTerm } from '../model/glossary.ts';
import { decodeText } from './decode-text.ts';

/**
 * The largest file: more than the largest glossary needs, so a spreadsheet above it is a mistake.
 */
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

/** Start of a cell that a spreadsheet would evaluate as a formula; a `'` in front makes it text. */
const RUNS_IN_SPREADSHEETS = /^[=+\-@\t\r]/;
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

const notCsv = (cause?: unknown): AppError =>
  new AppError('bad-input', 'the glossary file is not CSV', {
    sentence: { key: 'glossary.not-csv' },
    cause,
  });

const tooLarge = (): AppError =>
  new AppError('too-large', 'the glossary file is too large', {
    sentence: {
      key: 'glossary.file-too-large',
      params: { mebibytes: LARGEST_BYTES / 2 ** 20, lines: MOST_LINES },
    },
  });

const readAll = async (file: ByteSource, signal: AbortSignal): Promise<Uint8Array> => {
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
  const parser = parse({
    delimiter: separator ?? separatorOf(text),
    from_line: separator === undefined ? 1 : 2,
    info: true,
    max_record_size: LONGEST_LINE_CHARS,
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
    throw cause instanceof AppError ? cause : notCsv(cause);
  }
};

/**
 * Reads a glossary file: separated by commas, semicolons, tabs or `|`, or by what its line `sep=`
 * says, in any common encoding. Throws an `AppError` (`bad-input`, `too-large`) for what is no text,
 * a web page or too large.
 */
export const readGlossaryCsv = async (file: ByteSource, signal: AbortSignal): Promise<CsvFile> => {
  const decoded = await decodeText(await readAll(file, signal), signal);
  if (!decoded) throw notCsv();
  if (html.test(decoded.text))
    throw new AppError('bad-input', 'the glossary file is HTML', {
      sentence: { key: 'glossary.is-html' },
    });
  return { rows: await parseRows(decoded.text, signal), encoding: decoded.encoding };
};

const disarm = (cell: string): string => (RUNS_IN_SPREADSHEETS.test(cell) ? `'${cell}` : cell);

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
