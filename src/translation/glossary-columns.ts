import { AppError } from '../errors.ts';
import type { ImportReport } from '../model/glossary.ts';
import type { Languages } from '../text/language/languages.ts';
import type { CsvRow } from './glossary-csv.ts';

/** An entry of the file; `language` is the typed name, a code, or empty. */
interface CsvEntry {
  readonly line: number;
  readonly term: string;
  readonly language: string;
  readonly translation: string;
}

interface ReadColumns {
  /** An assumption about data that the file lacks. */
  readonly assumed: ImportReport['assumed'];
  readonly entries: readonly CsvEntry[];
}

type Column = 'term' | 'language' | 'translation';
type Places = Readonly<Partial<Record<Column, number>>>;
type Find = Languages['find'];

/** Column headers that people and other programs use, in the languages of the commands. */
const HEADERS: Readonly<Record<Column, string>> = {
  term: 'term,source,source term,original,begriff,ausgangstext,término,origen,terme,texte source,termo,origem,用語,原文,용어,원문,术语,術語',
  language:
    'language,lang,target language,sprache,zielsprache,idioma,langue,langue cible,言語,언어,语言,語言',
  translation:
    'translation,target,target term,übersetzung,zieltext,traducción,destino,traduction,tradução,訳語,翻訳,번역,译文,翻译,譯文,翻譯',
};
const COLUMNS = new Map(
  Object.entries(HEADERS).flatMap(([column, names]) =>
    names.split(',').map((name) => [name, column as Column] as const),
  ),
);
/** Headers of columns that are left out. */
const OTHER_HEADERS = new Set(
  'id,note,notes,comment,comments,description,definition,context,domain,pos,part of speech'.split(
    ',',
  ),
);
const IN_ORDER: Places = { term: 0, language: 1, translation: 2 };
/** The columns of DeepL's files: the term's own language is the third. */
const PAIRS_WITH_LANGUAGES: Places = { term: 0, translation: 1, language: 3 };

const columnOf = (cell: string): Column | undefined =>
  COLUMNS.get(cell.normalize('NFC').toLowerCase());

/** The columns that a header line names; undefined when the first line is no header. */
const namedPlaces = (cells: readonly string[]): Places | undefined => {
  const places: Partial<Record<Column, number>> = {};
  for (const [place, cell] of cells.entries()) {
    const column = columnOf(cell);
    if (column !== undefined) places[column] ??= place;
  }
  if (places.term === undefined) return undefined;
  if (places.language !== undefined || places.translation !== undefined) return places;
  return cells[0]?.toLowerCase() === 'term' ? IN_ORDER : undefined;
};

interface LanguageColumns {
  readonly term: number;
  /** The columns of translations. */
  readonly targets: readonly { readonly place: number; readonly language: string }[];
}

/**
 * The columns of a first line that names languages, beside terms or with that of the terms first;
 * undefined when it names anything else.
 */
const languageColumns = (cells: readonly string[], find: Find): LanguageColumns | undefined => {
  const named = cells.findIndex((cell) => columnOf(cell) === 'term');
  const term = Math.max(0, named);
  const isOther = (cell: string): boolean =>
    cell === '' ? named >= 0 : OTHER_HEADERS.has(cell.toLowerCase());
  const targets = cells.flatMap((cell, place) =>
    place === term || isOther(cell) ? [] : { place, language: find(cell) },
  );
  const languages = targets.map(({ language }) => language);
  if (named < 0) languages.push(find(cells[term] ?? ''));
  // A term and the same term in another language: `Turkish, de, Türkisch`.
  const areDifferent = new Set(languages).size === languages.length;
  if (targets.length === 0 || !areDifferent || languages.includes(undefined)) return undefined;
  return { term, targets: targets as LanguageColumns['targets'] };
};

/** Number of first lines by which columns without a header are recognised. */
const SAMPLE_LINES = 100;

/** The columns of lines without a header. */
const likelyPlaces = (rows: readonly CsvRow[], find: Find, isGiven: boolean): Places => {
  const sample = rows.slice(0, SAMPLE_LINES).map(({ cells }) => cells);
  const areLanguages = (place: number): boolean =>
    sample.every((cells) => find(cells[place] ?? '') !== undefined);
  const width = Math.max(1, ...sample.map((cells) => cells.length));
  if (width === 4 && areLanguages(2) && areLanguages(3)) return PAIRS_WITH_LANGUAGES;
  const hasWords = sample.some(([, second = '']) => second !== '' && find(second) === undefined);
  return width === 2 && (isGiven || hasWords) ? { term: 0, translation: 1 } : IN_ORDER;
};

/**
 * Reads the entries of a glossary file. It has the columns `term, language, translation`, in this
 * order or as its header line names them; or terms and a column of translations for each language
 * of the header line; or terms, their translations and the languages of both; or terms and their
 * translations into `to`. Throws an `AppError` (`bad-input`) for two columns when the language of
 * the second one is unknown.
 */
export const readColumns = (
  rows: readonly CsvRow[],
  { find }: Pick<Languages, 'find'>,
  to: string | undefined,
): ReadColumns => {
  const head = rows[0]?.cells ?? [];
  const columns = languageColumns(head, find);
  if (columns)
    return {
      assumed: { kind: 'header', languages: columns.targets.map(({ language }) => language) },
      entries: rows.slice(1).flatMap(({ line, cells }) => {
        const term = cells[columns.term] ?? '';
        if (term === '') return { line, term, language: '', translation: '' };
        return columns.targets
          .map(({ place, language }) => ({ line, term, language, translation: cells[place] ?? '' }))
          .filter(({ translation }) => translation !== '');
      }),
    };

  const named = namedPlaces(head);
  const places = named ?? likelyPlaces(rows, find, to !== undefined);
  const isPair = places.language === undefined;
  if (isPair && to === undefined)
    throw new AppError(
      'bad-input',
      'the glossary file does not say into which language it translates',
      { sentence: { key: 'glossary.which-language' } },
    );
  let isSilent = false;
  const entries = (named ? rows.slice(1) : rows).map(({ line, cells }) => {
    const cell = (column: Column): string => cells[places[column] ?? -1] ?? '';
    const language = cell('language');
    isSilent ||= language === '';
    return {
      line,
      term: cell('term'),
      language: language || (to ?? ''),
      translation: cell('translation'),
    };
  });
  return {
    assumed:
      to !== undefined && isSilent ? { kind: isPair ? 'pairs' : 'rest', language: to } : undefined,
    entries,
  };
};
