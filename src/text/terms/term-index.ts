import { charAfter, charBefore, isHangul, isLetter, isSpacedLetter } from '../unicode.ts';
import { foldText } from './fold.ts';
import { buildPrefixTree } from './prefix-tree.ts';

const AFTER_ANY =
  '의 에 에서 에선 에게 에게서 에겐 한테 한테서 한텐 께 께서 하고 도 만 까지 부터 마저 조차 밖에 보다 처럼 같이 만큼 ' +
  '대로 마다 뿐 씩 요 입니다 인데 이에요';
const AFTER_CONSONANT =
  '은 이 을 과 으로 으로서 으로써 으로부터 이랑 아 이나 이든 이든지 이라도 이라 이라는 이라고 이란 이야 이며 이고 이다';
const AFTER_VOWEL = '는 가 를 와 로 로서 로써 로부터 랑 야 나 든지 라도 라는 라고 란 예요';
/** The particles that follow another one: 에서는, 까지도. */
const AUXILIARY = '은 는 도 만 의 이 을 를 요 나 까지 부터 조차 마저 라도 밖에 보다 처럼 뿐';

const anyOf = (...lists: readonly string[]): string => lists.join(' ').replaceAll(' ', '|');

const particles = (own: string): RegExp =>
  new RegExp(`(?:${anyOf(AFTER_ANY, own)})(?:${anyOf(AUXILIARY)}){0,2}(?!\\p{sc=Hang})`, 'uy');

const afterConsonant = particles(AFTER_CONSONANT);
const afterVowel = particles(AFTER_VOWEL);

const FIRST_SYLLABLE = 0xac00;
const LAST_SYLLABLE = 0xd7a3;
/** Syllables that differ only in their final consonant, of which the first has none. */
const FINALS = 28;
const FINAL_L = 8;

const PLURAL = '들';
const hangul = /\p{sc=Hang}/u;

/**
 * True when the Korean letters at `at` are particles of the word that ends there (한국+에서는), and
 * no part of a longer word (한국+어). Many particles have one form after a consonant and another
 * after a vowel.
 */
const areParticles = (text: string, at: number): boolean => {
  if (text.startsWith(PLURAL, at) && text[at - 1] !== PLURAL) {
    const end = at + PLURAL.length;
    return !hangul.test(text.charAt(end)) || areParticles(text, end);
  }
  const last = text.charCodeAt(at - 1);
  if (last < FIRST_SYLLABLE || last > LAST_SYLLABLE) return false;
  const final = (last - FIRST_SYLLABLE) % FINALS;
  const forms = final === 0 ? [afterVowel] : [afterConsonant];
  // 로 follows a final ㄹ too: 서울로.
  if (final === FINAL_L && text.startsWith('로', at)) forms.push(afterVowel);
  return forms.some((form) => {
    form.lastIndex = at;
    return form.test(text);
  });
};

const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

const katakana = /[\p{sc=Kana}ー]/u;
const mark = /(?![\uFE00-\uFE0F])\p{M}/u;

/**
 * Tells where words begin and end in one text. Scripts without spaces are segmented by dictionary,
 * and only where somebody asks.
 */
