/**
 * Letters that languages need for what takes English one, roughly: of the same text, in its usual
 * translations. Languages that are not named need about as many.
 */
const DENSITIES: Readonly<Record<string, number>> = {
  zh: 0.33,
  yue: 0.33,
  wuu: 0.33,
  ja: 0.45,
  ko: 0.5,
  th: 0.85,
  he: 0.8,
  ar: 0.85,
};
/** Longer translations than this many times the usual length are none. */
const TIMES = 4;
/** Short words may become whole sentences: "brb". */
const SPARE_CHARS = 120;

const densityOf = (language: string): number =>
  DENSITIES[language.toLowerCase().split('-')[0] ?? ''] ?? 1;

/** The most UTF-16 units that a translation of a text can have. */
export const longestTranslation = (source: string, from: string, to: string): number =>
  Math.ceil(((TIMES * densityOf(to)) / densityOf(from)) * source.length) + SPARE_CHARS;

/** Letters a second of the fastest speech, with room for spelt numbers. */
const LETTERS_PER_S = 50;

/** True for a text that nobody can have said in this time. */
export const isTooLongToSay = (text: string, durationMs: number): boolean =>
  text.length > SPARE_CHARS + (LETTERS_PER_S * durationMs) / 1_000;
