import { normalise } from '../normalise.ts';
import { STYLE_KINDS, text, type CodeBlock, type RichText } from '../rich-text.ts';
import {
  linesToBlocks,
  NOTHING,
  type BuiltLine,
  type Run,
  type Wrapping,
} from './lines-to-blocks.ts';
import { PLAIN_LINE, type Leaf, type Line, type Piece, type Wrapper } from './pieces.ts';

// Marks of writing direction too, which engines add around tokens.
const leadingBreak = /^(?:(?!\n)[\s\p{Cf}])*\n?/u;

/**
 * Builds a tree from pieces in any order, complete or not. Unclosed pieces reach to the end,
 * crossing ones apply to both parts, and those that enclose nothing are dropped, except that a
 * link's address is kept. A second beginning of a line within a line begins a new one.
 */
export class TreeBuilder {
  readonly #pairs: readonly Wrapper[];
  readonly #lines: BuiltLine[] = [];
  #line: Line | undefined;
  /**
   * The line whose piece came after the words of the current line: it applies to them, unless more
   * words follow.
   */
  #lateLine: Line | undefined;
  #runs: Run[] = [];
  /** True when the line shows something. */
  #seen = false;
  #behindBlock = false;
  readonly #depths = { bold: 0, italic: 0, underline: 0, strike: 0, spoiler: 0 };
  #spoilers = 0;
  #link: number | undefined;
  /** Links whose labels show something. */
  #labelled: Set<number> | undefined;
  #on: Wrapping | undefined = NOTHING;

  /** @param pairs the wrappers to which pieces of kind `open` and `close` refer */
  constructor(pairs: readonly Wrapper[]) {
    this.#pairs = pairs;
  }

  piece(piece: Piece): void {
    switch (piece.kind) {
      case 'text':
        return this.text(piece.text);
      case 'leaf':
        return this.leaf(piece.node);
      case 'open':
        return this.open(piece.pair);
      case 'close':
        return this.close(piece.pair);
      case 'line':
        return this.line(piece.line);
      case 'block':
        return this.block(piece.block, piece.quotes);
    }
  }

  text(written: string): void {
    let from = 0;
    if (this.#behindBlock) {
      from = leadingBreak.exec(written)?.[0].length ?? 0;
      if (from === written.length && !written.endsWith('\n')) return;
      this.#behindBlock = false;
    }
    for (let to = written.indexOf('\n', from); to >= 0; to = written.indexOf('\n', from)) {
      this.#words(written.slice(from, to));
      this.#endLine();
      from = to + 1;
    }
    this.#words(from === 0 ? written : written.slice(from));
  }

  leaf(node: Leaf): void {
    this.#behindBlock = false;
    const outer = this.#link;
    if (node.kind !== 'link' || outer === undefined) return this.#run(node);
    // Links are never nested.
    this.#enter(undefined);
    this.#run(node);
    this.#enter(outer);
  }

  open(pair: number): void {
    const kind = this.#pairs[pair]?.kind;
    if (kind === undefined) return;
    if (kind === 'link') return this.#enter(pair);
    if (kind === 'spoiler' && this.#depths.spoiler === 0) this.#spoilers += 1;
    this.#depths[kind] += 1;
    this.#on = undefined;
  }

  close(pair: number): void {
    const wrapper = this.#pairs[pair];
    if (!wrapper) return;
    if (wrapper.kind !== 'link') {
      this.#depths[wrapper.kind] = Math.max(0, this.#depths[wrapper.kind] - 1);
      this.#on = undefined;
      return;
    }
    if (this.#link === pair) this.#enter(undefined);
    if (!this.#labelled?.has(pair)) this.leaf({ ...wrapper, children: [] });
  }

  line(line: Line): void {
    this.#behindBlock = false;
    if (!this.#seen) {
      this.#runs = [];
      this.#line = line;
    } else if (this.#line) {
      this.#endLine();
      this.#line = line;
    } else this.#lateLine = line;
  }

  block(block: CodeBlock, quotes: number): void {
    if (this.#seen) {
      const last = this.#runs.at(-1);
      if (last?.node.kind === 'text')
        this.#runs[this.#runs.length - 1] = { ...last, node: text(last.node.text.trimEnd()) };
      this.#endLine();
    }
    this.#runs = [];
    this.#line = undefined;
    this.#lines.push({ block, quotes });
    this.#behindBlock = true;
  }

  /** Builds the tree of all pieces, in canonical form. */
  build(): RichText {
    return normalise(this.blocks());
  }

  /** Builds the blocks of all pieces, with all white space around them. */
  blocks(): RichText {
    if (!this.#behindBlock) this.#endLine();
    return linesToBlocks(this.#lines, this.#pairs);
  }

  #wrapping(): Wrapping {
    if (this.#on) return this.#on;
    const styles = STYLE_KINDS.filter((kind) => this.#depths[kind] > 0);
    const spoiler = this.#depths.spoiler > 0 ? this.#spoilers : 0;
    const link = this.#link === undefined ? 0 : this.#link + 1;
    this.#on = styles.length + spoiler + link === 0 ? NOTHING : { styles, spoiler, link };
    return this.#on;
  }

  #words(written: string): void {
    if (written === '') return;
    const last = this.#runs.at(-1);
    const on = this.#wrapping();
    if (last?.node.kind === 'text' && last.on === on && this.#lateLine === undefined) {
      this.#runs[this.#runs.length - 1] = { node: text(last.node.text + written), on };
      if (written.trim() !== '') this.#see();
    } else if (written.trim() === '') this.#runs.push({ node: text(written), on });
    else this.#run(text(written));
  }

  #run(node: Run['node']): void {
    if (this.#lateLine) {
      const line = this.#lateLine;
      this.#lateLine = undefined;
      this.#line = PLAIN_LINE;
      this.#endLine();
      this.#line = line;
    }
    this.#runs.push({ node, on: this.#wrapping() });
    this.#see();
  }

  #enter(link: number | undefined): void {
    this.#link = link;
    this.#on = undefined;
  }

  #see(): void {
    this.#seen = true;
    if (this.#link === undefined) return;
    this.#labelled ??= new Set();
    this.#labelled.add(this.#link);
  }

  #endLine(): void {
    const last = this.#lines.at(-1);
    let line = this.#line ?? this.#lateLine ?? PLAIN_LINE;
    if (line.kind === 'item' && line.continues) {
      const before = last && 'line' in last ? last.line : PLAIN_LINE;
      // A continuation without its item becomes a paragraph.
      if (before.kind !== 'item' || before.quotes !== line.quotes)
        line = { kind: 'paragraph', quotes: line.quotes };
    }
    this.#lines.push({ line, runs: this.#runs, breakOn: this.#wrapping() });
    this.#runs = [];
    this.#line = undefined;
    this.#lateLine = undefined;
    this.#seen = false;
  }
}
