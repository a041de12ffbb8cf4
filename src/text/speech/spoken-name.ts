import { withoutEmoji } from '../plain-spans.ts';
import { plainLetters } from './plain-letters.ts';

const LONGEST_CODE_POINTS = 40;
const letters = /\p{L}/u;

/** Replacements that make a name readable, in this order. */
const CLEANED: readonly (readonly [RegExp, string])[] = [
  // Combining strokes, and more marks than any script needs, are ornament.
  [/[\u0334-\u0338]/g, ''],
  [/(\p{M}{2})\p{M}+/gu, '$1'],
  [/[^\p{L}\p{M}\p{N}'’. -]+/gu, ' '],
  // As in `xX name Xx`.
  [/^\s*x+ (.*) x+\s*$/giu, '$1'],
  [/(\p{Ll})(?=\p{Lu})/gu, '$1 '],
  [/(\p{L})\1{3,}/giu, '$1$1'],
  [/[.'’-]{2,}|(?<![\p{L}\p{N}])[.'’-]+|[.'’-]+(?![\p{L}\p{N}])/gu, ' '],
  [/\s+/gu, ' '],
];
const digitRuns = /\p{N}{3,}/gu;

/**
 * A person's name for a voice to read: plain letters instead of fancy ones, no emoji, symbols or
 * runs of digits, at most 40 code points; '' where nothing is left.
 */
export const spokenName = (name: string): string => {
  const start = Array.from(name.toWellFormed())
    .slice(0, LONGEST_CODE_POINTS * 4)
    .join('');
  let spoken = withoutEmoji(plainLetters(start).normalize('NFKC'));
  if (letters.test(spoken)) spoken = spoken.replaceAll(digitRuns, ' ');
  else if (spoken.replaceAll(/\P{N}/gu, '').length > 4) return '';
  for (const [pattern, replacement] of CLEANED) spoken = spoken.replaceAll(pattern, replacement);
  return Array.from(spoken).slice(0, LONGEST_CODE_POINTS).join('').trim();
};
