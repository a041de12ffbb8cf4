import wordLists from './words.json' with { type: 'json' };

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

const readLists = (): ReadonlyMap<string, readonly string[]> => {
  const lists = new Map<string, string[]>();
  const plain = new Map<string, string[]>();
  const add = (to: typeof lists, word: string, language: string): void => {
    const languages = to.get(word);
    if (!languages) to.set(word, [language]);
    else if (!languages.includes(language)) languages.push(language);
  };
  for (const [language, words] of Object.entries(wordLists))
    for (const word of words.split(' ')) {
      add(lists, word, language);
      add(plain, withoutAccents(word), language);
    }
  // A word without its accents that is another language's word is not added to it.
  for (const [word, languages] of plain) if (!lists.has(word)) lists.set(word, languages);
  return lists;
};
const listsOf = readLists();

/**
 * The languages among whose common words of chat a word is, in lower case; with a letter that is
 * stretched (`heeeey`) too. `und` has words of no language.
 */
const languagesOf = (word: string): readonly string[] =>
  listsOf.get(word) ??
  listsOf.get(word.replaceAll(stretched, '$1')) ??
  listsOf.get(word.replaceAll(stretched, '$1$1')) ??
  NONE;

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
