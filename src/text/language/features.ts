import data from './ngrams.json' with { type: 'json' };
import wordLists from './words.json' with { type: 'json' };
import { foreignLetters, specialLetters, hanLikelihood } from './scripts.ts';

/** N-grams of one kind: sorted keys, and the scores of each. */
interface Table {
  /** The n-gram's bytes, the first in the highest place, padded with zeros at the end. */
  readonly keys: Uint32Array;
  /** Place of each n-gram's first score in `scores`; one more than there are keys. */
  readonly starts: Uint32Array;
  /** Language and score by turns. */
  readonly scores: Uint8Array;
}

/** UTF-8 bytes of an n-gram, and the step from one to the next within a word. */
const NGRAM_BYTES = 4;
const STEP_BYTES = 3;
/** Bytes of a word and of a text that are read. */
const LONGEST_WORD_BYTES = 70;
const LONGEST_TEXT_BYTES = 350;

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.from(base64, 'base64'));

const readTable = (table: (typeof data.tables)[number]): Table => {
  const keys = new Uint32Array(bytesOf(table.keys).buffer);
  const starts = new Uint32Array(keys.length + 1);
  for (const [index, count] of bytesOf(table.counts).entries())
    starts[index + 1] = (starts[index] ?? 0) + 2 * count;
  return { keys, starts, scores: bytesOf(table.scores) };
};

let tables: readonly Table[] | undefined;
/**
 * Tables by place in the word: within, at its end, at its beginning, the whole word. They are taken
 * out of the module, which would keep them as text, too.
 */
const readTables = (): readonly Table[] => (tables ??= data.tables.splice(0).map(readTable));
const AT_END = 1;
const AT_BEGINNING = 2;

/** Languages that have statistics, as codes of `eld`. */
export const NGRAM_LANGUAGES: readonly string[] = data.languages;

const find = (keys: Uint32Array, key: number): number => {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((keys[middle] ?? 0) < key) low = middle + 1;
    else high = middle;
  }
  return keys[low] === key ? low : -1;
};