export class WholeWords {
  readonly #text: string;
  #segments: Intl.Segments | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** True when a word can begin at `at`. */
  beginsAt(at: number): boolean {
    const before = charBefore(this.#text, at);
    const after = charAfter(this.#text, at);
    if (!isLetter(before) || !isLetter(after)) return true;
    const isSpaced = isSpacedLetter(after);
    if (isSpaced !== isSpacedLetter(before)) return true;
    return !isSpaced && this.#isBorder(at, before, after);
  }

  /** True when a word can end at `at`; Korean particles do not belong to the word before them. */
  endsAt(at: number): boolean {
    const before = charBefore(this.#text, at);
    const after = charAfter(this.#text, at);
    if (!isLetter(before) || !isLetter(after)) return true;
    if (mark.test(after)) return false;
    const isSpaced = isSpacedLetter(before);
    if (isSpaced !== isSpacedLetter(after)) return true;
    if (!isSpaced) return this.#isBorder(at, before, after);
    if (!isHangul(before)) return isHangul(after);
    return !isHangul(after) || areParticles(this.#text, at);
  }

  /** The end of the word that goes on at `at`. */
  endFrom(at: number): number {
    if (at >= this.#text.length || !isLetter(charAfter(this.#text, at))) return at;
    const isSpaced = isSpacedLetter(charAfter(this.#text, at));
    let end = at;
    for (;;) {
      const next = charAfter(this.#text, end);
      if (!isLetter(next) || isSpacedLetter(next) !== isSpaced) return end;
      if (!isSpaced && end > at && this.endsAt(end)) return end;
      end += next.length;
    }
  }

  #isBorder(at: number, before: string, after: string): boolean {
    // The dictionary takes apart names in katakana, which are one word to readers.
    if (katakana.test(before) && katakana.test(after)) return false;
    this.#segments ??= segmenter.segment(this.#text);
    return this.#segments.containing(at)?.index === at;
  }
}

/** A place where a term stands in a text, in UTF-16 offsets. */
export interface Occurrence<Term> {
  readonly start: number;
  readonly end: number;
  readonly term: Term;
}

/** Terms prepared for being found in texts. */
export interface TermIndex<Term> {
  /**
   * Finds the terms that occur in a text as whole words, with those that overlap, in any order.
   * Case, width, composition and the form of apostrophes do not count. A single character of a
   * script without spaces is not found within a longer term, whole word or not: names that no
   * dictionary has are taken apart into characters.
   */
  readonly find: (text: string) => readonly Occurrence<Term>[];
}

const stem = /[\p{L}\p{M}]\*$/u;

/** True for a term such as `dragon*`, which stands for each word that begins so. */
export const isStem = (term: string): boolean => stem.test(term);

/** The word or phrase of a term, without the mark of a stem. */
export const wordsOfTerm = (term: string): string => (isStem(term) ? term.slice(0, -1) : term);

interface Entry<Term> {
  readonly term: Term;
  readonly isStem: boolean;
}

/** True for a single character of a script without spaces, which most longer words contain. */
const isSingle = (pattern: string): boolean =>
  charAfter(pattern, 0) === pattern && isLetter(pattern) && !isSpacedLetter(pattern);

/** A place of a pattern in a folded text, whole word or not. */
interface Hit {
  readonly pattern: number;
  readonly from: number;
  readonly end: number;
}

/** The hits without those of single characters that stand in a longer pattern. */
const withoutCovered = (hits: readonly Hit[], singles: ReadonlySet<number>): readonly Hit[] => {
  let covered = 0;
  return hits
    .toSorted((a, b) => a.from - b.from || b.end - a.end)
    .filter(({ pattern, from, end }) => {
      if (singles.has(pattern)) return covered <= from;
      covered = Math.max(covered, end);
      return true;
    });
};

/** Terms that are prepared at once; the event loop can run between two steps. */
const TERMS_AT_ONCE = 500;

/** Builds an index step by step, each of which takes about a millisecond. */
export const buildTermIndex = function* <Term extends { readonly term: string }>(
  terms: readonly Term[],
): Generator<void, TermIndex<Term>, void> {
  const byPattern = new Map<string, Entry<Term>[]>();
  /** Numbers of patterns of a single character. */
  const singles = new Set<number>();
  for (const [index, term] of terms.entries()) {
    if (index % TERMS_AT_ONCE === TERMS_AT_ONCE - 1) yield;
    const written = term.term.trim();
    const pattern = foldText(wordsOfTerm(written)).text;
    if (pattern === '') continue;
    const entry: Entry<Term> = { term, isStem: isStem(written) };
    const known = byPattern.get(pattern);
    if (known) known.push(entry);
    else {
      if (isSingle(pattern)) singles.add(byPattern.size);
      byPattern.set(pattern, [entry]);
    }
  }
  yield;
  const patterns = [...byPattern.keys()];
  const entries = [...byPattern.values()];
  const tree = yield* buildPrefixTree(patterns);
  return {
    find: (text) => {
      const folded = foldText(text);
      const hits: Hit[] = [];
      tree.scan(folded.text, (pattern, end) => {
        hits.push({ pattern, from: end - (patterns[pattern] as string).length, end });
      });
      if (hits.length === 0) return [];
      const words = new WholeWords(folded.text);
      const found: Occurrence<Term>[] = [];
      for (const { pattern, from, end } of singles.size === 0
        ? hits
        : withoutCovered(hits, singles)) {
        const start = folded.sourceOf(from);
        const sourceEnd = folded.sourceOf(end);
        if (start < 0 || sourceEnd < 0 || !words.beginsAt(from)) continue;
        const isWhole = words.endsAt(end);
        for (const { term, isStem: isOpen } of entries[pattern] as Entry<Term>[]) {
          if (!isWhole && !isOpen) continue;
          const last = isWhole ? end : words.endFrom(end);
          found.push({ start, end: Math.max(sourceEnd, folded.sourceOf(last)), term });
        }
      }
      return found;
    },
  };
};

/** Builds the index of a few terms at once. */
export const indexTerms = <Term extends { readonly term: string }>(
  terms: readonly Term[],
): TermIndex<Term> => {
  const steps = buildTermIndex(terms);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
};
