import { lastGraphemeEnd } from './cut.ts';

/**
 * Shortens a text to at most `units` UTF-16 units; a longer one ends with `…` after a whole
 * grapheme.
 */
export const shorten = (text: string, units: number): string => {
  if (text.length <= units) return text;
  const end = Math.max(0, lastGraphemeEnd(text, 0, units - 1));
  return `${text.slice(0, end).trimEnd()}…`;
};
