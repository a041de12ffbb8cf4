import type { GlossaryTerm, TermsInText } from '../model/glossary.ts';
import { findOccurrences } from '../text/protect/terms.ts';
import { sameLanguage } from '../text/language/languages.ts';
import {
  isStem,
  buildTermIndex,
  type Occurrence,
  type TermIndex,
} from '../text/terms/term-index.ts';
import { prepareInflections, type InflectedTerms } from '../text/terms/inflection.ts';
import { setImmediate } from 'node:timers/promises';
import { createCache } from '../async/lru.ts';
import { keyOf, type Channel, type Space } from '../model/place.ts';
import type { Store } from '../store/index.ts';
import { foldTerm, idOf, placeKey, readTerms } from './glossary-rows.ts';

/** The entries that apply to translations into one language. */
export interface TermsOfTarget {
  readonly forced: readonly GlossaryTerm[];
  /** Entries that must stay as they are. */
  readonly unchanging: readonly GlossaryTerm[];
}

/** Selects the entries for one target: those of its language before those of every language. */
export const termsFor = (list: readonly GlossaryTerm[], to: string): TermsOfTarget => {
  const byTerm = new Map<string, GlossaryTerm>();
  for (const entry of list) {
    const key = foldTerm(entry.term);
    if (entry.language === undefined) {
      if (!byTerm.has(key)) byTerm.set(key, entry);
    } else if (sameLanguage(entry.language, to)) byTerm.set(key, entry);
  }
  const entries = [...byTerm.values()];
  return {
    forced: entries.filter(({ translation }) => translation !== undefined),
    unchanging: entries.filter(({ translation }) => translation === undefined),
  };
};

/**
 * Finds which of a few entries occur in a text, in their order. The forms of a stem are the words
 * as they stand in the text, that of any other entry is its term.
 */
export const formsIn = (
  text: string,
  entries: readonly GlossaryTerm[],
): ReadonlyMap<GlossaryTerm, ReadonlySet<string>> => {
  const forms = new Map(entries.map((entry) => [entry, new Set<string>()]));
  for (const { start, end, term: entry } of findOccurrences(text, entries))
    forms.get(entry)?.add(isStem(entry.term) ? text.slice(start, end) : entry.term);
  return new Map([...forms].filter(([, found]) => found.size > 0));
};

type List = readonly GlossaryTerm[];

/** Terms of all places that are cached, each of about 400 bytes with its part of an index. */
const TERMS_IN_MEMORY = 200_000;
/** The weight of a place without terms, by which the number of places is limited too. */
const WEIGHT_OF_PLACE = 200;

/** A list's index, with the number of texts in which each term occurred since it was built. */
interface Indexed {
  readonly index: TermIndex<GlossaryTerm>;
  readonly texts: Map<GlossaryTerm, number>;
}

const indexList = async (list: List): Promise<Indexed> => {
  const steps = buildTermIndex(list);
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return { index: step.value, texts: new Map() };
    await setImmediate();
  }
};

/** Languages of texts for which a list's inflections are prepared at the same time. */
const MOST_LANGUAGES = 4;

const indexInflections = async (
  list: List,
  language: string,
): Promise<InflectedTerms<GlossaryTerm>> => {
  const forced = list.filter(({ translation }) => translation !== undefined);
  if (forced.length === 0) return () => [];
  const steps = prepareInflections(forced, language);
  for (let step = await steps.next(); ; step = await steps.next()) {
    if (step.done) return step.value ?? (() => []);
    await setImmediate();
  }
};

/** The places whose own entries apply in a place, the nearest first. */
const placesOf = (place: Space | Channel): readonly (Space | Channel)[] =>
  'space' in place ? [place, place.space] : [place];

/** Reads the glossaries of places, and keeps those that were used last with their indexes. */
export const createGlossaryLists = (store: Store) => {
  const lists = createCache((place: Space | Channel) => readTerms(store, place), {
    keyOf: placeKey,
    most: TERMS_IN_MEMORY,
    weightOf: ({ length }) => WEIGHT_OF_PLACE + length,
    isCurrent: () => store.signals.isCurrent('glossary', 'space-left'),
  });
  store.signals.subscribe('glossary', lists.forget);
  store.signals.subscribe('space-left', (space) =>
    lists.forgetWhere(
      (place) => !space || keyOf('space' in place ? place.space : place) === keyOf(space),
    ),
  );

  /** Each list is replaced when its glossary changes, and its index goes with it. */
  const indexes = new WeakMap<List, Promise<Indexed>>();
  const indexOf = (list: List): Promise<Indexed> => {
    const index = indexes.get(list) ?? indexList(list);
    indexes.set(list, index);
    return index;
  };

  const inflections = new WeakMap<List, Map<string, Promise<InflectedTerms<GlossaryTerm>>>>();
  const inflectionsOf = (list: List, language: string): Promise<InflectedTerms<GlossaryTerm>> => {
    const byLanguage =
      inflections.get(list) ?? new Map<string, Promise<InflectedTerms<GlossaryTerm>>>();
    inflections.set(list, byLanguage);
    const known = byLanguage.get(language) ?? indexInflections(list, language);
    byLanguage.delete(language);
    byLanguage.set(language, known);
    const [oldest = language] = byLanguage.keys();
    if (byLanguage.size > MOST_LANGUAGES) byLanguage.delete(oldest);
    return known;
  };

  /** Combined lists of a channel's and its space's entries, by the first and then the second. */
  const joined = new WeakMap<List, { readonly ofSpace: List; readonly all: List }>();

  return {
    of: lists.of,

    applying: async (place: Space | Channel): Promise<List> => {
      const [own = [], ofSpace = []] = await Promise.all(placesOf(place).map(lists.of));
      if (ofSpace.length === 0) return own;
      if (own.length === 0) return ofSpace;
      const known = joined.get(own);
      if (known?.ofSpace === ofSpace) return known.all;
      const ids = new Set(own.map(idOf));
      const all = [...own, ...ofSpace.filter((term) => !ids.has(idOf(term)))];
      joined.set(own, { ofSpace, all });
      return all;
    },

    inText: async (
      place: Space | Channel,
      text: string,
      language?: string,
    ): Promise<TermsInText> => {
      const occurrences: Occurrence<GlossaryTerm>[] = [];
      const seen = new Map<string, { readonly term: GlossaryTerm; readonly texts: number }>();
      for (const list of await Promise.all(placesOf(place).map(lists.of))) {
        if (list.length === 0) continue;
        const { index, texts } = await indexOf(list);
        const inflected = language === undefined ? [] : (await inflectionsOf(list, language))(text);
        const found = [...index.find(text), ...inflected];
        for (const term of new Set(found.map((each) => each.term))) {
          const before = texts.get(term) ?? 0;
          texts.set(term, before + 1);
          const id = idOf(term);
          if (!seen.has(id)) seen.set(id, { term, texts: before });
        }
        occurrences.push(...found.filter(({ term }) => seen.get(idOf(term))?.term === term));
      }
      const terms = [...seen.values()]
        .toSorted((a, b) => a.texts - b.texts || b.term.term.length - a.term.term.length)
        .map(({ term }) => term);
      return { terms, occurrences };
    },
  };
};
