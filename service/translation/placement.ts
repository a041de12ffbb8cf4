import { foldText } from '../../src/text/terms/fold.ts';
import type { FoundRanges, Markup, Range } from './markup.ts';
import type { Slot } from './slots.ts';

/** A translated text in parts: words, and slots in their new places. */
export type Placed = readonly (string | Slot)[];

interface Place extends Range {
  readonly slot: number;
  /** Order of what stands at the same offset. */
  readonly order: number;
}

const CLOSES = 0;
const STANDS_BEFORE = 1;
const OPENS = 2;
const STANDS = 3;

const edge = /[\p{L}\p{N}]/u;
const blank = /[\s,;:.!?]/;

/** A range without spaces and punctuation at its ends; all of it where it holds nothing else. */
const trimmed = (text: string, range: Range): Range => {
  let { start, end } = range;
  while (end > start && blank.test(text[end - 1] ?? '')) end -= 1;
  if (end === start) return range;
  while (blank.test(text[start] ?? '')) start += 1;
  return { start, end };
};

const isWholeWord = (text: string, start: number, end: number): boolean =>
  !edge.test(text[start - 1] ?? '') && !edge.test(text[end] ?? '');

/** The place of a word within a range; case, and the form of its letters, do not count. */
const findWord = (text: string, { start, end }: Range, word: string): Range | undefined => {
  const sought = foldText(word).text;
  if (sought === '') return undefined;
  const within = foldText(text.slice(start, end));
  for (let at = within.text.indexOf(sought); at >= 0; at = within.text.indexOf(sought, at + 1)) {
    const [from, to] = [within.sourceOf(at), within.sourceOf(at + sought.length)];
    if (from >= 0 && to >= 0 && isWholeWord(text, start + from, start + to))
      return { start: start + from, end: start + to };
  }
  return undefined;
};

/**
 * The range that stands for a slot's word: one of its forms within what the engine found, or all of
 * that where it is one word.
 */
const wordRange = (
  text: string,
  ranges: readonly Range[],
  forms: readonly string[],
): Range | undefined => {
  for (const form of forms) {
    const found = ranges.flatMap((range) => findWord(text, range, form) ?? []);
    if (found.length === 1) return found[0];
  }
  const whole = ranges.length === 1 && ranges[0] ? trimmed(text, ranges[0]) : undefined;
  return whole && !/\s/.test(text.slice(whole.start, whole.end)) ? whole : undefined;
};

const copyRange = (text: string, copy: string): Range | undefined => {
  const range = { start: 0, end: text.length };
  const found = findWord(text, range, copy);
  const isOnce = found && !findWord(text, { ...range, start: found.end }, copy);
  return isOnce ? found : undefined;
};

/** The range from the first to the last words that came of a part. */
const partRange = (text: string, ranges: readonly Range[] = []): Range | undefined => {
  const [first, last] = [ranges[0], ranges.at(-1)];
  return first && last && trimmed(text, { start: first.start, end: last.end });
};

/** The places of what has a word or is a hole, then of what begins or ends a part. */
const placesOf = (
  { slots, parts, copies }: Markup,
  found: FoundRanges,
  forms: ReadonlyMap<number, string>,
): readonly Place[] => {
  const { text, words, holes } = found;
  const ranges = parts.map((_, part) => partRange(text, found.parts.get(part)));
  return slots.flatMap((slot, place): readonly Place[] => {
    const hole = holes.get(place);
    if (hole)
      return [
        {
          slot: place,
          start: hole.at,
          end: hole.at,
          order: hole.isWithin ? STANDS : STANDS_BEFORE,
        },
      ];
    const copy = copies.get(place);
    if (slot.word !== undefined) {
      const range =
        copy === undefined
          ? wordRange(text, words.get(place) ?? [], [slot.word, forms.get(place) ?? slot.word])
          : copyRange(text, copy);
      return range ? [{ slot: place, ...range, order: STANDS }] : [];
    }
    const ends = parts.flatMap(({ close }, part) => (close === place ? [ranges[part]] : []));
    const begins = parts.flatMap(({ open }, part) => (open === place ? [ranges[part]] : []));
    if ([...ends, ...begins].includes(undefined)) return [];
    const end = Math.max(...ends.map((range) => range?.end ?? 0));
    const start = Math.min(...begins.map((range) => range?.start ?? 0));
    return ends.length > 0
      ? [{ slot: place, start: end, end, order: CLOSES }]
      : [{ slot: place, start, end: start, order: OPENS }];
  });
};

/** Moves what would stand within a word's range to its end, or its beginning for what begins there. */
const outsideWords = (places: readonly Place[]): readonly Place[] => {
  const ranges = places.filter(({ start, end }) => end > start);
  return places.map((place) => {
    if (place.end > place.start) return place;
    const around = ranges.find(({ start, end }) => place.start > start && place.start < end);
    if (!around) return place;
    const at = place.order === OPENS ? around.start : around.end;
    return { ...place, start: at, end: at };
  });
};

/**
 * Puts slots into a translation, where their words or copies stand.
 *
 * @param forms translations of slots' words, by the places of the slots
 * @returns with the places of slots that could not be put anywhere
 */
export const place = (
  markup: Markup,
  found: FoundRanges,
  forms: ReadonlyMap<number, string> = new Map(),
): { readonly placed: Placed; readonly missing: readonly number[] } => {
  const places = outsideWords(placesOf(markup, found, forms)).toSorted(
    (a, b) => a.start - b.start || a.order - b.order || a.slot - b.slot,
  );
  const placed: (string | Slot)[] = [];
  const missing = new Set(markup.slots.keys());
  let from = 0;
  for (const { start, end, slot } of places) {
    // Two slots of the same words: the second has none of its own.
    if (start < from) continue;
    placed.push(found.text.slice(from, start));
    const isSpaced = markup.spaced.has(slot);
    if (isSpaced && edge.test(found.text[start - 1] ?? '')) placed.push(' ');
    placed.push(markup.slots[slot]!);
    if (isSpaced && edge.test(found.text[end] ?? '')) placed.push(' ');
    missing.delete(slot);
    from = end;
  }
  placed.push(found.text.slice(from));
  return { placed: placed.filter((part) => part !== ''), missing: [...missing] };
};
