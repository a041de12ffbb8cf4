import {
  code,
  codeBlock,
  paragraph,
  quote,
  text,
  type Block,
  type RichText,
} from '../../rich-text/rich-text.ts';
import type { Leaf, Line, Piece, Pieces, PieceOf, Wrapper } from '../../rich-text/pieces/pieces.ts';
import { TreeBuilder } from '../../rich-text/pieces/tree-builder.ts';
import { plainSpans } from '../plain-spans.ts';
import { visibleEnd } from '../unicode.ts';
import type { Measure } from './split.ts';

export type WriteTree = (tree: RichText) => string;

/** A piece and its place in the layout's shape. */
export interface PlacedPiece {
  readonly start: number;
  readonly end: number;
  readonly piece: Piece;
}

export interface Extent {
  readonly start: number;
  readonly end: number;
}

/** A tree in the form in which cuts are searched. */
export type SplitLayout = ReturnType<typeof layOut>;

const nonSpace = /[^\s\uD800-\uDFFF]/g;
const SIGN = 'X';
const LONGEST_MARKER_UNITS = 2;
/** Length of the brackets around an address after its label. */
const LINK_UNITS = 3;
/** Length of an address that fits any limit, however it is escaped. */
const SURELY_FITS = 20;
/** Longest leaf that fits any limit, and so is never cut. */
const LONGEST_ALIKE = 40;

/** The content of a piece of code. */
export const codeOf = (piece: Piece): string | undefined => {
  if (piece.kind === 'block') return piece.block.text;
  return piece.kind === 'leaf' && piece.node.kind === 'code' ? piece.node.text : undefined;
};

export const isLongCode = ({ piece, start, end }: PlacedPiece): boolean => {
  const content = codeOf(piece);
  return content !== undefined && content.length === end - start;
};

/** UTF-16 units of a piece up to its last visible sign; 0 for marks of lines and ends of styles. */
const shownUnits = (item: PlacedPiece, pairs: readonly Wrapper[]): number => {
  const { piece, start, end } = item;
  if (piece.kind === 'text') return visibleEnd(piece.text);
  if (isLongCode(item)) return visibleEnd(codeOf(piece) ?? '');
  if (piece.kind === 'line' || piece.kind === 'open') return 0;
  return piece.kind === 'close' && pairs[piece.pair]?.kind !== 'link' ? 0 : end - start;
};

/** A part of code as a piece of its own. */
export const codePart = (piece: Piece, from: number, to: number): Piece => {
  if (piece.kind === 'block') {
    const { text: content, language, spoiler } = piece.block;
    const block = codeBlock(content.slice(from, to), language, spoiler);
    return { ...piece, block };
  }
  return piece.kind === 'leaf' && piece.node.kind === 'code'
    ? { kind: 'leaf', node: code(piece.node.text.slice(from, to)) as Leaf }
    : piece;
};

const inQuotes = (block: Block, quotes: number): Block =>
  quotes === 0 ? block : quote(inQuotes(block, quotes - 1));

const markOf = (line: Line): string => {
  const quoted = '> '.repeat(line.quotes);
  switch (line.kind) {
    case 'paragraph':
      return quoted;
    case 'subtext':
      return `${quoted}-# `;
    case 'heading':
      return `${quoted}${'#'.repeat(line.level)} `;
    case 'item':
      return line.continues ? quoted : `${quoted}${line.number ?? '-'}${line.number ? '.' : ''} `;
  }
};

const built = (pieces: readonly Piece[], pairs: readonly Wrapper[]): RichText => {
  const builder = new TreeBuilder(pairs);
  for (const piece of pieces) builder.piece(piece);
  return builder.build();
};

/** UTF-16 units of the text pieces. */
export const textUnits = (pieces: readonly Piece[]): number =>
  pieces.reduce((units, piece) => units + (piece.kind === 'text' ? piece.text.length : 0), 0);

/** The links too long for a piece, which are split into label and address. */
const longLinks = (
  { pieces, pairs }: Pieces,
  fits: (tree: RichText) => boolean,
): ReadonlySet<number> => {
  const long = new Set<number>();
  let start = 0;
  for (const [index, piece] of pieces.entries()) {
    if (piece.kind !== 'open' && piece.kind !== 'close') continue;
    const wrapper = pairs[piece.pair];
    if (wrapper?.kind !== 'link') continue;
    if (piece.kind === 'open') {
      start = index;
      continue;
    }
    const inside = pieces.slice(start, index + 1);
    const isShort = inside.length <= 3 && wrapper.url.length + textUnits(inside) <= SURELY_FITS;
    if (!isShort && !fits(built(inside, pairs))) long.add(piece.pair);
  }
  return long;
};

/**
 * Lays out pieces for the search for cuts.
 *
 * @param render writes the pieces, for their lengths
 * @param longest the longest code or address, by `measure`, that is never cut
 */
