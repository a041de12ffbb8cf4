import { nestItems, type PlacedItem } from '../normalise.ts';
import {
  codeBlock,
  paragraph,
  type Block,
  type CodeBlock,
  type Inline,
  type Paragraph,
} from '../rich-text.ts';
import { InlineScan, scanRow, type InlineDialect } from './inline-scan.ts';
import type { InlineStack } from './inline-stack.ts';
import { rowToPieces } from '../pieces/pieces.ts';
import { TreeBuilder } from '../pieces/tree-builder.ts';

/** Rules of a dialect for blocks, each of which begins at the start of a line. */
export interface BlockDialect {
  readonly inline: InlineDialect;
  /**
   * Matches the beginning of a block at the start of a line up to its words, with one of the groups
   * `heading` (as many signs as its level), `subtext`, `quote`, `rest` (all that follows is quoted),
   * `bullet`, `number`, `fence` (backticks alone on their line but for `info`); sticky.
   */
  readonly beginning: RegExp;
  /** The beginning of a block within a quote of the greatest depth. */
  readonly beginningInQuote: RegExp;
  /** Greatest depth of quotes. */
  readonly quoteDepth: number;
  /**
   * True where a fence may stand within a line, and an item's code reach over lines that are not
   * indented.
   */
  readonly fenceInLine: boolean;
  /** Matches white space and signs that may end a heading's line. */
  readonly headingEnd?: RegExp;
}

type Groups = Readonly<Record<string, string | undefined>>;

const TAB = '    ';
const anyIndent = /[ \t]*/y;

const withoutIndent = (line: string, most: number): string =>
  line.slice(Math.min(most, line.search(/[^ \t]|$/)));

/** True when a fence is open at the end of a text. */
const isFenceOpen = (written: string): boolean => written.split('```').length % 2 === 0;

/** The paragraphs and code blocks of a row: a code block in it stands alone. */
const blocksOf = (stack: InlineStack): readonly (Paragraph | CodeBlock)[] => {
  const row = stack.finish();
  if (!stack.hasBlocks) return [paragraph(...(row as readonly Inline[]))];
  const { pieces, pairs } = rowToPieces(row);
  const builder = new TreeBuilder(pairs);
  for (const piece of pieces) builder.piece(piece);
  return builder.blocks() as readonly (Paragraph | CodeBlock)[];
};

const isItem = (groups: Groups | undefined): groups is Groups =>
  groups !== undefined && (groups['bullet'] ?? groups['number']) !== undefined;

class BlockScan {
  readonly #blocks: Block[] = [];
  readonly #text: string;
  readonly #dialect: BlockDialect;
  readonly #depth: number;
  readonly #beginning: RegExp;
  readonly #inline: InlineScan;

  constructor(text: string, dialect: BlockDialect, depth: number) {
    this.#text = text;
    this.#dialect = dialect;
    this.#depth = depth;
    this.#beginning = depth < dialect.quoteDepth ? dialect.beginning : dialect.beginningInQuote;
    this.#inline = new InlineScan(text, dialect.inline);
  }

  run(): readonly Block[] {
    for (let at = 0; at <= this.#text.length;) at = this.#block(at);
    return this.#blocks;
  }

  #lineEnd(at: number): number {
    const end = this.#text.indexOf('\n', at);
    return end < 0 ? this.#text.length : end;
  }

