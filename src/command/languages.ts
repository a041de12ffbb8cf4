import type { Complete } from './command.ts';
import { userError } from '../errors.ts';
import type { Services } from './services.ts';
import { series } from '../model/compose-rich-text.ts';
import { typedCode } from '../text/quoted-words.ts';
import { readLanguages, splitTyped } from '../text/typed-lists.ts';

/** More translations of one text than this nobody reads. */
export const MOST_LANGUAGES = 10;

/** Codes under other names in lists: beside Traditional Chinese, Chinese is called Simplified. */
const LISTED_AS: Readonly<Record<string, string>> = { zh: 'zh-Hans' };

/** A language as people choose it from a list: its name, what it calls itself, its code. */
export const languageLabel = (code: string, locale: string, { languages }: Services): string => {
  const listed = LISTED_AS[code] ?? code;
  const [name, own] = [languages.name(listed, locale), languages.name(listed, listed)];
  return `${own.toLowerCase() === name.toLowerCase() ? name : `${name} · ${own}`} (${code})`;
};

/** Completes a language by its name or code. */
export const completeLanguage: Complete = (typed, { services, locale, most }) =>
  services.languages
    .search(typed, locale)
    .slice(0, most)
    .map(({ code }) => ({ value: code, label: languageLabel(code, locale, services) }));

/** The code of the language that a person typed, or an error that names it. */
export const typedLanguage = (typed: string, services: Services): string => {
  const code = services.languages.find(typed);
  if (code === undefined)
    throw userError('bad-input', 'errors.unknown-language', { language: typedCode(typed) });
  return code;
};

/** The codes of a typed list of 1 to `MOST_LANGUAGES`, or an error that says what is wrong with it. */
export const typedLanguages = (typed: string, services: Services): readonly string[] => {
  const { languages, unknown } = readLanguages(typed, services.languages);
  if (unknown.length > 0)
    throw userError('bad-input', 'autotranslate.unknown-languages', {
      languages: series(
        unknown.slice(0, MOST_LANGUAGES).map((name) => typedCode(name)),
        ', ',
      ),
      count: unknown.length,
    });
  if (languages.length === 0 || languages.length > MOST_LANGUAGES)
    throw userError('bad-input', 'autotranslate.how-many-languages', { most: MOST_LANGUAGES });
  return languages;
};

/** Offers the whole list with the language that is being typed completed. */
export const completeLanguages: Complete = (typed, { services, locale, most }) => {
  const ways = splitTyped(typed).map(({ before, last }) => ({
    known: readLanguages(before, services.languages).languages,
    found: services.languages.search(last, locale),
  }));
  const { known, found } = ways.find((way) => way.found.length > 0) ?? { known: [], found: [] };
  const before = known.map((code) => services.languages.name(code, locale));
  return found
    .filter(({ code }) => !known.includes(code))
    .slice(0, most)
    .map(({ code }) => ({
      value: [...known, code].join(', '),
      label: [...before, languageLabel(code, locale, services)].join(', '),
    }));
};
