import type { RichText } from '../../rich-text/rich-text.ts';
import { PLAIN_LINE, toPieces, type Line } from '../../rich-text/pieces/pieces.ts';
import { TreeBuilder } from '../../rich-text/pieces/tree-builder.ts';
import { isBlank } from '../unicode.ts';
import { bestCut, lastGraphemeEnd, splitsPair, type Measure } from './split.ts';
import {
  codePart,
  isLongCode,
  layOut,
  textUnits,
  type Extent,
  type PlacedPiece,
  type WriteTree,
  type SplitLayout,
} from './split-layout.ts';

export interface SplitOptions {
  /** Writes a tree as the platform does. */
  readonly render: WriteTree;
  /** Largest measure of a written piece; 200 or more: below, markup alone may fill it. */
  readonly limit: number;
  /** Measures a written text; it must not shrink when the text grows. Default: UTF-16 units. */
  readonly measure?: Measure;
  readonly firstRoom?: number;
  /** Room kept free in the last piece. */
  readonly lastRoom?: number;
}

export interface SplitPiece {
  readonly tree: RichText;
  readonly written: string;
}

/** A place of the layout, with the pairs that are open there. */
interface Place {
  readonly at: number;
  /** Index of the first item that ends after it. */
  readonly index: number;
  /** Open pairs, the outermost first. */
  readonly open: readonly number[];
  /** The line that contains the place. */
  readonly line: Line;
}

/** Room for the markup around one piece: all styles at once, a quote and a fence. */
const MARKUP_UNITS = 90;
/** Largest rest, in pieces' room, that is tried as one piece. */
const TRIED_ROOMS = 1.2;
const space = /\s/;
const units = (written: string): number => written.length;

