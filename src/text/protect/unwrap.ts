const FENCE = /^\s*(`{3,})[^\S\n]*[\w+-]*[^\S\n]*\n([^]*?)\s*\1\s*$/;
const CODE = /^\s*(`{1,3})([^`]+)\1\s*$/;
const OPENING = /^\s*(?:`{3,}(?:[^\S\n]*[\w+-]*[^\S\n]*\n)?|`{1,2})(?!`)/;

const isWrapped = (source: string): boolean => source.trimStart().startsWith('`');

/** Removes the backticks or the fence around a whole reply, which models add and no source has. */
export const unwrapped = (source: string, translated: string): string =>
  isWrapped(source)
    ? translated
    : (FENCE.exec(translated)?.[2] ?? CODE.exec(translated)?.[2] ?? translated);

/** Removes them from the beginning of a reply that is still growing. */
export const unwrappedBeginning = (source: string, partial: string): string =>
  isWrapped(source) ? partial : partial.replace(OPENING, '');
