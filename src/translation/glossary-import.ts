import { setImmediate } from 'node:timers/promises';
import type { ByteSource } from '../model/file.ts';
import type { GlossaryTerm, ImportReport } from '../model/glossary.ts';
import type { Channel, Space } from '../model/place.ts';
import type { Languages } from '../text/language/languages.ts';
import type { Write } from '../store/writer.ts';
import { readColumns, type CsvEntry } from './glossary-columns.ts';
import { readGlossaryCsv } from './glossary-csv.ts';
import { faultOf, TERMS_PER_PLACE, tidyTerm, type Fault } from './glossary-limits.ts';
import { countTerms, putTerms, storedIds } from './glossary-rows.ts';
import { idOf } from './glossary-terms.ts';

/** Most rejected lines of one file that are reported. */
const MOST_REJECTED_LISTED = 20;
/** Entries of a file after which the event loop runs. */
const ENTRIES_AT_ONCE = 500;
/** Entries of one write, so that what others store waits for no whole file. */
const ENTRIES_PER_WRITE = 250;

interface Import {
  readonly place: Space | Channel;
  readonly file: ByteSource;
  /** The language of translations where the file gives none. */
  readonly to: string | undefined;
  readonly languages: Pick<Languages, 'find'>;
  readonly write: <Result>(change: Write<Result>) => Promise<Result>;
}

interface Line {
  readonly line: number;
  readonly term: GlossaryTerm;
}

/** Counts lines that are left out, and keeps the first. */
class Rejections {
  readonly first: ImportReport['rejected'][number][] = [];
  count = 0;

  add(line: number, reason: Fault): void {
    this.count += 1;
    if (this.first.length < MOST_REJECTED_LISTED) this.first.push({ line, reason });
  }
}

interface Read {
  /** The last line of each id, at the place of the first. */
  readonly lines: readonly Line[];
  readonly faulty: Rejections;
}

const readLines = async (
  entries: Iterable<CsvEntry>,
  { find }: Pick<Languages, 'find'>,
): Promise<Read> => {
  const lines = new Map<string, Line>();
  const faulty = new Rejections();
  let count = 0;
  for (const { line, term: word, language: typed, translation } of entries) {
    count += 1;
    if (count % ENTRIES_AT_ONCE === 0) await setImmediate();
    const language = typed === '' ? undefined : find(typed);
    const term = tidyTerm({ term: word, language, translation });
    const isUnknown = typed !== '' && language === undefined;
    const reason = isUnknown ? 'unknown-language' : faultOf(term);
    if (reason) faulty.add(line, reason);
    else lines.set(idOf(term), { line, term });
  }
  return { lines: [...lines.values()], faulty };
};

/** Imports a file as `Glossary.importCsv` says. */
export const importTerms = async (
  { place, file, to, languages, write }: Import,
  signal: AbortSignal,
): Promise<ImportReport> => {
  const { rows, encoding } = await readGlossaryCsv(file, signal);
  const { entries, assumed } = readColumns(rows, languages, to);
  const { lines, faulty } = await readLines(entries, languages);
  const surplus = new Rejections();
  let added = 0;
  let changed = 0;
  for (let from = 0; from < lines.length; from += ENTRIES_PER_WRITE) {
    const some = lines.slice(from, from + ENTRIES_PER_WRITE);
    const result = await write(async (db) => {
      const terms = some.map(({ term }) => term);
      const stored = await storedIds(db, place, terms);
      await setImmediate();
      const isStored = ({ term }: Line): boolean => stored.has(idOf(term));
      const room = Math.max(0, TERMS_PER_PLACE - (await countTerms(db, place)));
      const fresh = some.filter((line) => !isStored(line));
      const known = some.filter(isStored);
      const taken = fresh.slice(0, room);
      await setImmediate();
      await putTerms(
        db,
        place,
        [...known, ...taken].map(({ term }) => term),
      );
      return { known, taken, left: fresh.slice(room) };
    });
    added += result.taken.length;
    changed += result.known.length;
    for (const { line } of result.left) surplus.add(line, 'limit');
  }
  return {
    added,
    changed,
    rejectedCount: faulty.count + surplus.count,
    rejected: [...faulty.first, ...surplus.first]
      .toSorted((a, b) => a.line - b.line)
      .slice(0, MOST_REJECTED_LISTED),
    assumed,
    encoding,
  };
};
