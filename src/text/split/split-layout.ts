import { code, codeBlock, link, paragraph, quote, text } from '../../model/rich-text.ts';
import type { Block, Paragraph, RichText } from '../../model/rich-text.ts';
import type { Leaf, Line, Piece, Pieces, PieceOf, Wrapper } from '../pieces/pieces.ts';
import { plainSpans } from '../plain-spans.ts';

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
export interface SplitLayout {
  /**
   * The text with signs for everything else, about as long as its written form: quotation marks for
   * the ends of styles, which stay with the sentence that they enclose; one repeated sign for
   * whatever is not to be cut. Code that may be cut is as long as its content.
   */
  readonly shape: string;
  readonly items: readonly PlacedPiece[];
  /** Links and addresses that are not to be cut, in order and without overlaps. */
  readonly whole: readonly Extent[];
  readonly pairs: readonly Wrapper[];
}

const nonSpace = /[^\s\uD800-\uDFFF]/g;
const SIGN = 'X';
const LONGEST_MARKER_UNITS = 2;
/** Length of the brackets around an address after its label. */
const LINK_UNITS = 3;
/** Longest leaf that fits any limit, and so is never cut. */
const LONGEST_ALIKE = 40;
/** Length of an address that fits any limit, however it is escaped. */
const SURELY_FITS = 20;

export const isLongCode = ({ piece, start, end }: PlacedPiece): boolean => {
  const content = codeOf(piece);
  return content !== undefined && content.length === end - start;
};

