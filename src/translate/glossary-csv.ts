import { setImmediate } from 'node:timers/promises';
import { parse } from 'csv-parse';
import { stringify } from 'csv-stringify/sync';
import { AppError } from '../errors.ts';
import type { ByteSource } from '../model.ts';
import type { GlossaryTerm } from '../services.ts';

/** More than the largest glossary needs; a spreadsheet above it is a mistake. */
const LARGEST_BYTES = 1_048_576;
const LONGEST_LINES = 5_000;
/** Lines after which others get their turn. */
const LINES_AT_ONCE = 250;

const BYTE_ORDER_MARK = '\uFEFF';
const COLUMNS = ['term', 'language', 'translation'] as const;

/** A spreadsheet would run a cell that begins like this; `'` in front makes it text. */
const RUNS_IN_SPREADSHEETS = /^[=+\-@\t\r]/;
const DISARMED = /^'(?=[=+\-@\t\r])/;

export interface CsvLine {
  readonly line: number;
  readonly term: string;
  readonly language: string;
  readonly translation: string;
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

/**
 * The lines of a glossary file: `term`, `language`, `translation`, under a header line or without
 * one, parted by commas, semicolons or tabs, in UTF-8 or UTF-16 with a byte order mark.
 */
export const readGlossaryCsv = async function* (
  file: ByteSource,
  signal: AbortSignal,
): AsyncGenerator<CsvLine, void, void> {
  const text = await readAll(file, signal);
  const [head = ''] = text.split(/\r?\n/, 1);
  const delimiter = [',', ';', '\t'].find((mark) => head.includes(mark)) ?? ',';
  const parser = parse(text, {
    bom: true,
    delimiter,
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    trim: true,
  }) as AsyncIterable<{ record: string[]; info: { lines: number } }>;
  let count = 0;
  try {
    for await (const { record, info } of parser) {
      const [term = '', language = '', translation = ''] = record.map((cell) =>
        cell.replace(DISARMED, ''),
      );
      count += 1;
      if (count > LONGEST_LINES) throw tooLarge();
      if (count % LINES_AT_ONCE === 0) await setImmediate();
      if (count > 1 || term.toLowerCase() !== 'term')
        yield { line: info.lines, term, language, translation };
    }
  } catch (cause) {
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
