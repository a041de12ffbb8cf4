import { setImmediate } from 'node:timers/promises';
import type { ByteSource } from '../model/message.ts';
import type { GlossaryTerm, ImportReport, Glossary } from '../model/glossary.ts';
import type { Channel, Space } from '../model/place.ts';
import type { Languages } from '../text/language/languages.ts';
import type { Write } from '../store/writer.ts';
import { readColumns } from './glossary-columns.ts';
import { readGlossaryCsv, writeGlossaryCsv } from './glossary-csv.ts';
import {
  faultOf,
  TERMS_PER_PLACE,
  tidyTerm,
  type Fault,
  TERM_CHARS,
  countTerms,
  putTerms,
  storedTerms,
  removeTerm,
  idOf,
} from './glossary-rows.ts';
import { createGlossaryLists } from './glossary-lists.ts';
import { AppError } from '../errors.ts';
import type { Store } from '../store/index.ts';

/** Most rejected lines of one file that are reported. */
const MOST_REJECTED_LISTED = 20;
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

interface Stored {
  readonly added: number;
  readonly changed: number;
  /** Lines for which there is no room. */
  readonly surplus: readonly Line[];
}

/** Stores some lines in one write; of those with one id the last replaces the others. */
const storeLines = async (
  { place, write }: Pick<Import, 'place' | 'write'>,
  lines: readonly Line[],
): Promise<Stored> =>
  write(async (db) => {
    const byId = new Map(lines.map(({ term }) => [idOf(term), term]));
    const stored = await storedTerms(db, place, [...byId.values()]);
    await setImmediate();
    const room = Math.max(0, TERMS_PER_PLACE - (await countTerms(db, place)));
    const fresh = [...byId.keys()].filter((id) => !stored.has(id));
    const surplus = new Set(fresh.slice(room));
    const taken = [...byId].filter(([id]) => !surplus.has(id)).map(([, term]) => term);
    await setImmediate();
    await putTerms(db, place, taken);
    const surplusLines = lines.filter(({ term }) => surplus.has(idOf(term)));
    const added = fresh.length - surplus.size;
    return { added, changed: lines.length - surplusLines.length - added, surplus: surplusLines };
  });

/** Imports a file as `Glossary.importCsv` says. */
export const importTerms = async (
  { place, file, to, languages, write }: Import,
  signal: AbortSignal,
): Promise<ImportReport> => {
  const { rows, encoding } = await readGlossaryCsv(file, signal);
  const { entries, assumed } = readColumns(rows, languages, to);
  const faulty = new Rejections();
  const surplus = new Rejections();
  let added = 0;
  let changed = 0;
  let waiting: Line[] = [];
  const storeWaiting = async (): Promise<void> => {
    const stored = await storeLines({ place, write }, waiting);
    waiting = [];
    added += stored.added;
    changed += stored.changed;
    for (const { line } of stored.surplus) surplus.add(line, 'limit');
  };
  for (const [index, { line, term: word, language: typed, translation }] of entries.entries()) {
    if (index % ENTRIES_PER_WRITE === 0) await setImmediate();
    const language = typed === '' ? undefined : languages.find(typed);
    const term = tidyTerm({ term: word, language, translation });
    const isUnknown = typed !== '' && language === undefined;
    const reason = isUnknown ? 'unknown-language' : faultOf(term);
    if (reason) faulty.add(line, reason);
    else if (waiting.push({ line, term }) === ENTRIES_PER_WRITE) await storeWaiting();
  }
  if (waiting.length > 0) await storeWaiting();
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

const checked = (given: GlossaryTerm): GlossaryTerm => {
  const term = tidyTerm(given);
  const fault = faultOf(term);
  if (!fault) return term;
  throw new AppError('bad-input', `the glossary term is ${fault}`, {
    sentence: { key: 'glossary.bad-term', params: { limit: TERM_CHARS } },
  });
};

export const createGlossary = (store: Store, languages: Pick<Languages, 'find'>): Glossary => {
  const lists = createGlossaryLists(store);

  const write = <Result>(
    place: Space | Channel,
    change: Parameters<typeof store.write<Result>>[0],
  ): Promise<Result> =>
    store.write(async (transaction) => {
      const result = await change(transaction);
      await store.signals.publish(transaction, 'glossary', place);
      return result;
    });

  return {
    list: lists.of,
    applying: lists.applying,
    inText: lists.inText,

    async add(place, given) {
      const term = checked(given);
      return write(place, async (db) => {
        const replaced = (await storedTerms(db, place, [term])).get(idOf(term));
        if (!replaced && (await countTerms(db, place)) >= TERMS_PER_PLACE)
          throw new AppError('too-large', 'the glossary is full', {
            sentence: { key: 'glossary.full', params: { limit: TERMS_PER_PLACE } },
          });
        await putTerms(db, place, [term]);
        return replaced;
      });
    },

    remove: (place, term, language) => write(place, (db) => removeTerm(db, place, term, language)),

    importCsv: (place, file, signal, to) =>
      importTerms({ place, file, to, languages, write: (change) => write(place, change) }, signal),

    exportCsv: async (place) => writeGlossaryCsv(await lists.of(place)),
  };
};
