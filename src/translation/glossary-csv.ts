import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { parse } from 'csv-parse';
import { stringify } from 'csv-stringify/sync';
import { AppError } from '../errors.ts';
import type { ByteSource } from '../model/file.ts';
import type { GlossaryTerm } from '../model/glossary.ts';
import { layoutOf, rowOfTable, type CsvLayout } from './csv-layout.ts';
import { decodeText, type DecodedText } from './decode-text.ts';

/**
 * The largest file: more than the largest glossary needs, so a spreadsheet above it is a mistake.
 */
const LARGEST_BYTES = 8_388_608;
const LONGEST_LINES = 100_000;
/** Longest line: many times a term and its translation into every language. */
const LONGEST_LINE_CHARS = 65_536;
const MOST_CELLS = 500;
/** Characters that are parsed, and entries that are written, before the event loop runs. */
const SLICE_CHARS = 512;
const ENTRIES_AT_ONCE = 500;

const BYTE_ORDER_MARK = '\uFEFF';
const COLUMNS = ['term', 'language', 'translation'] as const;

/** Start of a cell that a spreadsheet would evaluate as a formula; a `'` in front makes it text. */
const RUNS_IN_SPREADSHEETS = /^[=+\-@\t\r]/;
const DISARMED = /^'(?=[=+\-@\t\r])/;

export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

export interface CsvFile {
  /**
   * Reads all rows, a header included, anew each time: kept rows would be copied by the garbage
   * collector, for 15 ms at once. Throws an `AppError` (`bad-input`, `too-large`) at a fault.
   */
  readonly rows: () => AsyncIterable<CsvRow>;
  /** The name of the encoding that was recognised. */
  readonly encoding: string;
}

const notCsv = (cause?: unknown): AppError =>
  new AppError('bad-input', 'the glossary file is not CSV', {
    sentence: { key: 'glossary.not-csv' },
    cause,
  });

const isHtml = (): AppError =>
  new AppError('bad-input', 'the glossary file is HTML', {
    sentence: { key: 'glossary.is-html' },
  });

const tooLarge = (): AppError =>
  new AppError('too-large', 'the glossary file is too large', {
    sentence: {
      key: 'glossary.file-too-large',
      params: { mebibytes: LARGEST_BYTES / 2 ** 20, lines: LONGEST_LINES },
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

const isWithinCharacter = (text: string, at: number): boolean =>
  (text.charCodeAt(at) & 0xfc00) === 0xdc00;

/** Yields a text in pieces of whole characters; the event loop runs before each. */
const sliced = async function* (
  parts: DecodedText['parts'],
): AsyncGenerator<Uint8Array, void, void> {
  for (const text of parts)
    for (let start = 0; start < text.length;) {
      const most = start + SLICE_CHARS;
      const end = isWithinCharacter(text, most) ? most - 1 : most;
      await setImmediate();
      yield Buffer.from(text.slice(start, end));
      start = end;
    }
};

/** A line as the parser yields it. */
interface Parsed {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

const parserOf = ({ delimiter, isTable, fromLine }: CsvLayout) =>
  parse({
    bom: true,
    delimiter,
    from_line: fromLine,
    info: true,
    max_record_size: LONGEST_LINE_CHARS,
    // A table of Markdown has no quotes, and elsewhere one within a cell is an inch.
    quote: isTable ? null : '"',
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    trim: !isTable,
  });

const readRows = async function* (
  parts: DecodedText['parts'],
  layout: CsvLayout,
  signal: AbortSignal,
): AsyncGenerator<CsvRow, void, void> {
  const parser = parserOf(layout);
  // Its faults are those of the parser.
  pipeline(sliced(parts), parser, { signal }).catch(() => undefined);
  let count = 0;
  try {
    for await (const { record, info } of parser as AsyncIterable<Parsed>) {
      if (count === LONGEST_LINES || record.length > MOST_CELLS) throw tooLarge();
      const cells = layout.isTable ? rowOfTable(record) : record;
      if (!cells) continue;
      count += 1;
      yield { line: info.lines, cells: cells.map((cell) => cell.replace(DISARMED, '')) };
    }
  } catch (cause) {
    signal.throwIfAborted();
    throw cause instanceof AppError ? cause : notCsv(cause);
  }
};

/**
 * Reads a glossary file: separated by commas, semicolons, tabs or `|`, as a table of
 * Markdown, or by what its line `sep=` says, in any common encoding. Throws an `AppError`
 * (`bad-input`, `too-large`) for what is no text or too large.
 */
export const readGlossaryCsv = async (file: ByteSource, signal: AbortSignal): Promise<CsvFile> => {
  const bytes = await readAll(file, signal);
  await setImmediate();
  const decoded = await decodeText(bytes, signal);
  if (!decoded) throw notCsv();
  const { parts, encoding } = decoded;
  await setImmediate();
  const layout = layoutOf(parts[0] ?? '');
  if (layout === 'html') throw isHtml();
  await setImmediate();
  return { rows: () => readRows(parts, layout, signal), encoding };
};

const disarm = (cell: string): string => (RUNS_IN_SPREADSHEETS.test(cell) ? `'${cell}` : cell);

/** Writes entries as CSV; the event loop runs in between. */
export const writeGlossaryCsv = async (terms: readonly GlossaryTerm[]): Promise<Uint8Array> => {
  const parts = [Buffer.from(BYTE_ORDER_MARK + stringify([[...COLUMNS]]))];
  for (let from = 0; from < terms.length; from += ENTRIES_AT_ONCE) {
    const rows = terms
      .slice(from, from + ENTRIES_AT_ONCE)
      .map(({ term, language, translation }) =>
        [term, language ?? '', translation ?? ''].map(disarm),
      );
    parts.push(Buffer.from(stringify(rows)));
    await setImmediate();
  }
  return Buffer.concat(parts);
};
