import { isListedWord } from '../../src/text/language/features.ts';
import { languageOf } from '../../src/text/language/language-names.ts';
import data from './capitals.json' with { type: 'json' };

/** Words that are always written in capitals, and are no other words in small letters. */
const ACRONYMS: ReadonlySet<string> = new Set(data.acronyms.split(' '));
/** Given names that are no other words. */
const NAMES: ReadonlySet<string> = new Set(data.names.split(' '));
/** Letters of a word that stands alone from which it is no acronym. */
const LONG_WORD = 4;

const word = /[\p{L}\p{M}\p{N}]+(?:['’][\p{L}\p{M}]+)*/gu;
const small = /\p{Ll}/u;
const capital = /\p{Lu}/u;
/** The English word that always has a capital, with what is joined to it. */
const firstPerson = /^i(?:['’]|$)/;
const digit = /\p{N}/u;

/** A name such as `iPhone`. */
const mixed = /^\p{Ll}+\p{Lu}/u;

const staysAsWritten = (written: string): boolean =>
  ACRONYMS.has(written) || digit.test(written) || mixed.test(written);

/** True for a sentence in capitals that is not made of acronyms. */
export const isInCapitals = (sentence: string, language: string): boolean => {
  const words = (sentence.match(word) ?? []).filter((each) => !staysAsWritten(each));
  if (words.some((each) => small.test(each)) || !words.some((each) => capital.test(each)))
    return false;
  if (words.length > 1) return words.some((each) => each.length > 1);
  const [only = ''] = words;
  return (
    only.length >= LONG_WORD || isListedWord(only.toLocaleLowerCase(language), languageOf(language))
  );
};

/** Writes a sentence in capitals as sentences are written. */
export const inSentenceCase = (sentence: string, language: string): string => {
  const withCapital = (text: string): string =>
    text.replace(/\p{L}/u, (first) => first.toLocaleUpperCase(language));
  const isEnglish = languageOf(language) === 'en';
  const cased = sentence.replaceAll(word, (written) => {
    if (staysAsWritten(written)) return written;
    const lower = written.toLocaleLowerCase(language);
    return NAMES.has(lower) || (isEnglish && firstPerson.test(lower)) ? withCapital(lower) : lower;
  });
  return withCapital(cased);
};
