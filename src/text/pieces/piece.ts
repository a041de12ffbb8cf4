import type {
  Code,
  CodeBlock,
  CustomEmoji,
  Link,
  Mention,
  Spoiler,
  Styled,
  Timestamp,
} from '../../model/rich-text.ts';

/** A style, spoiler or link without what it encloses. */
export type Wrapper = Omit<Styled, 'children'> | Omit<Spoiler, 'children'> | Omit<Link, 'children'>;

/** An inline node that holds no language; a link of this kind shows its address. */
export type Leaf = Code | Link | Mention | CustomEmoji | Timestamp;

interface InQuotes {
  /** Number of quotes around the line. */
  readonly quotes: number;
}

export interface ItemLine extends InQuotes {
  readonly kind: 'item';
  /** Depth of the item; 1 in the outermost list. */
  readonly depth: number;
  /** The item's own number; absent from a bulleted list. */
  readonly number?: number;
  /** True when the line continues the item before it. */
  readonly continues?: true;
}

/** The block to which a line belongs. */
export type Line =
  | (InQuotes & { readonly kind: 'paragraph' | 'subtext' })
  | (InQuotes & { readonly kind: 'heading'; readonly level: 1 | 2 | 3 })
  | ItemLine;

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
