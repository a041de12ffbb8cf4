import type { TextPart, Slot } from './slots.ts';

/** A part of a text between two slots, by their places in the list of slots. */
interface Part {
  readonly open: number;
  readonly close: number;
}

/** A stretch of a text that an engine translates, with what it must find again in the translation. */
export interface WordRun {
  readonly text: string;
  /** The place of the slot whose word it is. */
  readonly word?: number | undefined;
  /** The place of a slot that the engine carries along unread; there is no text then. */
  readonly hole?: number | undefined;
  /** The parts that it belongs to, by their places in `Markup.parts`, the outermost first. */
  readonly parts: readonly number[];
}

/** A text as an engine gets it that finds the words of its translation by those of the source. */
export interface Markup {
  readonly runs: readonly WordRun[];
  readonly slots: readonly Slot[];
  readonly parts: readonly Part[];
  /** Words by the places of slots that the engine is expected to copy. */
  readonly copies: ReadonlyMap<number, string>;
  /** Places of slots that have spaces on both sides. */
  readonly spaced: ReadonlySet<number>;
}

const endsInSpace = (segment: TextPart | undefined): boolean =>
  typeof segment === 'string' && /\s$/.test(segment);
const beginsWithSpace = (segment: TextPart | undefined): boolean =>
  typeof segment === 'string' && /^\s/.test(segment);

/** Most parts of a line; no person writes more, and they would take memory for each word within. */
const MOST_PARTS = 100;

/** The parts that slots begin and others end, the inner ones first; none where there are too many. */
const partsOf = (slots: readonly Slot[]): readonly Part[] => {
  const parts: Part[] = [];
  const begun: number[] = [];
  for (const [place, { closes = 0, opens = 0 }] of slots.entries()) {
    for (let count = 0; count < closes; count += 1) {
      const open = begun.pop();
      if (open !== undefined) parts.push({ open, close: place });
    }
    for (let count = 0; count < opens; count += 1) begun.push(place);
  }
  return parts.length > MOST_PARTS ? [] : parts;
};

/** Words that stand nowhere in a text, one after another: `X1`, `X2`. */
function* copiesFor(segments: readonly TextPart[]): Generator<string, never> {
  const words = segments.filter((segment) => typeof segment === 'string').join(' ');
  for (let number = 1; ; number += 1) if (!words.includes(`X${number}`)) yield `X${number}`;
}

/**
 * Makes the runs of a text.
 *
 * @param copied places of slots whose words, or whose parts, an engine did not find again
 */
export const markUp = (
  segments: readonly TextPart[],
  copied: ReadonlySet<number> = new Set(),
): Markup => {
  const slots = segments.filter((segment) => typeof segment !== 'string');
  const parts = partsOf(slots).filter(({ open, close }) => !copied.has(open) && !copied.has(close));
  const words = copiesFor(segments);
  const copies = new Map<number, string>();
  const spaced = new Set<number>();
  const runs: WordRun[] = [];
  let within: readonly number[] = [];
  let place = -1;
  for (const [index, segment] of segments.entries()) {
    if (typeof segment === 'string') {
      runs.push({ text: segment, parts: within });
      continue;
    }
    place += 1;
    if (endsInSpace(segments[index - 1]) && beginsWithSpace(segments[index + 1])) spaced.add(place);
    const begins = parts.flatMap(({ open }, part) => (open === place ? [part] : [])).toReversed();
    within = within.filter((part) => parts[part]?.close !== place);
    if (segment.word !== undefined && !copied.has(place))
      runs.push({ text: segment.word, word: place, parts: within });
    else if (segment.word !== undefined) {
      const copy = words.next().value;
      copies.set(place, copy);
      runs.push({ text: copy, parts: within });
    } else if (begins.length === 0 && !parts.some(({ close }) => close === place))
      runs.push({ text: '', hole: place, parts: within });
    within = [...within, ...begins];
  }
  return { runs, slots, parts, copies, spaced };
};

/** A range of a translated text, in UTF-16 offsets. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** A translation with the ranges that an engine found for words and parts. */
export interface FoundRanges {
  readonly text: string;
  readonly words: ReadonlyMap<number, readonly Range[]>;
  readonly parts: ReadonlyMap<number, readonly Range[]>;
  readonly holes: ReadonlyMap<number, { readonly at: number; readonly isWithin: boolean }>;
}

/** Adds a range, or makes the last one longer that ends where it begins. */
const addRange = (
  ranges: Map<number, readonly Range[]>,
  key: number,
  { start, end }: Range,
): void => {
  const known = ranges.get(key) ?? [];
  const last = known.at(-1);
  const isContinued = last?.end === start;
  ranges.set(
    key,
    isContinued ? [...known.slice(0, -1), { start: last.start, end }] : [...known, { start, end }],
  );
};

export const findRanges = (runs: readonly WordRun[]): FoundRanges => {
  const words = new Map<number, readonly Range[]>();
  const parts = new Map<number, readonly Range[]>();
  const holes = new Map<number, { readonly at: number; readonly isWithin: boolean }>();
  let text = '';
  for (const run of runs) {
    const start = text.length;
    text += run.text;
    if (run.hole !== undefined) holes.set(run.hole, { at: start, isWithin: run.parts.length > 0 });
    if (text.length === start) continue;
    const range = { start, end: text.length };
    if (run.word !== undefined) addRange(words, run.word, range);
    for (const part of run.parts) addRange(parts, part, range);
  }
  return { text, words, parts, holes };
};