  /** The groups of the beginning of a block on the line at `at`; its words begin at `lastIndex`. */
  #begun(at: number): Groups | undefined {
    this.#beginning.lastIndex = at;
    return this.#beginning.exec(this.#text)?.groups;
  }

  /** Reads the block that begins at the start of a line; returns the start of the next line. */
  #block(at: number): number {
    const groups = this.#begun(at);
    if (!groups) return this.#paragraph(at);
    const start = this.#beginning.lastIndex;
    if (groups['fence'] !== undefined)
      return this.#fence(groups['fence'], groups['info'] ?? '', start);
    if (groups['quote'] !== undefined) return this.#quotedLines(at);
    if (isItem(groups)) return this.#lists(at);
    if (groups['rest'] !== undefined) {
      this.#quote(this.#text.slice(start));
      return this.#text.length + 1;
    }
    const end = this.#lineEnd(start);
    this.#titled(groups['heading'], this.#text.slice(start, end));
    return end + 1;
  }

  #titled(signs: string | undefined, line: string): void {
    const { inline, headingEnd } = this.#dialect;
    const words = signs && headingEnd ? line.trimEnd().replace(headingEnd, '') : line;
    const children = blocksOf(scanRow(words, inline)).flatMap((block): readonly Inline[] =>
      block.kind === 'code-block' ? [{ kind: 'code', text: block.text }] : block.children,
    );
    const level = Math.min(signs?.length ?? 0, 3) as 1 | 2 | 3;
    this.#blocks.push(signs ? { kind: 'heading', level, children } : { kind: 'subtext', children });
  }

  #paragraph(at: number): number {
    const end = this.#inline.read(at, (line) => this.#begun(line) !== undefined);
    this.#blocks.push(...blocksOf(this.#inline.stack));
    return end + 1;
  }

  #quotedLines(from: number): number {
    const lines: string[] = [];
    let at = from;
    while (at <= this.#text.length && this.#begun(at)?.['quote'] !== undefined) {
      const start = this.#beginning.lastIndex;
      const end = this.#lineEnd(start);
      lines.push(this.#text.slice(start, end));
      at = end + 1;
    }
    this.#quote(lines.join('\n'));
    return at;
  }

  #quote(text: string): void {
    const children = new BlockScan(text, this.#dialect, this.#depth + 1).run();
    this.#blocks.push({ kind: 'quote', children });
  }

  /** Reads a code block whose fences have lines of their own, or that ends with the text. */
  #fence(fence: string, info: string, start: number): number {
    const column = start - info.length - fence.length;
    const indent = column - this.#text.lastIndexOf('\n', column) - 1;
    const lines: string[] = [];
    let from = start + 1;
    while (from <= this.#text.length) {
      const end = this.#lineEnd(from);
      const line = this.#text.slice(from, end);
      from = end + 1;
      const bare = line.trim();
      if (bare.startsWith(fence) && bare === bare.charAt(0).repeat(bare.length)) break;
      lines.push(withoutIndent(line, indent));
    }
    const [language] = info.trim().split(/\s/);
    this.#blocks.push(codeBlock(lines.join('\n'), language || undefined));
    return from;
  }

  /**
   * Reads the lists whose first item begins at `from`. A code block within an item ends its list,
   * which continues after it with the number written there.
   */
  #lists(from: number): number {
    let items: PlacedItem[] = [];
    let at = from;
    while (at <= this.#text.length) {
      const groups = this.#begun(at);
      const start = this.#beginning.lastIndex;
      if (!isItem(groups)) break;
      const { words, end } = this.#item(at, start);
      const [first, ...rest] = blocksOf(scanRow(words, this.#dialect.inline));
      if (first?.kind === 'paragraph') {
        anyIndent.lastIndex = at;
        const indent = anyIndent.exec(this.#text)?.[0].replaceAll('\t', TAB).length ?? 0;
        const number = groups['number'] === undefined ? undefined : Number(groups['number']);
        items.push({ indent, number, children: first.children });
      } else if (first) rest.unshift(first);
      if (rest.length > 0) {
        this.#blocks.push(...nestItems(items), ...rest);
        items = [];
      }
      at = end + 1;
    }
    this.#blocks.push(...nestItems(items));
    return at;
  }

  /** The words of the item at `at`, with its indented lines and its code. */
  #item(at: number, start: number): { readonly words: string; readonly end: number } {
    const { fenceInLine } = this.#dialect;
    let end = this.#lineEnd(start);
    const lines = [this.#text.slice(start, end)];
    const opens = (line: string, lineEnd: number): boolean =>
      fenceInLine && isFenceOpen(line) && this.#text.includes('```', lineEnd);
    let open = opens(lines[0] ?? '', end);
    while (end < this.#text.length) {
      const next = end + 1;
      const nextEnd = this.#lineEnd(next);
      const line = this.#text.slice(next, nextEnd);
      if (!open && (!/^[ \t]+\S/.test(line) || this.#begun(next))) break;
      if (fenceInLine && isFenceOpen(line)) open = !open && opens(line, nextEnd);
      lines.push(withoutIndent(line, start - at));
      end = nextEnd;
    }
    return { words: lines.join('\n'), end };
  }
}

/** Parses blocks by a dialect's rules; the result is not in canonical form yet. */
export const parseBlocks = (text: string, dialect: BlockDialect): readonly Block[] =>
  new BlockScan(text, dialect, 0).run();
