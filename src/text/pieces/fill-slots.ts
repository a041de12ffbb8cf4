import { text, type Inline, type RichText } from '../../model/rich-text.ts';
import { normalise } from '../../model/normalise-rich-text.ts';
import { mapInline, mapRows, plainInline, plainText } from '../../model/walk-rich-text.ts';
import { PLAIN_LINE, toPieces, type Piece, type Wrapper } from './pieces.ts';
import { TreeBuilder } from './tree-builder.ts';

/** Value for a slot: words, a node, or a tree, whose blocks stand on lines of their own. */
export type SlotValue = string | Inline | RichText;

/** Placeholder of a value in text and code; a private-use character. */
export const SLOT = '\uE000';

const leadingBlanks = /^[^\S\n]+/;

const isTree = (value: SlotValue): value is RichText => Array.isArray(value);

export const plainValue = (value: SlotValue): string =>
  typeof value === 'string' ? value : isTree(value) ? plainText(value) : plainInline([value]);

/** The nodes of a value that fits within a line; undefined for a tree of blocks. */
const asRow = (value: SlotValue): readonly Inline[] | undefined => {
  if (typeof value === 'string') return [text(value)];
  if (!isTree(value)) return [value];
  const [only] = value;
  if (!only) return [];
  return only.kind === 'paragraph' && value.length === 1 ? only.children : undefined;
};

class Filling {
  readonly #values: readonly SlotValue[];
  #next = 0;
  /** Trees of blocks for the slots that are still to be filled. */
  readonly trees: RichText[] = [];

  constructor(values: readonly SlotValue[]) {
    this.#values = values;
  }

  rows(tree: RichText): RichText {
    return tree.map((block) => {
      if (block.kind === 'code-block') return { ...block, text: this.#plain(block.text) };
      const [filled = block] = mapRows([block], (row) =>
        mapInline(row, (node) => this.#node(node)),
      );
      return filled;
    });
  }

  #node(node: Inline): Inline | readonly Inline[] {
    if (node.kind === 'code') return { ...node, text: this.#plain(node.text) };
    return node.kind === 'text' && node.text.includes(SLOT) ? this.#row(node.text) : node;
  }

  #row(written: string): readonly Inline[] {
    return written.split(SLOT).flatMap((words, index): readonly Inline[] => {
      if (index === 0) return [text(words)];
      const value = this.#take();
      const row = asRow(value);
      if (row) return [...row, text(words)];
      this.trees.push(value as RichText);
      return [text(SLOT + words)];
    });
  }

  #plain(written: string): string {
    return written.replaceAll(SLOT, () => plainValue(this.#take()));
  }

  #take(): SlotValue {
    const value = this.#values[this.#next] ?? '';
    this.#next += 1;
    return typeof value === 'string' ? value.replaceAll(SLOT, '') : value;
  }
}

const withTrees = (tree: RichText, trees: readonly RichText[]): RichText => {
  const { pieces, pairs } = toPieces(tree);
  const parts = trees.map(toPieces);
  const all: Wrapper[] = [...pairs, ...parts.flatMap((part) => part.pairs)];
  const builder = new TreeBuilder(all);
  let next = 0;
  let offset = pairs.length;
  const put = (piece: Piece): void =>
    builder.piece(
      piece.kind === 'open' || piece.kind === 'close'
        ? { ...piece, pair: piece.pair + offset }
        : piece,
    );
  for (const piece of pieces)
    if (piece.kind !== 'text' || !piece.text.includes(SLOT)) builder.piece(piece);
    else
      for (const [index, words] of piece.text.split(SLOT).entries()) {
        const part = index > 0 ? parts[next] : undefined;
        if (part) {
          for (const each of part.pieces) put(each);
          next += 1;
          offset += part.pairs.length;
        }
        // After blocks the sentence continues on a line of its own.
        if (part && !words.startsWith('\n')) builder.line(PLAIN_LINE);
        builder.text(part ? words.replace(leadingBlanks, '') : words);
      }
  return builder.build();
};

/**
 * Fills a tree's slots with values, in order. Values keep their meaning: words never become markup,
 * a mention or a link, and what encloses a slot continues after it.
 */
export const fillSlots = (tree: RichText, values: readonly SlotValue[]): RichText => {
  const filling = new Filling(values);
  const filled = normalise(filling.rows(tree));
  return filling.trees.length === 0 ? filled : withTrees(filled, filling.trees);
};
