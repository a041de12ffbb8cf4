import { setImmediate } from 'node:timers/promises';
import type { ByteSource } from '../model/message.ts';
import type { GlossaryTerm, ImportPreview, ImportReport, Glossary } from '../model/glossary.ts';
import type { Channel, Space } from '../model/place.ts';
import type { Languages } from '../text/language/languages.ts';
import type { Write } from '../store/writer.ts';
import { readColumns } from './glossary-columns.ts';
import { readGlossaryCsv, readGlossaryFile, writeGlossaryCsv } from './glossary-csv.ts';
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
import { bytesSource } from '../audio/bytes.ts';
import { createGlossaryProposals } from '../store/glossary-proposals.ts';
import { createPendingImports } from '../store/pending-imports.ts';

/** Most rejected lines of one file that are reported. */
const MOST_REJECTED_LISTED = 20;
/** Entries of one file that a preview shows. */
const MOST_PREVIEWED = 10;
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

/** Stores some lines in one write. */
const storeLines = async (
  { place, write }: Pick<Import, 'place' | 'write'>,
  lines: readonly Line[],
): Promise<Stored> =>
  write(async (db) => {
    const stored = await storedTerms(
      db,
      place,
      lines.map(({ term }) => term),
    );
    await setImmediate();
    const room = Math.max(0, TERMS_PER_PLACE - (await countTerms(db, place)));
    const fresh = lines.filter(({ term }) => !stored.has(idOf(term)));
    const surplus = new Set(fresh.slice(room));
    const taken = lines.filter((line) => !surplus.has(line)).map(({ term }) => term);
    await setImmediate();
    await putTerms(db, place, taken);
    const added = fresh.length - surplus.size;
    const unchanged = taken.filter((term) => {
      const before = stored.get(idOf(term));
      return before !== undefined && isSame(before, term);
    }).length;
    return { added, changed: taken.length - added - unchanged, surplus: [...surplus] };
  });

type FileOfTerms = Pick<Import, 'file' | 'to' | 'languages'>;

/** Reads the entries of a file, of those with one id the last, and what is wrong with its other lines. */
const readLines = async ({ file, to, languages }: FileOfTerms, signal: AbortSignal) => {
  const { rows, encoding } = await readGlossaryCsv(file, signal);
  const { entries, assumed } = readColumns(rows, languages, to);
  const faulty = new Rejections();
  const byId = new Map<string, Line>();
  for (const [index, { line, term: word, language: typed, translation }] of entries.entries()) {
    if (index % ENTRIES_PER_WRITE === 0) await setImmediate();
    const language = typed === '' ? undefined : languages.find(typed);
    const term = tidyTerm({ term: word, language, translation });
    const isUnknown = typed !== '' && language === undefined;
    const reason = isUnknown ? 'unknown-language' : faultOf(term);
    if (reason) faulty.add(line, reason);
    else byId.set(idOf(term), { line, term });
  }
  return { lines: [...byId.values()], faulty, read: { assumed, encoding } };
};

/** The lines that were left out, in their order. */
const rejectedOf = (faulty: Rejections, surplus: Rejections) => ({
  rejectedCount: faulty.count + surplus.count,
  rejected: [...faulty.first, ...surplus.first]
    .toSorted((a, b) => a.line - b.line)
    .slice(0, MOST_REJECTED_LISTED),
});

/** Imports a file as `Glossary.finishImport` says. */
export const importTerms = async (
  { place, write, ...file }: Import,
  signal: AbortSignal,
): Promise<ImportReport> => {
  const { lines, faulty, read } = await readLines(file, signal);
  const surplus = new Rejections();
  let added = 0;
  let changed = 0;
  for (let from = 0; from < lines.length; from += ENTRIES_PER_WRITE) {
    const stored = await storeLines({ place, write }, lines.slice(from, from + ENTRIES_PER_WRITE));
    added += stored.added;
    changed += stored.changed;
    for (const { line } of stored.surplus) surplus.add(line, 'limit');
  }
  return { added, changed, ...rejectedOf(faulty, surplus), ...read };
};