/** The index of the last extent that begins before `at`, or -1. */
const lastBefore = (extents: readonly Extent[], at: number): number => {
  let low = 0;
  let high = extents.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((extents[middle]?.start ?? at) < at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
};

const continued = (line: Line): Line =>
  line.kind === 'item' ? { ...line, continues: true } : line;

class Splitter {
  readonly #layout: SplitLayout;
  readonly #shape: string;
  readonly #render: WriteTree;
  readonly #measure: Measure;

  constructor(layout: SplitLayout, render: WriteTree, measure: Measure) {
    this.#layout = layout;
    this.#shape = layout.shape;
    this.#render = render;
    this.#measure = measure;
  }

  /** The longest good piece from a place, and the place after it. */
  take(from: Place, room: number, lastRoom: number): { piece: SplitPiece; next: Place } {
    const { length } = this.#shape;
    let end = Math.min(length, from.at + room);
    if (length - from.at <= room * TRIED_ROOMS) {
      const rest = this.#slice(from, length);
      if (this.#measure(rest.piece.written) <= room - lastRoom) return rest;
      end = Math.min(end, length - 1);
    }
    for (let tries = 1; ; tries += 1) {
      const to = this.#cut(from, Math.max(end, from.at + 1));
      const { piece, next } = this.#slice(from, to);
      const size = this.#measure(piece.written);
      const over = size - (next.at >= this.#layout.shownEnd ? room - lastRoom : room);
      if (over <= 0) return { piece, next };
      const part = Math.ceil(((to - from.at) * over * tries) / size);
      end = Math.min(to, end) - Math.max(1, part);
      if (end <= from.at) {
        if (to <= from.at + 1 || tries > MARKUP_UNITS) return { piece, next };
        end = from.at + 1;
      }
    }
  }

  /** The pieces between two places, with the open pairs opened again. */
  #slice(from: Place, to: number): { piece: SplitPiece; next: Place } {
    const { items, pairs } = this.#layout;
    const builder = new TreeBuilder(pairs);
    if (from.line !== PLAIN_LINE) builder.line(continued(from.line));
    for (const pair of from.open) builder.open(pair);
    let { open, line, index } = from;
    for (; index < items.length; index += 1) {
      const item = items[index] as PlacedPiece;
      if (item.start >= to) break;
      const { piece, start, end } = item;
      const [first, last] = [Math.max(from.at, start) - start, Math.min(to, end) - start];
      if (piece.kind === 'text') {
        const written = piece.text.slice(first, last);
        builder.text(end < to ? written : written.trimEnd());
        if (written.includes('\n')) line = PLAIN_LINE;
      } else if (isLongCode(item)) builder.piece(codePart(piece, first, last));
      else builder.piece(piece);
      if (piece.kind === 'line') ({ line } = piece);
      else if (piece.kind === 'open') open = [...open, piece.pair];
      else if (piece.kind === 'close') open = open.filter((pair) => pair !== piece.pair);
      if (end > to) break;
    }
    const tree = builder.build();
    const next = this.#skip({ at: to, index, open, line });
    return { piece: { tree, written: this.#render(tree) }, next };
  }

  /** The place where the next piece begins, after closing pieces and white space. */
  #skip(from: Place): Place {
    const { items } = this.#layout;
    let { at, index, open, line } = from;
    for (let item = items[index]; item; item = items[index]) {
      const { piece, start, end } = item;
      if (piece.kind === 'close' && at <= start) {
        at = end;
        open = open.filter((pair) => pair !== piece.pair);
      } else if (piece.kind === 'text' || (isLongCode(item) && at > start)) {
        const to = this.#spaceEnd(item, Math.max(at, start));
        if (piece.kind === 'text' && this.#shape.slice(at, to).includes('\n')) line = PLAIN_LINE;
        at = to;
        if (to < end) break;
      } else break;
      index += 1;
    }
    return { at, index, open, line };
  }

  /**
   * The end of the space to drop after a cut; of code only the break, and blank text up to the
   * code's end.
   */
  #spaceEnd({ piece, end }: PlacedPiece, from: number): number {
    let at = from;
    while (at < end && space.test(this.#shape[at] ?? '')) at += 1;
    if (piece.kind === 'text' || at === end) return at;
    const breaks = this.#shape[from - 1] !== '\n' && this.#shape[from] === '\n';
    return breaks ? from + 1 : from;
  }

  /** The best place to cut at or before `end`. */
  #cut({ at: start, index }: Place, end: number): number {
    let cut = bestCut(this.#shape, start, end);
    for (let moved = this.#movedOut(cut, start); moved !== cut;) {
      cut = moved;
      moved = this.#movedOut(cut, start);
    }
    return cut > start ? cut : this.#forced(start, index, end);
  }

  /** The place to cut where a single thing is longer than a piece. */
  #forced(start: number, index: number, end: number): number {
    const { items, whole } = this.#layout;
    let at = index;
    while (items[at]?.piece.kind === 'open' || items[at]?.piece.kind === 'line') at += 1;
    const item = items[at];
    if (!item) return this.#shape.length;
    const from = Math.max(start, item.start);
    const around = whole[lastBefore(whole, from + 1)];
    if (around && around.end > from) return around.end;
    if (item.piece.kind !== 'text' && !isLongCode(item)) return item.end;
    const last = Math.min(item.end, Math.max(end, from + 1));
    const cut = lastGraphemeEnd(this.#shape, from, last);
    if (cut > from) return cut;
    return splitsPair(this.#shape, last) ? last + 1 : last;
  }

  /** Moves a cut one step out of an extent that must not be cut; never before `start`. */
  #movedOut(cut: number, start: number): number {
    if (cut <= start) return start;
    const { items, whole } = this.#layout;
    const around = whole[lastBefore(whole, cut)];
    if (around && cut < around.end) return Math.max(start, around.start);
    const item = items[lastBefore(items, cut)];
    if (!item || item.piece.kind === 'text' || isLongCode(item)) return cut;
    const isBeginning = item.piece.kind === 'open' || item.piece.kind === 'line';
    return cut < item.end || (isBeginning && cut === item.end) ? Math.max(start, item.start) : cut;
  }
}

/**
 * Yields the pieces of `splitRichText`: after one pass over the whole tree each takes time by the
 * limit.
 */
export const richTextPieces = function* (
  tree: RichText,
  { render, limit, measure = units, firstRoom = 0, lastRoom = 0 }: SplitOptions,
): Generator<SplitPiece, void, void> {
  const pieces = toPieces(tree);
  if (textUnits(pieces.pieces) <= limit) {
    const written = render(tree);
    if (isBlank(written)) return;
    if (measure(written) <= limit - firstRoom - lastRoom) {
      yield { tree, written };
      return;
    }
  }
  const longest = Math.max(1, limit - Math.max(firstRoom, lastRoom) - MARKUP_UNITS);
  const layout = layOut(pieces, render, measure, longest);
  const splitter = new Splitter(layout, render, measure);
  let from: Place = { at: 0, index: 0, open: [], line: PLAIN_LINE };
  let isFirst = true;
  while (from.at < layout.shownEnd) {
    const { piece, next } = splitter.take(from, isFirst ? limit - firstRoom : limit, lastRoom);
    if (!isBlank(piece.written)) {
      isFirst = false;
      yield piece;
    }
    from = next;
  }
};

/**
 * Cuts a tree in canonical form into pieces that measure at most `limit` when written. Cuts are
 * where `splitText` makes them, but never inside a link, an address, a mention, an emoji or code
 * that fits in a piece. Pairs open at a cut (styles, spoilers, quotes, a heading, longer code with
 * its language) are opened again in the next piece; the rest of a list item becomes a paragraph
 * there. White space around cuts is dropped, except in code. Only a single thing longer than a
 * piece is cut through; a link of that length is split into label and address.
 *
 * @returns pieces that show something; none for a blank tree
 */
export const splitRichText = (tree: RichText, options: SplitOptions): SplitPiece[] => [
  ...richTextPieces(tree, options),
];
