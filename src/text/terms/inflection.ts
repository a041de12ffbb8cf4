import { languageOf } from '../language/language-names.ts';
import { foldText } from './fold.ts';
import type { Occurrence } from './term-index.ts';
import plurals from './plurals.json' with { type: 'json' };

/** Makes of a word a form that its inflections share. */
type BaseForm = (word: string) => string;

interface Stemmer {
  readonly stemmer: BaseForm;
}

/**
 * Stemmers of languages whose nouns have cases or articles at their ends. In the others they take
 * different words for one (`porto` and `porta`), and plurals are made by a table.
 */
const STEMMERS: Readonly<Record<string, () => Promise<Stemmer>>> = {
  bg: () => import('@orama/stemmers/bulgarian'),
  da: () => import('@orama/stemmers/danish'),
  de: () => import('@orama/stemmers/german'),
  el: () => import('@orama/stemmers/greek'),
  fi: () => import('@orama/stemmers/finnish'),
  hu: () => import('@orama/stemmers/hungarian'),
  lt: () => import('@orama/stemmers/lithuanian'),
  nb: () => import('@orama/stemmers/norwegian'),
  nl: () => import('@orama/stemmers/dutch'),
  no: () => import('@orama/stemmers/norwegian'),
  ro: () => import('@orama/stemmers/romanian'),
  ru: () => import('@orama/stemmers/russian'),
  sv: () => import('@orama/stemmers/swedish'),
  tr: () => import('@orama/stemmers/turkish'),
  uk: () => import('@orama/stemmers/ukrainian'),
};

const PLURALS: Readonly<Record<string, readonly (readonly string[])[] | undefined>> = plurals;

/** Letters that a word keeps at least: shorter ones say too little. */
const LEAST_LETTERS = 3;
/** The most letters in which two words of one stem may differ from where they part, both together. */
const MOST_DIFFERENT = 5;

const mark = /\p{M}/gu;
const upper = /^\p{Lu}/u;
const word = /[\p{L}\p{M}\p{N}]+(?:['’]\p{L}+)?/gu;
/** Signs between the words of a term. */
const gap = /^[^\S\n]+$/;

const withoutMarks = (text: string): string => text.normalize('NFD').replaceAll(mark, '');

const singular =
  (endings: readonly (readonly string[])[]): BaseForm =>
  (plural) => {
    const plain = withoutMarks(plural);
    for (const [ending = '', replacement = ''] of endings) {
      const form = plain.slice(0, plain.length - ending.length) + replacement;
      if (plain.endsWith(ending) && form.length >= LEAST_LETTERS) return form;
    }
    return plain;
  };

/** The base form of a language's words; undefined for a language without one. */
const baseFormOf = async (language: string): Promise<BaseForm | undefined> => {
  const endings = PLURALS[language];
  return endings ? singular(endings) : (await STEMMERS[language]?.())?.stemmer;
};

const isNear = (one: string, other: string): boolean => {
  let same = 0;
  while (same < one.length && one[same] === other[same]) same += 1;
  return same >= LEAST_LETTERS && one.length + other.length - 2 * same <= MOST_DIFFERENT;
};

interface Entry<Term> {
  readonly term: Term;
  readonly words: readonly string[];
}

/** Finds terms in a text where they stand in another form than their own. */
export type InflectedTerms<Term> = (text: string) => readonly Occurrence<Term>[];

/** Most words of a term that is looked for. */
const MOST_WORDS = 4;
/** Terms that are prepared at once; the event loop can run between two steps. */
const TERMS_AT_ONCE = 200;

const fold = (text: string): string => foldText(text).text;

/**
 * Prepares terms for being found in the plural, in cases and with articles at their ends, step by
 * step; undefined for a language whose forms are not known, and without terms. German nouns are found
 * where they are written with a capital.
 */
export const prepareInflections = async function* <Term extends { readonly term: string }>(
  terms: readonly Term[],
  locale: string,
): AsyncGenerator<void, InflectedTerms<Term> | undefined, void> {
  const language = languageOf(locale);
  const base = await baseFormOf(language);
  if (!base) return undefined;
  const byForm = new Map<string, Entry<Term>[]>();
  for (const [index, term] of terms.entries()) {
    if (index % TERMS_AT_ONCE === TERMS_AT_ONCE - 1) yield;
    const words = term.term.match(word) ?? [];
    if (words.length === 0 || words.length > MOST_WORDS || words.join(' ') !== term.term.trim())
      continue;
    const form = words.map((each) => base(fold(each))).join(' ');
    const entry = { term, words };
    const known = byForm.get(form);
    if (known) known.push(entry);
    else byForm.set(form, [entry]);
  }
  if (byForm.size === 0) return undefined;
  const isForm = (written: string, of: string): boolean =>
    (language in PLURALS || isNear(fold(written), fold(of))) &&
    (language !== 'de' || upper.test(written) === upper.test(of));
  return (text) => {
    const words = Array.from(text.matchAll(word), ({ 0: written, index }) => ({
      written,
      start: index,
      end: index + written.length,
      form: base(fold(written)),
    }));
    const isAt = (place: number, { term, words: own }: Entry<Term>, end: number): boolean =>
      own.every((each, at) => isForm(words[place + at]?.written ?? '', each)) &&
      fold(text.slice(words[place]?.start, end)) !== fold(term.term);
    return words.flatMap(({ start }, place) => {
      const found: Occurrence<Term>[] = [];
      let form = '';
      let from = start;
      for (const next of words.slice(place, place + MOST_WORDS)) {
        if (form !== '' && !gap.test(text.slice(from, next.start))) break;
        form = form === '' ? next.form : `${form} ${next.form}`;
        from = next.end;
        for (const entry of byForm.get(form) ?? [])
          if (isAt(place, entry, from)) found.push({ start, end: from, term: entry.term });
      }
      return found;
    });
  };
};