const isSame = (a: GlossaryTerm, b: GlossaryTerm): boolean =>
  a.term === b.term && a.translation === b.translation;

/** Says what an import would write into a place that has these entries. */
const previewTerms = async (
  file: FileOfTerms,
  standing: readonly GlossaryTerm[],
  signal: AbortSignal,
): Promise<Omit<ImportPreview, 'id'>> => {
  const { lines, faulty, read } = await readLines(file, signal);
  const known = new Map<string, GlossaryTerm>();
  for (const [index, term] of standing.entries()) {
    if (index % ENTRIES_PER_WRITE === 0) await setImmediate();
    known.set(idOf(term), term);
  }
  const surplus = new Rejections();
  const first: ImportPreview['first'][number][] = [];
  let [added, changed, unchanged] = [0, 0, 0];
  for (const [index, { line, term }] of lines.entries()) {
    if (index % ENTRIES_PER_WRITE === 0) await setImmediate();
    const before = known.get(idOf(term));
    if (before && isSame(before, term)) {
      unchanged += 1;
      continue;
    }
    if (before) changed += 1;
    else if (standing.length + added >= TERMS_PER_PLACE) {
      surplus.add(line, 'limit');
      continue;
    } else added += 1;
    if (first.length < MOST_PREVIEWED) first.push(before ? { term, before } : { term });
  }
  return { added, changed, unchanged, first, ...rejectedOf(faulty, surplus), ...read };
};

const checked = (given: GlossaryTerm): GlossaryTerm => {
  const term = tidyTerm(given);
  const fault = faultOf(term);
  if (!fault) return term;
  throw new AppError('bad-input', `the glossary term is ${fault}`, {
    sentence: { key: 'glossary.bad-term', params: { limit: TERM_CHARS } },
  });
};

/** Stores an entry; resolves with the one that it replaces. Rejects with `too-large` for a full glossary. */
const addTerm = async (
  db: Parameters<Write<unknown>>[0],
  place: Space | Channel,
  term: GlossaryTerm,
): Promise<GlossaryTerm | undefined> => {
  const replaced = (await storedTerms(db, place, [term])).get(idOf(term));
  if (!replaced && (await countTerms(db, place)) >= TERMS_PER_PLACE)
    throw new AppError('too-large', 'the glossary is full', {
      sentence: { key: 'glossary.full', params: { limit: TERMS_PER_PLACE } },
    });
  await putTerms(db, place, [term]);
  return replaced;
};

export const createGlossary = (store: Store, languages: Pick<Languages, 'find'>): Glossary => {
  const lists = createGlossaryLists(store);
  const pending = createPendingImports(store, Date.now);
  const proposals = createGlossaryProposals(store, Date.now);

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
      return write(place, async (db) => addTerm(db, place, term));
    },

    propose: async (channel, by, given) => proposals.put(channel, by, checked(given)),
    proposals: proposals.list,
    decide: (space, id, isAccepted) =>
      write(space, async (db) => {
        const proposal = await proposals.take(db, space, id, isAccepted);
        if (proposal && isAccepted) await addTerm(db, space, proposal.term);
        return proposal;
      }),

    remove: (place, term, language) => write(place, (db) => removeTerm(db, place, term, language)),

    async previewImport(place, file, signal, { by, space, to }) {
      const bytes = await readGlossaryFile(file, signal);
      const kept = { file: bytesSource([bytes]), to, languages };
      const preview = await previewTerms(kept, await lists.of(place), signal);
      return { ...preview, id: await pending.put(space, by, { place, to, file: bytes }) };
    },

    async finishImport(space, id, signal) {
      const kept = await pending.take(space, id);
      if (!kept) return undefined;
      const { place, to } = kept;
      const file = bytesSource([kept.file]);
      return importTerms(
        { place, file, to, languages, write: (change) => write(place, change) },
        signal,
      );
    },

    dropImport: async (space, id) => void (await pending.take(space, id)),

    exportCsv: async (place) => writeGlossaryCsv(await lists.of(place)),
  };
};
