import type {
  Block,
  Code,
  CodeBlock,
  CustomEmoji,
  Inline,
  Link,
  List,
  Mention,
  RichText,
  Spoiler,
  Styled,
  Timestamp,
} from '../rich-text.ts';
import { plainSpans, type PlainSpan } from '../../text/plain-spans.ts';

/** A style, spoiler or link; what it encloses is told by the pieces between its two. */
export type Wrapper = Styled | Spoiler | Link;

/** An inline node that holds no language; a link of this kind shows its address. */
export type Leaf = Code | Link | Mention | CustomEmoji | Timestamp;

/** Node of a row before blocks are separated: a code block may stand within a line. */
export type LooseInline = Inline | CodeBlock;

/** The block to which a line belongs; `quotes` is the number of quotes around it. */
export type Line = { readonly quotes: number } & (
  | { readonly kind: 'paragraph' | 'subtext' }
  | { readonly kind: 'heading'; readonly level: 1 | 2 | 3 }
  | {
      readonly kind: 'item';
      /** Depth of the item; 1 in the outermost list. */
      readonly depth: number;
      /** The item's own number; undefined in a bulleted list. */
      readonly number: number | undefined;
      /** True when the line continues the item before it. */
      readonly continues?: true;
    }
);

/** One step of a tree in the order of its text. */
export type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'leaf'; readonly node: Leaf }
  | { readonly kind: 'open' | 'close'; readonly pair: number }
  /** Begins a line that is not one of a paragraph outside quotes. */
  | { readonly kind: 'line'; readonly line: Line }
  /** A code block on lines of its own. */
  | { readonly kind: 'block'; readonly block: CodeBlock; readonly quotes: number };

export type PieceOf<Kind extends Piece['kind']> = Extract<Piece, { readonly kind: Kind }>;

/**
 * A tree as a row of pieces. Lines are parted by `\n` in text pieces; pieces of kind `open` and
 * `close` come in twos, each with its wrapper's index.
 */
export interface Pieces {
  readonly pieces: readonly Piece[];
  readonly pairs: readonly Wrapper[];
}

/** A paragraph's line outside quotes, the default at the start of a line. */
export const PLAIN_LINE: Line = { kind: 'paragraph', quotes: 0 };

const lineBreak = /(?<=\n)/;
const LINE_BREAK: Piece = { kind: 'text', text: '\n' };

class Walk implements Pieces {
  readonly pieces: Piece[] = [];
  readonly pairs: Wrapper[] = [];
  /** The line with which those after a line break continue. */
  #line = PLAIN_LINE;

  blocks(blocks: readonly Block[], quotes: number): void {
    for (const block of blocks)
      if (block.kind === 'quote') this.blocks(block.children, quotes + 1);
      else if (block.kind === 'list') this.#list(block, quotes, 1);
      else if (block.kind === 'code-block') {
        this.#break();
        this.pieces.push({ kind: 'block', block, quotes });
      } else if (block.kind === 'heading')
        this.#lines({ kind: 'heading', level: block.level, quotes }, block.children);
      else if (block.kind === 'paragraph' && quotes === 0) this.#lines(PLAIN_LINE, block.children);
      else this.#lines({ kind: block.kind, quotes }, block.children);
  }

  #list({ start, items }: List, quotes: number, depth: number): void {
    for (const [index, { children, lists }] of items.entries()) {
      const number = start === undefined ? undefined : start + index;
      this.#lines({ kind: 'item', quotes, depth, number }, children);
      for (const list of lists) this.#list(list, quotes, depth + 1);
    }
  }

  #break(): void {
    if (this.pieces.length > 0) this.pieces.push(LINE_BREAK);
  }

  #lines(line: Line, row: readonly Inline[]): void {
    this.#break();
    this.#begin(line);
    this.#line = line.kind === 'item' ? { ...line, continues: true } : line;
    this.row(row);
  }

  #begin(line: Line): void {
    if (line !== PLAIN_LINE) this.pieces.push({ kind: 'line', line });
  }

  row(row: readonly LooseInline[], isHidden = false): void {
    for (const node of row)
      if (node.kind === 'text') this.#text(node);
      else if (node.kind === 'code-block') {
        const block: CodeBlock = isHidden ? { ...node, spoiler: true } : node;
        this.pieces.push({ kind: 'block', block, quotes: 0 });
      } else if (!('children' in node) || (node.kind === 'link' && node.children.length === 0))
        this.pieces.push({ kind: 'leaf', node });
      else {
        const pair = this.pairs.push(node) - 1;
        this.pieces.push({ kind: 'open', pair });
        this.row(node.children, isHidden || node.kind === 'spoiler');
        this.pieces.push({ kind: 'close', pair });
      }
  }

  #text(piece: PieceOf<'text'>): void {
    if (this.#line === PLAIN_LINE || !piece.text.includes('\n')) this.pieces.push(piece);
    else
      for (const part of piece.text.split(lineBreak)) {
        this.pieces.push({ kind: 'text', text: part });
        if (part.endsWith('\n')) this.#begin(this.#line);
      }
  }
}

/** A tree in canonical form as a row of pieces. */
export const toPieces = (tree: RichText): Pieces => {
  const walk = new Walk();
  walk.blocks(tree, 0);
  return walk;
};

/** A row in which code blocks may stand, as a row of pieces; those within a spoiler are hidden. */
export const rowToPieces = (row: readonly LooseInline[]): Pieces => {
  const walk = new Walk();
  walk.row(row);
  return walk;
};

/** Placeholder in a flat text for everything but text. */
export const OBJECT = '\uFFFC';

/** A place in a flat text where an `OBJECT` stands for a piece. */
interface ObjectSpan {
  readonly start: number;
  readonly end: number;
  readonly kind: 'object';
  readonly piece: Exclude<Piece, PieceOf<'text'>>;
}

export type FlatSpan = PlainSpan | ObjectSpan;

/** A tree as one text, line by line, with the spans in it that are not language. */
export interface FlatText {
  readonly text: string;
  /** Spans in order, without overlaps. */
  readonly spans: readonly FlatSpan[];
  readonly pairs: readonly Wrapper[];
}

/** Merges two ordered lists of spans. */
const merged = (objects: readonly FlatSpan[], plain: readonly FlatSpan[]): readonly FlatSpan[] => {
  if (plain.length === 0) return objects;
  if (objects.length === 0) return plain;
  const all: FlatSpan[] = [];
  let next = 0;
  for (const object of objects) {
    for (; (plain[next]?.start ?? Infinity) < object.start; next += 1)
      all.push(plain[next] as FlatSpan);
    all.push(object);
  }
  for (; next < plain.length; next += 1) all.push(plain[next] as FlatSpan);
  return all;
};

const isLineEnd = (piece: Piece | undefined): boolean =>
  !piece || (piece.kind === 'text' && piece.text.startsWith('\n'));

/** The flat text of a tree in canonical form; linear in the tree's size. */
export const toFlatText = (tree: RichText): FlatText => {
  const { pieces, pairs } = toPieces(tree);
  const spans: FlatSpan[] = [];
  let text = '';
  for (let index = 0; index < pieces.length; index += 1) {
    const piece = pieces[index] as Piece;
    if (piece.kind === 'text') {
      text += piece.text;
      continue;
    }
    const start = text.length;
    spans.push({ start, end: start + 1, kind: 'object', piece });
    // A space follows a line's mark where the line holds something.
    text += piece.kind === 'line' && !isLineEnd(pieces[index + 1]) ? `${OBJECT} ` : OBJECT;
  }
  return { text, spans: merged(spans, plainSpans(text)), pairs };
};
