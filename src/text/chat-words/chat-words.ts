import { isListedWord } from '../language/features.ts';
import { languageOf } from '../language/language-names.ts';
import shortWords from './chat-words.json' with { type: 'json' };

/** Short and hasty spellings of chat with what they stand for, by language. */
const SHORT_WORDS: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(
  Object.entries(shortWords).map(([language, words]) => [language, new Map(Object.entries(words))]),
);
/** Shortest word that is looked up in capitals: shorter ones are other words as often (`US`, `R`, `CC`). */
const SHORTEST_IN_CAPITALS = 3;

const capital = /^\p{Lu}/u;
const allCapitals = /^[\p{Lu}\p{N}]+$/u;

/** Finds the words for a short spelling of chat, such as `idk` or `vcs`; undefined for other words. */
export const chatWord = (word: string, locale: string | undefined): string | undefined => {
  const words = SHORT_WORDS.get(languageOf(locale));
  if (!words) return undefined;
  if (word.length < SHORTEST_IN_CAPITALS && allCapitals.test(word)) return undefined;
  const whole = words.get(word.toLowerCase());
  return whole !== undefined && capital.test(word)
    ? `${whole[0]?.toUpperCase()}${whole.slice(1)}`
    : whole;
};

const stretch = /(\p{L})\1{2,}/giu;
const cased = /[\p{Lu}\p{Ll}\p{Lm}]/u;
const oneLetter = /^(\p{L})\1+$/iu;
const romanNumber = /^[IVXLCDM]+$/;
/** Stretches of a word of which one or two letters are tried: all of longer ones are one letter. */
const MOST_TRIED = 3;

/** Languages whose compounds may have three equal letters: `Schifffahrt`. */
const THREE_IN_COMPOUNDS = new Set(['de', 'da', 'nb', 'no', 'et']);

/**
 * A word without the letters that somebody repeated for emphasis, as in `waaaay` and `goooood`: the
 * common word of the language with one or two of each, or else with one of each.
 */
export const unstretched = (word: string, locale: string | undefined): string => {
  const rows = word.match(stretch);
  if (!rows) return word;
  const isShort = rows.every((row) => row.length === 3);
  if (oneLetter.test(word) || !rows.some((row) => cased.test(row)))
    return isShort ? word : word.replaceAll(stretch, '$1$1');
  if (isShort && romanNumber.test(word)) return word;
  const language = languageOf(locale);
  const choices = 2 ** Math.min(rows.length, MOST_TRIED);
  for (let choice = 0; choice < choices; choice += 1) {
    let place = 0;
    const tried = word.replaceAll(stretch, (_, letter: string) =>
      letter.repeat(((choice >> place++) & 1) + 1),
    );
    if (isListedWord(tried.toLowerCase(), language)) return tried;
  }
  return isShort && THREE_IN_COMPOUNDS.has(language) ? word : word.replaceAll(stretch, '$1');
};

/** Words with the signs that join them to names, paths and addresses. */
const chunk = /[\p{L}\p{M}\d._@/#&'’-]+/gu;
/** Words of one script, where no spaces stand between words. */
const run =
  /(?<![\p{sc=Latn}\d._@/#&'’-])(?:[\p{sc=Latn}\p{M}\d]+|[ㄱ-ㅣ]+|[\p{sc=Hira}\p{sc=Kana}ー]+)(?![_@'’]|[./&-][\p{sc=Latn}\d])/gu;
const UNSPACED = new Set(['ja', 'zh', 'ko']);
const endSigns = /(?<![./&-])[./&-]+$/;
/** An ending in kana, which belongs to the word before it. */
const kanaEnding = /^\p{sc=Han}[\p{sc=Hira}\p{sc=Kana}]/u;
const onlyLetters = /^[\p{L}\p{M}\d]+$/u;
const anyStretch = new RegExp(stretch.source, 'iu');

/** Writes the words of chat out: short spellings as words, repeated letters as one or two. */
export const inWholeWords = (text: string, locale: string | undefined): string => {
  const language = languageOf(locale);
  const isStretched = anyStretch.test(text);
  if (!isStretched && !SHORT_WORDS.has(language)) return text;
  return text.replaceAll(UNSPACED.has(language) ? run : chunk, (written, at: number) => {
    const word = written.replace(endSigns, '');
    const plain = isStretched && onlyLetters.test(word) ? unstretched(word, locale) : word;
    const isEnding = kanaEnding.test(text.slice(at - 1, at + 1));
    const whole = (isEnding ? undefined : chatWord(plain, locale)) ?? plain;
    return whole === word ? written : whole + written.slice(word.length);
  });
};
