import type { TokenMeanings } from '../../src/text/protect/meanings.ts';
import { numberIn } from '../../src/text/protect/read-tokens.ts';
import { findRanges, markUp, type WordRun } from './markup.ts';
import { place, type Placed } from './placement.ts';
import { restoreSigns, toPlainSigns } from './signs.ts';
import { divideAtSlots, type TextPart, TOKEN } from './slots.ts';

/** Translation by an engine that can say which words came of which. */
export interface LineTranslator {
  /** Translates words without any slot. */
  readonly words: (texts: readonly string[]) => Promise<readonly string[]>;
  /** Translates runs, and finds their words and parts again. Without it, words can only be copied. */
  readonly runs?: (runs: readonly WordRun[]) => Promise<readonly WordRun[]>;
  /** True for a text of which the engine reads every character. */
  readonly reads: (text: string) => boolean;
}

const isSlot = (segment: TextPart): boolean => typeof segment !== 'string';
const isBlank = (segment: TextPart): boolean =>
  typeof segment === 'string' && segment.trim() === '';
/** True for what a sentence has no need of. */
const isHole = (segment: TextPart): boolean =>
  typeof segment !== 'string' && segment.word === undefined && !segment.opens && !segment.closes;

const isInner = (segment: TextPart): boolean => !isHole(segment) && !isBlank(segment);

/** White space at the ends of a text stays there, whatever an engine does with it. */
const blankStartOf = (segment: TextPart | undefined): string =>
  typeof segment === 'string' ? segment.slice(0, segment.length - segment.trimStart().length) : '';
const blankEndOf = (segment: TextPart | undefined): string =>
  typeof segment === 'string' ? segment.slice(segment.trimEnd().length) : '';

const written = (segments: Placed): string =>
  segments.map((segment) => (typeof segment === 'string' ? segment : segment.written)).join('');

/** Translates the words between slots one by one: what is left where an engine loses slots. */
const translateBetween = async (
  segments: readonly TextPart[],
  { words: translate }: LineTranslator,
): Promise<Placed> => {
  const words = segments.filter(
    (segment) => typeof segment === 'string' && segment.trim() !== '',
  ) as string[];
  const translated = await translate(words.map((each) => each.trim()));
  return segments.map((segment) => {
    if (typeof segment !== 'string') return segment;
    const found = translated[words.indexOf(segment)];
    return found === undefined ? segment : segment.replace(segment.trim(), () => found.trim());
  });
};

/** Translates words with slots, some of them as words that the engine copies. */
const translateCopied = async (
  segments: readonly TextPart[],
  copiedSlots: ReadonlySet<number>,
  translator: LineTranslator,
): Promise<Placed> => {
  const markup = markUp(segments, copiedSlots);
  const asText = async (runs: readonly WordRun[]): Promise<readonly WordRun[]> => {
    const [text = ''] = await translator.words([runs.map((run) => run.text).join('')]);
    return [{ text, parts: [] }];
  };
  const { runs = asText } = translator;
  const { placed, missing } = place(markup, findRanges(await runs(markup.runs)));
  return missing.length === 0 ? placed : translateBetween(segments, translator);
};

/** The word of a slot without one; a copy stands in its place. */
const SOME_WORD = 'X';

/** Translates words with slots by an engine that finds no words again. */
const translateCopying = (
  segments: readonly TextPart[],
  translator: LineTranslator,
): Promise<Placed> => {
  const worded = segments.map((segment) =>
    typeof segment !== 'string' && isHole(segment) ? { ...segment, word: SOME_WORD } : segment,
  );
  const slots = worded.filter((segment) => typeof segment !== 'string');
  // What begins and ends parts stands at no word.
  return slots.every(({ word }) => word !== undefined)
    ? translateCopied(worded, new Set(slots.keys()), translator)
    : translateBetween(segments, translator);
};

/** Translates words with slots: as runs, then those that get lost as words that the engine copies. */
const translateAround = async (
  segments: readonly TextPart[],
  translator: LineTranslator,
): Promise<Placed> => {
  const { runs } = translator;
  if (!runs) return translateCopying(segments, translator);
  const markup = markUp(segments);
  const found = findRanges(await runs(markup.runs));
  const { placed, missing } = place(markup, found);
  if (missing.length === 0) return placed;
  const unclear = missing.filter((slot) => found.words.has(slot));
  if (unclear.length > 0) {
    const forms = await translator.words(unclear.map((slot) => markup.slots[slot]?.word ?? ''));
    const known = new Map(unclear.map((slot, index) => [slot, forms[index] ?? '']));
    const better = place(markup, found, known);
    if (better.missing.length === 0) return better.placed;
  }
  return translateCopied(segments, new Set(missing), translator);
};

/** Parts words when they are looked at together; no text of the contract holds it. */
const BETWEEN = '\u0000';

const wordsOf = (segments: Placed): string =>
  segments.filter((segment) => typeof segment === 'string').join(BETWEEN);

/** Puts the signs of a source into the words of its translation. */
const withSigns = (source: readonly TextPart[], translated: Placed): Placed => {
  const words = restoreSigns(wordsOf(source), wordsOf(translated)).split(BETWEEN);
  return translated.map((part) => (typeof part === 'string' ? (words.shift() ?? part) : part));
};

const translateLine = async (
  text: string,
  tokens: TokenMeanings,
  translator: LineTranslator,
): Promise<string> => {
  const { reads } = translator;
  const segments = divideAtSlots(text, tokens, reads);
  const start = segments.findIndex(isInner);
  if (start < 0) return text;
  const end = segments.findLastIndex(isInner) + 1;
  const inner = segments.slice(start, end);
  const before = blankStartOf(inner[0]);
  const after = blankEndOf(inner.at(-1));
  const plain = inner.map((segment, index) => {
    if (typeof segment !== 'string') return segment;
    const words = index === 0 ? segment.trimStart() : segment;
    return toPlainSigns(index === inner.length - 1 ? words.trimEnd() : words, reads);
  });
  const translated = inner.some(isSlot)
    ? await translateAround(plain, translator)
    : await translator.words([written(plain)]);
  return written([
    ...segments.slice(0, start),
    before,
    ...withSigns(inner, translated),
    after,
    ...segments.slice(end),
  ]);
};

/** Cuts a line at the tokens with which parts of it begin or end. */
const cutAtParts = (line: string, tokens: TokenMeanings): readonly string[] => {
  const pieces = [''];
  for (const piece of line.split(TOKEN)) {
    const { opens = 0, closes = 0 } = tokens.get(numberIn(piece) ?? 0) ?? {};
    if (opens + closes > 0) pieces.push(piece, '');
    else pieces[pieces.length - 1] += piece;
  }
  return pieces.filter((piece) => piece !== '');
};

/**
 * Translates a line: each token, and each word in characters that the engine cannot read, stays. One that finds no
 * words again translates what stands between styles apart.
 */
export const translateWithSlots = async (
  text: string,
  tokens: TokenMeanings,
  translator: LineTranslator,
): Promise<string> => {
  const pieces = translator.runs ? [text] : cutAtParts(text, tokens);
  const made = pieces.map((piece) => translateLine(piece, tokens, translator));
  return (await Promise.all(made)).join('');
};
