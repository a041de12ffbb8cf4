import type { Block, Inline, List, RichText } from '../../model/rich-text.ts';
import { PLAIN_LINE, type Line, type Piece, type Pieces, type Wrapper } from './piece.ts';

const lineBreak = /(?<=\n)/;

class Walk implements Pieces {
  readonly pieces: Piece[] = [];
  readonly pairs: Wrapper[] = [];
  #line: Line = PLAIN_LINE;
  #begun = false;

  blocks(blocks: readonly Block[], quotes: number): void {
    for (const block of blocks) {
      switch (block.kind) {
        case 'code-block':
          this.#next();
          this.pieces.push({ kind: 'block', block, quotes });
          break;
        case 'quote':
          this.blocks(block.children, quotes + 1);
          break;
        case 'list':
          this.#list(block, quotes, 1);
          break;
        case 'heading':
          this.#lines({ kind: 'heading', level: block.level, quotes }, block.children);
          break;
        case 'paragraph':
        case 'subtext':
          this.#lines({ kind: block.kind, quotes }, block.children);
      }
    }
  }

  #list({ start, items }: List, quotes: number, depth: number): void {
    for (const [index, { children, lists }] of items.entries()) {
      const number = start === undefined ? {} : { number: start + index };
      this.#lines({ kind: 'item', quotes, depth, ...number }, children);
      for (const list of lists) this.#list(list, quotes, depth + 1);
    }
  }

  /** Adds the break before a line; none before the first. */
  #next(): void {
    if (this.#begun) this.pieces.push({ kind: 'text', text: '\n' });
    this.#begun = true;
  }

  #lines(line: Line, row: readonly Inline[]): void {
    this.#next();
    this.#begin(line);
    this.#line = line.kind === 'item' ? { ...line, continues: true } : line;
    this.#row(row);
  }

  #begin(line: Line): void {
    if (line.kind !== 'paragraph' || line.quotes > 0) this.pieces.push({ kind: 'line', line });
  }

  #row(row: readonly Inline[]): void {
    for (const node of row) {
      switch (node.kind) {
        case 'text':
          this.#text(node.text);
          break;
        case 'link':
          if (node.children.length === 0) this.pieces.push({ kind: 'leaf', node });
          else {
            const { children, ...wrapper } = node;
            this.#pair(wrapper, children);
          }
          break;
        case 'bold':
        case 'italic':
        case 'underline':
        case 'strike':
        case 'spoiler':
          this.#pair({ kind: node.kind }, node.children);
          break;
        case 'code':
        case 'mention':
        case 'emoji':
        case 'timestamp':
          this.pieces.push({ kind: 'leaf', node });
      }
    }
  }

  #pair(wrapper: Wrapper, children: readonly Inline[]): void {
    const pair = this.pairs.push(wrapper) - 1;
    this.pieces.push({ kind: 'open', pair });
    this.#row(children);
    this.pieces.push({ kind: 'close', pair });
  }

  #text(text: string): void {
    const isPlain = this.#line.kind === 'paragraph' && this.#line.quotes === 0;
    if (isPlain || !text.includes('\n')) {
      this.pieces.push({ kind: 'text', text });
      return;
    }
    for (const part of text.split(lineBreak)) {
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
