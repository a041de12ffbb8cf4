import type { Voice } from '../api/contract.ts';
import { quotedWords } from '../text/quoted-words.ts';

/** The words of a description, in lower case: `female` has no `male` in it. */
const wordsOf = (written: string): ReadonlySet<string> =>
  new Set(written.toLowerCase().match(/[\p{L}\p{N}]+/gu));

const isSaid = (part: string, words: ReadonlySet<string>): boolean =>
  [...wordsOf(part)].every((word) => words.has(word));

/** A BCP 47 code, which some put beside the name of a language. */
const CODE = /^[a-z]{2,3}(?:-[\dA-Za-z]{2,8})*$/;

/** True when a description says all of the languages, each by its name or each by its code. */
const areSaid = (languages: string, words: ReadonlySet<string>): boolean => {
  const parts = languages
    .split(',')
    .map((part) => part.trim())
    .filter((part) => wordsOf(part).size > 0);
  const codes = parts.filter((part) => CODE.test(part));
  const names = parts.filter((part) => !CODE.test(part));
  const areAllSaid = (some: readonly string[]): boolean =>
    some.length > 0 && some.every((part) => isSaid(part, words));
  return parts.length === 0 || areAllSaid(names) || areAllSaid(codes);
};

/**
 * Lists what people read of a voice, a line each: its description, or its ID where it has none, then
 * its languages and its gender unless the description says them. A language may be words and a code,
 * `Spanish (Spain), es`.
 */
export const voiceWords = ({
  id,
  description,
  language,
  gender,
}: Pick<Voice, 'id' | 'description' | 'language' | 'gender'>): readonly [string, ...string[]] => {
  const name = quotedWords(description || id);
  const words = wordsOf(name);
  return [
    name,
    ...(areSaid(language, words) ? [] : [quotedWords(language)]),
    ...(isSaid(gender, words) ? [] : [quotedWords(gender)]),
  ];
};

/** A voice on one line: `Ada · English · Female`. */
export const voiceText = (voice: Parameters<typeof voiceWords>[0]): string =>
  voiceWords(voice).join(' · ');
