import { foreignLetters, specialLetters } from './scripts.ts';
import { hanLikelihood } from './han.ts';
import { NGRAM_LANGUAGES, ngramScores } from './ngrams.ts';
import { listedWords, type ListedWords } from './word-lists.ts';

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
}

const MOST_WORDS = 60;
const MOST_RARITY = 6;
const MOST_FOREIGN = 3;
/** Words and letters below which a share says less. */
const FEW_WORDS = 3;
const FEW_LETTERS = 4;
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
  }));
};
