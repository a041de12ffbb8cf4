import { patternOf, perKey, wordsOf } from './language-words.ts';

const BEFORE: Readonly<Record<string, string>> = {
  '#': String.raw`(?<=\d(?:st|nd|rd|th|er|e|[.º])? )`,
  '@': String.raw`(?<=(?<!\p{L})\p{Lu}\p{L}{0,30} )`,
};
const AFTER: Readonly<Record<string, string>> = {
  '#': String.raw`(?= ?\d)`,
  '@': String.raw`(?= ?\p{Lu})`,
};

/** All abbreviations of a language as one pattern, with a group for each; spaces within may be left out. */
const abbreviationsFor = perKey((locale) => {
  const entries = Object.entries(wordsOf(locale, 'abbreviations'));
  const groups = entries.map(([written]) => {
    const [, before = '', text = '', after = ''] =
      /^(?:([#@]) )?(.*?)(?: ([#@]))?$/u.exec(written) ?? [];
    const source = patternOf(text).replaceAll(' ', String.raw`[ \u00A0]?`);
    return `(${BEFORE[before] ?? ''}${source}${AFTER[after] ?? ''})`;
  });
  return {
    pattern: new RegExp(String.raw`(?<![\p{L}\d.])(?:${groups.join('|')})(?!\p{L})`, 'gu'),
    words: entries.map(([, word]) => word),
  };
});

/** Writes out abbreviations that the voices of a language spell. */
export const spokenAbbreviations = (text: string, locale: string): string => {
  const { pattern, words } = abbreviationsFor(locale);
  if (words.length === 0) return text;
  return text.replaceAll(
    pattern,
    (written, ...found: (string | undefined)[]) =>
      words[found.findIndex((group) => group !== undefined)] ?? written,
  );
};