const notLetters = /[^\p{L}]+(?<!['`’])/gu;
const encoder = new TextEncoder();

export interface NgramScores {
  /** Sum of the scores of each language, in the order of `NGRAM_LANGUAGES`. */
  readonly scores: Float64Array;
  /** Number of different n-grams in the text, known or not. */
  readonly count: number;
}

/** Scores a text by its n-grams, as the library `eld` does with its large database. */
export const ngramScores = (text: string): NgramScores => {
  const byPlace = readTables();
  const sums = new Float64Array(NGRAM_LANGUAGES.length);
  const seen = new Set<number>();
  const add = (bytes: Uint8Array, from: number, to: number, place: number): void => {
    let key = 0;
    for (let at = from; at < from + NGRAM_BYTES; at += 1)
      key = key * 256 + (at < to ? (bytes[at] ?? 0) : 0);
    const id = key * 4 + place;
    if (seen.has(id)) return;
    seen.add(id);
    const table = byPlace[place] as Table;
    const index = find(table.keys, key);
    if (index < 0) return;
    const end = table.starts[index + 1] ?? 0;
    for (let at = table.starts[index] ?? 0; at < end; at += 2) {
      const language = table.scores[at] ?? 0;
      sums[language] = (sums[language] ?? 0) + (table.scores[at + 1] ?? 0);
    }
  };

  let readBytes = 0;
  for (const word of text.replaceAll(notLetters, ' ').trim().toLowerCase().split(' ')) {
    if (word === '' || readBytes > LONGEST_TEXT_BYTES) continue;
    const bytes = encoder.encode(word);
    readBytes += bytes.length + 1;
    const length = Math.min(bytes.length, LONGEST_WORD_BYTES);
    let from = 0;
    for (; from + NGRAM_BYTES < length; from += STEP_BYTES)
      add(bytes, from, from + NGRAM_BYTES, from === 0 ? AT_BEGINNING : 0);
    const last = Math.max(0, length - NGRAM_BYTES);
    add(bytes, last, length, AT_END + (from === 0 ? AT_BEGINNING : 0));
  }
  return { scores: sums, count: seen.size };
};

const NONE: readonly string[] = [];
const LISTS = Object.keys(wordLists).length;
const latin = /\p{sc=Latin}/u;
const accents = /\p{M}/gu;
const stretched = /(\p{L})\1{2,}/gu;

/** Letters with a stroke or without a dot, which Unicode does not take apart. */
const PLAIN: Readonly<Record<string, string>> = { ł: 'l', đ: 'd', ı: 'i' };
const strokes = /[łđı]/gu;

/** Latin letters as many people type them. */
const withoutAccents = (word: string): string =>
  latin.test(word)
    ? word
        .normalize('NFD')
        .replaceAll(accents, '')
        .replaceAll(strokes, (letter) => PLAIN[letter] ?? letter)
    : word;

type Lists = ReadonlyMap<string, readonly string[]>;

const makeLists = (): Lists => {
  const listed = new Map<string, string[]>();
  const plain = new Map<string, string[]>();
  const add = (to: typeof listed, word: string, language: string): void => {
    const languages = to.get(word);
    if (!languages) to.set(word, [language]);
    else if (!languages.includes(language)) languages.push(language);
  };
  for (const [language, words] of Object.entries(wordLists))
    for (const word of words.split(' ')) {
      add(listed, word, language);
      add(plain, withoutAccents(word), language);
    }
  // A word without its accents that is another language's word is not added to it.
  for (const [word, languages] of plain) if (!listed.has(word)) listed.set(word, languages);
  return listed;
};
let lists: Lists | undefined;
const readLists = (): Lists => (lists ??= makeLists());

/**
 * The languages among whose common words of chat a word is, in lower case; with a letter that is
 * stretched (`heeeey`) too. `und` has words of no language.
 */
const languagesOf = (word: string): readonly string[] => {
  const byWord = readLists();
  return (
    byWord.get(word) ??
    byWord.get(word.replaceAll(stretched, '$1')) ??
    byWord.get(word.replaceAll(stretched, '$1$1')) ??
    NONE
  );
};

/** True for a common word of chat in a language, in lower case; its accents may be left out. */
export const isListedWord = (word: string, language: string): boolean =>
  readLists().get(word)?.includes(language) ?? false;

/** The words of a text that are on one language's list. */
export interface ListedWords {
  readonly count: number;
  /** Sum over these words: 1 for one that no other list has, 0 for one that all have. */
  readonly rarity: number;
}

/** Counts the words that are on the list of each language. */
export const listedWords = (
  words: readonly string[],
): { readonly byLanguage: ReadonlyMap<string, ListedWords>; readonly unlisted: number } => {
  const byLanguage = new Map<string, ListedWords>();
  let unlisted = 0;
  for (const word of words) {
    const languages = languagesOf(word);
    if (languages.length === 0) unlisted += 1;
    const own = 1 - Math.log(languages.length) / Math.log(LISTS);
    for (const language of languages) {
      const { count, rarity } = byLanguage.get(language) ?? { count: 0, rarity: 0 };
      byLanguage.set(language, { count: count + 1, rarity: rarity + own });
    }
  }
  return { byLanguage, unlisted };
};

/** The class of texts that are in no language: laughter, names, numbers. */
export const NO_LANGUAGE = 'und';

/** Names of the figures that the model weighs for each language; each is 0 to about 6. */
export const FEATURES = [
  /** Mean score of the n-grams, growing with the root of their number. */
  'ngrams',
  /** The best such score of any language, for a language without n-grams. */
  'bestNgrams',
  /** Words on the language's list; one that other lists have too counts less. */
  'words',
  /** Share of the text's words that are on the list. */
  'coverage',
  /** Letters that the language does not write. */
  'foreignLetters',
  /** Likelihood of the Chinese characters. */
  'han',
  /** Fewness of letters, for no language. */
  'few',
  /** Share of words that repeat themselves, such as laughter, for no language. */
  'repeats',
  /** Share of words that are on no list, for no language. */
  'unlisted',
  /** Share of words with digits, or in capitals, for no language. */
  'codes',
] as const;
export type Feature = (typeof FEATURES)[number];

export interface Candidate {
  readonly language: string;
  readonly features: Readonly<Partial<Record<Feature, number>>>;
  /** True for two to four words, not all of them on the language's list: others may have them as well. */
  readonly isDoubtful: boolean;
}

const MOST_WORDS = 60;
const MOST_RARITY = 6;
const MOST_FOREIGN = 3;
/** Words and letters below which a share says less. */
const FEW_WORDS = 3;
const FEW_LETTERS = 4;
/** Most words of a line that one of another language often looks like. */
const SHORT_LINE_WORDS = 4;
const NGRAM_SCALE = 100;

/** Languages whose n-grams stand under the code of their closest relative. */
const NGRAM_CODES: Readonly<Record<string, string>> = { id: 'ms', bs: 'hr', 'sr-Latn': 'hr' };

const letter = /\p{L}/gu;
const word = /[\p{L}\p{M}]+(?:'[\p{L}\p{M}]+)*/gu;
const chunk = /\S+/g;
const digit = /\d/;
const small = /[\p{Ll}\p{Lo}]/u;
const capitals = /\p{Lu}.*\p{Lu}/u;
/** A hash, a version, a number: three digits among ASCII. */
const code = /^(?=(?:\D*\d){3})[!-~]+$/;
const repetition =
  /^(?:(\p{L}{1,3}?)\1{2,}\p{L}{0,2}|(?:h+[aeiou]+)+h*|(?:j+[aei]+)+j*|a*(?:h+a+)+h*|x+d+|k{2,}|w{2,}|lo+l+|m+|h+m+)$/iu;

const isCode = (written: string): boolean =>
  digit.test(written) || (!small.test(written) && capitals.test(written));

const share = (part: number, whole: number): number => part / Math.max(1, whole);

const ofList = (listed: ListedWords | undefined, words: number): Candidate['features'] => ({
  words: Math.min(MOST_RARITY, listed?.rarity ?? 0),
  coverage: (listed?.count ?? 0) / Math.max(FEW_WORDS, words),
});

/** Measures a text for each of the languages that are possible in its script. */
export const measureText = (text: string, languages: readonly string[]): readonly Candidate[] => {
  const chunks = text.match(chunk) ?? [];
  const prose = chunks.filter((each) => !code.test(each)).join(' ');
  const lower = prose.toLowerCase().replaceAll('’', "'");
  const words = (lower.match(word) ?? []).slice(0, MOST_WORDS);
  const { byLanguage, unlisted } = listedWords(words);
  const special = specialLetters(lower);
  const { scores, count } = ngramScores(prose);
  const scale = NGRAM_SCALE * Math.sqrt(Math.max(1, count));
  const bestNgrams = Math.max(...scores) / scale;

  const ofLanguage = (language: string): Candidate['features'] => {
    const listed = byLanguage.get(language);
    const index = NGRAM_LANGUAGES.indexOf(NGRAM_CODES[language] ?? language);
    // The n-grams of common short words may be missing.
    const least = bestNgrams * share(listed?.count ?? 0, words.length);
    return {
      ...ofList(listed, words.length),
      ...(index < 0 ? { bestNgrams } : { ngrams: Math.max(least, (scores[index] ?? 0) / scale) }),
      foreignLetters: Math.min(MOST_FOREIGN, foreignLetters(special, language)),
      han: hanLikelihood(prose, language),
    };
  };
  const ofNone = (): Candidate['features'] => ({
    ...ofList(byLanguage.get(NO_LANGUAGE), words.length),
    bestNgrams,
    few: Math.min(1, FEW_LETTERS / Math.max(1, prose.match(letter)?.length ?? 0)),
    repeats: share(words.filter((each) => repetition.test(each)).length, chunks.length),
    unlisted: share(unlisted, words.length),
    codes: share(chunks.filter(isCode).length, chunks.length),
  });
  return languages.map((language) => ({
    language,
    features: language === NO_LANGUAGE ? ofNone() : ofLanguage(language),
    isDoubtful:
      words.length > 1 &&
      words.length <= SHORT_LINE_WORDS &&
      (byLanguage.get(language)?.count ?? 0) < words.length,
  }));
};
