import { languageOf } from './spoken-language.ts';

/** Abbreviations that voices spell; with `#` they need a number after them, with `@` a name. */
const ABBREVIATIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  en: { 'No. #': 'number', 'e.g.': 'for example', 'i.e.': 'that is', 'vs.': 'versus' },
  de: {
    'Nr. #': 'Nummer',
    'z. B.': 'zum Beispiel',
    'd. h.': 'das heißt',
    'u. a.': 'unter anderem',
    'bzw.': 'beziehungsweise',
    'usw.': 'und so weiter',
    'ca.': 'circa',
    'ggf.': 'gegebenenfalls',
    'Dr. @': 'Doktor',
    'S. #': 'Seite',
  },
  fr: {
    'M. @': 'monsieur',
    'Mme @': 'madame',
    'n° #': 'numéro',
    'p. #': 'page',
    'Dr @': 'docteur',
  },
  es: {
    'n.º #': 'número',
    'n.° #': 'número',
    'EE. UU.': 'Estados Unidos',
    'Sr. @': 'señor',
    'Sra. @': 'señora',
    'pág. #': 'página',
    'p. ej.': 'por ejemplo',
  },
  pt: { 'n.º #': 'número', 'Sr. @': 'senhor', 'Sra. @': 'senhora', 'pág. #': 'página' },
  it: { 'n. #': 'numero', 'pag. #': 'pagina', 'sig. @': 'signor', 'dott. @': 'dottor' },
  nl: {
    'nr. #': 'nummer',
    'bijv.': 'bijvoorbeeld',
    'd.w.z.': 'dat wil zeggen',
    'blz. #': 'bladzijde',
  },
  pl: {
    'godz. #': 'godzina',
    'nr #': 'numer',
    'ul. @': 'ulica',
    'np.': 'na przykład',
    'itd.': 'i tak dalej',
    'str. #': 'strona',
  },
  ru: {
    'стр. #': 'страница',
    'ул. @': 'улица',
    'т. е.': 'то есть',
    'и т. д.': 'и так далее',
    'тел. #': 'телефон',
  },
};

const AFTER: Readonly<Record<string, string>> = { '#': '(?= ?\\d)', '@': '(?= ?\\p{Lu})' };

/** An abbreviation as a pattern: white space within it may be left out, and one after it is kept. */
const patternOf = (written: string): RegExp => {
  const [, text = written, mark = ''] = /^(.*?)(?: ([#@]))?$/u.exec(written) ?? [];
  const source = text.replaceAll('.', '\\.').replaceAll(' ', '[ \\u00A0]?');
  return new RegExp(`(?<![\\p{L}\\d.])${source}(?![\\p{L}])${AFTER[mark] ?? ''}`, 'gu');
};

const PATTERNS = new Map(
  Object.entries(ABBREVIATIONS).map(([language, words]) => [
    language,
    Object.entries(words).map(([written, word]) => [patternOf(written), word] as const),
  ]),
);

/** Writes out abbreviations that the voices of a language spell. */
export const spokenAbbreviations = (text: string, locale: string): string => {
  let spoken = text;
  for (const [pattern, word] of PATTERNS.get(languageOf(locale)) ?? [])
    spoken = spoken.replaceAll(pattern, word);
  return spoken;
};
