/**
 * WORD JOINER: drawn as nothing. Renderers put it where two markers, or a word and a marker, would
 * otherwise be read as something else; parsers take it out again, so a tree never holds one.
 */
export const SEPARATOR = '\u2060';

export const withoutSeparators = (text: string): string =>
  text.includes(SEPARATOR) ? text.replaceAll(SEPARATOR, '') : text;