export const layOut = (all: Pieces, render: WriteTree, measure: Measure, longest: number) => {
  const { pairs } = all;
  const items: PlacedPiece[] = [];
  const whole: Extent[] = [];
  /** Signs that stand for each item. */
  const drawn: string[] = [];
  /** True where an address or a link fits a piece as it is written. */
  const fits = (tree: RichText): boolean => measure(render(tree)) <= longest;
  const loose = longLinks(all, fits);
  const sizes = new Map<string, string>();
  /** First item of each link, by pair. */
  const linkStarts = new Map<number, number>();
  let end = 0;
  let shownEnd = 0;

  const add = (piece: Piece, signs: string): void => {
    const item: PlacedPiece = { start: end, end: end + signs.length, piece };
    items.push(item);
    const shown = shownUnits(item, pairs);
    if (shown > 0) shownEnd = end + shown;
    end += signs.length;
    drawn.push(signs);
  };

  const addText = (piece: PieceOf<'text'>): void => {
    let signs = '';
    let from = 0;
    for (const span of plainSpans(piece.text)) {
      const length = span.end - span.start;
      if (length > longest) continue;
      const address = piece.text.slice(span.start, span.end);
      if (length > SURELY_FITS && !fits([paragraph(text(address))])) continue;
      signs += piece.text.slice(from, span.start) + SIGN.repeat(length);
      from = span.end;
      whole.push({ start: end + span.start, end: end + span.end });
    }
    add(piece, signs + piece.text.slice(from));
  };

  const addWhole = (piece: PieceOf<'leaf' | 'block'>, written: string): void => {
    if (measure(written) <= longest) return add(piece, SIGN.repeat(Math.max(1, written.length)));
    const content = codeOf(piece);
    if (content !== undefined) return add(piece, content.replaceAll(nonSpace, SIGN));
    if (piece.kind !== 'leaf' || piece.node.kind !== 'link')
      return add(piece, SIGN.repeat(longest));
    const { url } = piece.node;
    add({ kind: 'text', text: url }, url.replaceAll(nonSpace, SIGN));
  };

  /**
   * Lays out a leaf. Leaves of one size are written at the same length, so only the first of each
   * size is rendered: rendering takes most of the time.
   */
  const addLeaf = (piece: PieceOf<'leaf'>): void => {
    const { node } = piece;
    const name = 'name' in node ? (node.name ?? '') : '';
    const content =
      'url' in node ? node.url : 'text' in node ? node.text : 'id' in node ? node.id : '';
    const size = `${node.kind} ${content.length} ${name.length}`;
    const written = sizes.get(size) ?? render([paragraph(node)]);
    if (content.length + name.length <= LONGEST_ALIKE) sizes.set(size, written);
    addWhole(piece, written);
  };

  /** Lays out a link as one sign repeated: nothing in it is cut. */
  const drawWhole = (first: number): void => {
    const start = items[first]?.start ?? end;
    while ((whole.at(-1)?.start ?? -1) >= start) whole.pop();
    whole.push({ start, end });
    for (let index = first; index < items.length; index += 1)
      drawn[index] = SIGN.repeat(drawn[index]?.length ?? 0);
  };

  const addSide = (piece: PieceOf<'open' | 'close'>): void => {
    const wrapper = pairs[piece.pair];
    const isOpen = piece.kind === 'open';
    if (wrapper?.kind !== 'link') {
      const units = wrapper?.kind === 'italic' ? 1 : LONGEST_MARKER_UNITS;
      add(piece, (isOpen ? '“' : '”').repeat(units));
    } else if (loose.has(piece.pair)) {
      if (isOpen) return;
      addText({ kind: 'text', text: ' ' });
      addLeaf({ kind: 'leaf', node: { ...wrapper, children: [] } });
    } else if (isOpen) {
      linkStarts.set(piece.pair, items.length);
      add(piece, SIGN);
    } else {
      add(piece, SIGN.repeat(wrapper.url.length + LINK_UNITS));
      drawWhole(linkStarts.get(piece.pair) ?? items.length - 1);
    }
  };

  for (const piece of all.pieces)
    if (piece.kind === 'text') addText(piece);
    else if (piece.kind === 'line') add(piece, markOf(piece.line));
    else if (piece.kind === 'leaf') addLeaf(piece);
    else if (piece.kind === 'block') addWhole(piece, render([inQuotes(piece.block, piece.quotes)]));
    else addSide(piece);
  return {
    /**
     * The text with signs for everything else, about as long as its written form: quotation marks for
     * the ends of styles, which stay with the sentence that they enclose; one repeated sign for
     * whatever is not to be cut. Code that may be cut is as long as its content.
     */
    shape: drawn.join(''),
    /** The place after which there is nothing to see: only blank text, marks of lines, ends of styles. */
    shownEnd,
    items,
    /** Links and addresses that are not to be cut, in order and without overlaps. */
    whole,
    pairs,
  };
};
