/** The way in which the rows of a text file are written. */
export interface CsvLayout {
  readonly delimiter: string;
  /** True for rows such as `| a | b |`, as in Markdown. */
  readonly isTable: boolean;
  /** The first line that is a row, counted from 1. */
  readonly fromLine: number;
}

/** Size of the sample from which the delimiter is detected. */
const SAMPLE_LINES = 10;
const SAMPLE_CHARS = 16_384;
const DELIMITERS = ['\t', ',', ';', '|'] as const;

const html = /^\uFEFF?\s*<(?:!doctype|html|head|body|table|meta|\?xml)\b/i;
/** The line by which a spreadsheet tells its delimiter. */
const delimiterLine = /^\uFEFF?"?sep=(.)"?\r?(?:\n|$)/i;
/** The line of a Markdown table below its header. */
const dashes = /^\|?(?:\s*:?-+:?\s*\|)+(?:\s*:?-+:?)?$/;
const dashCell = /^:?-+:?$/;

/**
 * Detects the delimiter that occurs equally often in each of the first lines, because terms can
 * contain commas too.
 */
const delimiterOf = (lines: readonly string[]): string => {
  const counts = (mark: string): number[] => lines.map((line) => line.split(mark).length - 1);
  const even = DELIMITERS.find((mark) => {
    const [first = 0, ...rest] = counts(mark);
    return first > 0 && rest.every((count) => count === first);
  });
  return even ?? DELIMITERS.find((mark) => lines[0]?.includes(mark)) ?? ',';
};

/** Detects the layout of a file by its first lines. */
export const layoutOf = (text: string): CsvLayout | 'html' => {
  const sample = text.slice(0, SAMPLE_CHARS);
  if (html.test(sample)) return 'html';
  const told = delimiterLine.exec(sample)?.[1];
  if (told !== undefined) return { delimiter: told, isTable: false, fromLine: 2 };
  const lines = sample.split(/\r?\n/).slice(0, SAMPLE_LINES);
  if (lines.some((line) => dashes.test(line.trim())))
    return { delimiter: '|', isTable: true, fromLine: 1 };
  const delimiter = delimiterOf(
    lines.map((line) => line.replaceAll(/"[^"]*"/g, '')).filter((line) => line.trim() !== ''),
  );
  return { delimiter, isTable: delimiter === '|', fromLine: 1 };
};

/**
 * The cells of a line of a table, without the borders; undefined for the line below the header and
 * for lines that are no rows. `\|` is a line within a cell.
 */
export const rowOfTable = (parts: readonly string[]): readonly string[] | undefined => {
  const cells: string[] = [];
  for (const part of parts) {
    const last = cells.at(-1);
    if (last?.endsWith('\\')) cells[cells.length - 1] = `${last.slice(0, -1)}|${part}`;
    else cells.push(part);
  }
  if (cells.length === 1) return undefined;
  const trimmed = cells.map((cell) => cell.trim());
  if (trimmed[0] === '') trimmed.shift();
  if (trimmed.at(-1) === '') trimmed.pop();
  return trimmed.every((cell) => dashCell.test(cell)) ? undefined : trimmed;
};
