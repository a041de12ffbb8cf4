import { languageName, languageOf } from '../text/language/language-names.ts';
import { rankLanguages } from '../text/language/detect.ts';
import { NO_LANGUAGE } from '../text/language/features.ts';
import { perKey, wordsOf } from '../text/speech/language-words.ts';

/** A part of a text that one voice can read. */
export interface Passage {
  readonly text: string;
  /** The likeliest language, where a voice of the text's language cannot read its letters. */
  readonly language?: string;
}

/** Scripts of the writing systems that use several, by their codes in ISO 15924. */
const WRITTEN_WITH: Readonly<Record<string, readonly string[]>> = {
  Jpan: ['Hira', 'Kana', 'Hani'],
  Kore: ['Hang', 'Hani'],
  Hans: ['Hani', 'Bopo'],
  Hant: ['Hani', 'Bopo'],
};

const scriptsOf = (locale: string): readonly string[] => {
  try {
    const { script = 'Latn' } = new Intl.Locale(locale).maximize();
    return WRITTEN_WITH[script] ?? [script];
  } catch {
    return [];
  }
};

/** Letters that voices of a language cannot read: all read Latin ones. */
const otherLettersFor = perKey((locale) => {
  const read = ['Latn', ...scriptsOf(locale), 'Zyyy', 'Zinh'].map((code) => `\\p{sc=${code}}`);
  const letter = String.raw`[^\P{L}${read.join('')}]`;
  return {
    passage: new RegExp(String.raw`${letter}(?:(?:[^\p{L}\n]|ー)*${letter})*[\p{M}ー]*`, 'gu'),
    // A single letter may be a face or a sign of mathematics.
    word: new RegExp(String.raw`${letter}\p{M}*${letter}|[\p{sc=Hani}\p{sc=Hang}]`, 'u'),
  };
});

/** Splits a text where it changes between scripts that voices of its language can read and others. */
export const passagesOf = (text: string, locale: string | undefined): readonly Passage[] => {
  if (locale === undefined) return [{ text }];
  const { passage, word } = otherLettersFor(locale);
  const passages: Passage[] = [];
  let from = 0;
  for (const { 0: found, index } of text.matchAll(passage)) {
    const best = word.test(found)
      ? rankLanguages(found).find(({ language }) => language !== NO_LANGUAGE)
      : undefined;
    if (!best || languageOf(best.language) === languageOf(locale)) continue;
    if (index > from) passages.push({ text: text.slice(from, index) });
    passages.push({ text: found, language: best.language });
    from = index + found.length;
  }
  if (from < text.length) passages.push({ text: text.slice(from) });
  return passages;
};

/** The words for a text that no voice can read: the language that it is in. */
export const textIn = (language: string, locale: string | undefined): string => {
  const name = languageName(language, locale ?? 'en');
  return wordsOf(locale, 'words')['textIn']?.replace('#', name) ?? name;
};

/** A text for one voice: passages in letters that it cannot read are named instead. */
export const readableIn = (
  text: string,
  locale: string | undefined,
  speaks: (language: string) => boolean,
): string =>
  passagesOf(text, locale)
    .map((passage) =>
      passage.language === undefined || speaks(passage.language)
        ? passage.text
        : textIn(passage.language, locale),
    )
    .join('');
