import { AppError } from '../errors.ts';
import type { ImportReport } from '../model/glossary.ts';
import type { Languages } from '../text/language/languages.ts';
import type { CsvRow } from './glossary-csv.ts';

/** An entry of the file; `language` is the typed name, a code, or empty. */
export interface CsvEntry {
  readonly line: number;
  readonly term: string;
  readonly language: string;
  readonly translation: string;
}

export interface ReadColumns {
  /** An assumption about data that the file lacks. */
  readonly assumed: ImportReport['assumed'];
  readonly entries: AsyncIterable<CsvEntry>;
}

/** Column headers that people and other programs use. */
const HEADERS = {
  term: ['term', 'source', 'source term', 'original'],
  language: ['language', 'lang', 'target language'],
  translation: ['translation', 'target', 'target term'],
} as const;
type Column = keyof typeof HEADERS;

/** Headers of columns that are left out. */
const OTHER_HEADERS = new Set(
  ',id,note,notes,comment,comments,description,definition,context,domain,part of speech'.split(','),
);

const columnOf = (cell: string): Column | undefined =>
  (Object.keys(HEADERS) as Column[]).find((column) =>
    HEADERS[column].some((name) => name === cell.toLowerCase()),
  );

type Places = Readonly<Partial<Record<Column, number>>>;

const IN_ORDER: Places = { term: 0, language: 1, translation: 2 };

/** The columns that a header line names; undefined when the first line is no header. */
const namedPlaces = (cells: readonly string[]): Places | undefined => {
  const named = cells.map(columnOf);
  const others = named.filter((column) => column === 'language' || column === 'translation');
  if (!named.includes('term')) return undefined;
  if (others.length === 0) return cells[0]?.toLowerCase() === 'term' ? IN_ORDER : undefined;
  const places = (Object.keys(HEADERS) as Column[]).map((column) => [
    column,
    named.indexOf(column),
  ]);
  return Object.fromEntries(places.filter(([, place]) => place !== -1)) as Places;
};

/** A column of translations. */
interface Target {
  readonly place: number;
  readonly language: string;
}

interface LanguageColumns {
  readonly term: number;
  readonly targets: readonly Target[];
}

/**
 * The columns of a first line that names languages, beside terms or with that of the terms first;
 * undefined when it names anything else.
 */
const languageColumns = (
  cells: readonly string[],
  { find }: Pick<Languages, 'find'>,
): LanguageColumns | undefined => {
  const named = cells.findIndex((cell) => columnOf(cell) === 'term');
  const term = Math.max(0, named);
  const targets: Target[] = [];
  for (const [place, cell] of cells.entries()) {
    const language = find(cell);
    if (place === term || (named >= 0 && OTHER_HEADERS.has(cell.toLowerCase()))) continue;
    if (language === undefined) return undefined;
    targets.push({ place, language });
  }
  const source = named >= 0 ? '' : find(cells[term] ?? '');
  if (source === undefined || targets.length === 0) return undefined;
  // A term and the same term in another language: `Turkish, de, Türkisch`.
  const all = new Set([source, ...targets.map(({ language }) => language)]);
  return all.size === targets.length + 1 ? { term, targets } : undefined;
};

/** Number of first lines from which the number of columns is determined. */
const WIDTH_FROM_LINES = 100;

const whichLanguage = (): AppError =>
  new AppError('bad-input', 'the glossary file does not say into which language it translates', {
    sentence: { key: 'glossary.which-language' },
  });

/** Rows that can be read more than once. */
type Rows = () => AsyncIterable<CsvRow>;

const byPlaces = async function* (
  rows: AsyncIterable<CsvRow>,
  places: Places,
  to = '',
): AsyncGenerator<CsvEntry, void, void> {
  for await (const { line, cells } of rows) {
    const cell = (column: Column): string => cells[places[column] ?? -1] ?? '';
    const language = cell('language') || to;
    yield { line, term: cell('term'), language, translation: cell('translation') };
  }
};

const byLanguages = async function* (
  rows: AsyncIterable<CsvRow>,
  { term: termPlace, targets }: LanguageColumns,
): AsyncGenerator<CsvEntry, void, void> {
  for await (const { line, cells } of rows) {
    const term = cells[termPlace] ?? '';
    if (term === '') yield { line, term, language: '', translation: '' };
    else
      for (const { place, language } of targets) {
        const translation = cells[place] ?? '';
        if (translation !== '') yield { line, term, language, translation };
      }
  }
};

const withoutFirst = async function* <Each>(all: AsyncIterable<Each>): AsyncIterable<Each> {
  let isFirst = true;
  for await (const each of all) {
    if (!isFirst) yield each;
    isFirst = false;
  }
};

/** The facts about all rows of a file from which its columns are known. */
interface Survey {
  readonly head: readonly string[];
  /** The columns that the first line names. */
  readonly named: Places | undefined;
  /** The largest number of cells. */
  readonly width: number;
  /** True when a second cell is the name of no language. */
  readonly hasWords: boolean;
  /** True when a line leaves its language out. */
  readonly isSilent: boolean;
}

const survey = async (
  rows: AsyncIterable<CsvRow>,
  { find }: Pick<Languages, 'find'>,
): Promise<Survey> => {
  let head: Survey['head'] | undefined;
  let named: Survey['named'];
  let [count, width, hasWords, isSilent] = [0, 1, false, false];
  for await (const { cells } of rows) {
    count += 1;
    if (count <= WIDTH_FROM_LINES) width = Math.max(width, cells.length);
    if (!head) {
      head = cells;
      named = namedPlaces(cells);
      if (named) continue;
    }
    const [, second = ''] = cells;
    hasWords ||= second !== '' && find(second) === undefined;
    isSilent ||= (cells[(named ?? IN_ORDER).language ?? -1] ?? '') === '';
  }
  return { head: head ?? [], named, width, hasWords, isSilent };
};

/**
 * Reads the entries of a glossary file. It has the columns `term, language, translation`, in this
 * order or as its header line names them; or terms and a column of translations for each language
 * of the header line; or terms and their translations into `to`. Throws an `AppError` (`bad-input`)
 * for two columns when the language of the second one is unknown, and at a fault in any of the
 * rows, all of which it has read once when it resolves.
 */
export const readColumns = async (
  rows: Rows,
  languages: Pick<Languages, 'find'>,
  to: string | undefined,
): Promise<ReadColumns> => {
  const { head, named, width, hasWords, isSilent } = await survey(rows(), languages);
  const columns = languageColumns(head, languages);
  if (columns)
    return {
      assumed: { kind: 'header', languages: columns.targets.map(({ language }) => language) },
      entries: byLanguages(withoutFirst(rows()), columns),
    };

  const lines = named ? withoutFirst(rows()) : rows();
  const isPair =
    named === undefined
      ? width === 2 && (to !== undefined || hasWords)
      : named.translation !== undefined && named.language === undefined;
  if (isPair) {
    if (to === undefined) throw whichLanguage();
    const places = named ?? { term: 0, translation: 1 };
    return { assumed: { kind: 'pairs', language: to }, entries: byPlaces(lines, places, to) };
  }
  return {
    assumed: to !== undefined && isSilent ? { kind: 'rest', language: to } : undefined,
    entries: byPlaces(lines, named ?? IN_ORDER, to),
  };
};