/** The content of a piece of code. */
export const codeOf = (piece: Piece): string | undefined => {
  if (piece.kind === 'block') return piece.block.text;
  return piece.kind === 'leaf' && piece.node.kind === 'code' ? piece.node.text : undefined;
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

class Drawing {
  readonly items: PlacedPiece[] = [];
  readonly whole: Extent[] = [];
  readonly pairs: readonly Wrapper[];
  readonly #pieces: readonly Piece[];
  readonly #render: WriteTree;
  readonly #longest: number;
  readonly #measure: (written: string) => number;
  readonly #loose: ReadonlySet<number>;
  /** Signs that stand for each item. */
  readonly #drawn: string[] = [];
  #end = 0;
  readonly #sizes = new Map<string, string>();
  /** First item of each link, by pair. */
  readonly #linkStarts = new Map<number, number>();

  constructor(
    { pieces, pairs }: Pieces,
    render: WriteTree,
    measure: (written: string) => number,
    longest: number,
  ) {
    this.pairs = pairs;
    this.#pieces = pieces;
    this.#render = render;
    this.#measure = measure;
    this.#longest = longest;
    this.#loose = this.#longLinks();
  }

  draw(): SplitLayout {
    for (const piece of this.#pieces) this.#piece(piece);
    const { items, whole, pairs } = this;
    return { shape: this.#drawn.join(''), items, whole, pairs };
  }

  /** The links too long for a piece, which are split into label and address. */
  #longLinks(): ReadonlySet<number> {
    const long = new Set<number>();
    let pair: number | undefined;
    let label = '';
    for (const piece of this.#pieces)
      if (piece.kind === 'open' && this.pairs[piece.pair]?.kind === 'link') {
        ({ pair } = piece);
        label = '';
      } else if (pair === undefined) continue;
      else if (piece.kind === 'text') label += piece.text;
      else if (piece.kind === 'leaf') label += codeOf(piece) ?? 'mention';
      else if (piece.kind === 'close' && piece.pair === pair) {
        const wrapper = this.pairs[pair];
        if (wrapper?.kind === 'link' && !this.#fits(paragraph(link(wrapper.url, text(label)))))
          long.add(pair);
        pair = undefined;
      }
    return long;
  }

  /** True where a paragraph of text, or of one link, fits a piece as it is written. */
  #fits(block: Paragraph): boolean {
    return this.#measure(this.#render([block])) <= this.#longest;
  }

  #piece(piece: Piece): void {
    switch (piece.kind) {
      case 'text':
        return this.#text(piece);
      case 'line':
        return this.#add(piece, markOf(piece.line));
      case 'open':
      case 'close':
        return this.#side(piece);
      case 'leaf':
        return this.#leaf(piece);
      case 'block':
        return this.#whole(piece, this.#render([inQuotes(piece.block, piece.quotes)]));
    }
  }

  #add(piece: Piece, drawn: string): void {
    const start = this.#end;
    this.#end += drawn.length;
    this.items.push({ start, end: this.#end, piece });
    this.#drawn.push(drawn);
  }

  #text(piece: PieceOf<'text'>): void {
    const start = this.#end;
    let drawn = '';
    let from = 0;
    for (const span of plainSpans(piece.text)) {
      const length = span.end - span.start;
      if (length > this.#longest) continue;
      if (length > SURELY_FITS) {
        const written = paragraph(text(piece.text.slice(span.start, span.end)));
        if (!this.#fits(written)) continue;
      }
      drawn += piece.text.slice(from, span.start) + SIGN.repeat(length);
      from = span.end;
      this.whole.push({ start: start + span.start, end: start + span.end });
    }
    this.#add(piece, drawn + piece.text.slice(from));
  }

  /**
   * Lays out a leaf. Leaves of one size are written at the same length, so only the first of each
   * size is rendered: rendering takes most of the time.
   */
  #leaf(piece: PieceOf<'leaf'>): void {
    const { node } = piece;
    const name = 'name' in node ? (node.name ?? '') : '';
    const content =
      'url' in node ? node.url : 'text' in node ? node.text : 'id' in node ? node.id : '';
    const size = `${node.kind} ${content.length} ${name.length}`;
    const written = this.#sizes.get(size) ?? this.#render([paragraph(node)]);
    if (content.length + name.length > LONGEST_ALIKE) return this.#whole(piece, written);
    this.#sizes.set(size, written);
    return this.#add(piece, SIGN.repeat(Math.max(1, written.length)));
  }

  #whole(piece: PieceOf<'leaf' | 'block'>, written: string): void {
    if (this.#measure(written) <= this.#longest)
      return this.#add(piece, SIGN.repeat(Math.max(1, written.length)));
    const content = codeOf(piece);
    if (content !== undefined) this.#add(piece, content.replaceAll(nonSpace, SIGN));
    else if (piece.kind === 'leaf' && piece.node.kind === 'link')
      this.#add({ kind: 'text', text: piece.node.url }, piece.node.url.replaceAll(nonSpace, SIGN));
    else this.#add(piece, SIGN.repeat(this.#longest));
  }

  #side(piece: PieceOf<'open' | 'close'>): void {
    const wrapper = this.pairs[piece.pair];
    const isOpen = piece.kind === 'open';
    if (wrapper?.kind !== 'link') {
      const units = wrapper?.kind === 'italic' ? 1 : LONGEST_MARKER_UNITS;
      return this.#add(piece, (isOpen ? '“' : '”').repeat(units));
    }
    if (this.#loose.has(piece.pair)) {
      if (isOpen) return;
      this.#text({ kind: 'text', text: ' ' });
      const node = { ...wrapper, children: [] };
      return this.#piece({ kind: 'leaf', node });
    }
    if (isOpen) {
      this.#linkStarts.set(piece.pair, this.items.length);
      return this.#add(piece, SIGN);
    }
    this.#add(piece, SIGN.repeat(wrapper.url.length + LINK_UNITS));
    this.#link(this.#linkStarts.get(piece.pair) ?? this.items.length - 1);
  }

  /** Lays out a link as one sign repeated: nothing in it is cut. */
  #link(first: number): void {
    const start = this.items[first]?.start ?? this.#end;
    while ((this.whole.at(-1)?.start ?? -1) >= start) this.whole.pop();
    this.whole.push({ start, end: this.#end });
    for (let index = first; index < this.items.length; index += 1)
      this.#drawn[index] = SIGN.repeat(this.#drawn[index]?.length ?? 0);
  }
}

/**
 * Lays out pieces for the search for cuts.
 *
 * @param render writes the pieces, for their lengths
 * @param longest the longest code or address, by `measure`, that is never cut
 */
export const layOut = (
  pieces: Pieces,
  render: WriteTree,
  measure: (written: string) => number,
  longest: number,
): SplitLayout => new Drawing(pieces, render, measure, longest).draw();
