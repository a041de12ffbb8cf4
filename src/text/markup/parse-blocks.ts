import { codeBlock, type Block, type Inline } from '../../model/rich-text.ts';
import { Ahead, InlineScan, scanRow, type InlineDialect } from './inline-scan.ts';
import { parseLists } from './parse-lists.ts';
import { splitCode } from './split-code.ts';

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

const rowOf = (text: string, dialect: InlineDialect): readonly Inline[] => {
  const stack = scanRow(text, dialect);
  const row = stack.finish();
  if (!stack.hasBlocks) return row as readonly Inline[];
  return splitCode(row).flatMap((block): readonly Inline[] =>
    block.kind === 'code-block' ? [{ kind: 'code', text: block.text }] : paragraphRow(block),
  );
};

const paragraphRow = (block: Block): readonly Inline[] =>
  block.kind === 'paragraph' ? block.children : [];

class BlockScan {
  readonly blocks: Block[] = [];
  readonly #text: string;
  readonly #dialect: BlockDialect;
  readonly #depth: number;
  readonly #beginning: RegExp;
  readonly #ahead: Ahead;

  constructor(text: string, dialect: BlockDialect, depth: number) {
    this.#text = text;
    this.#dialect = dialect;
    this.#depth = depth;
    this.#beginning = depth < dialect.quoteDepth ? dialect.beginning : dialect.beginningInQuote;
    this.#ahead = new Ahead(text);
  }

  run(): readonly Block[] {
    for (let at = 0; at <= this.#text.length;) at = this.#block(at);
    return this.blocks;
  }

  #lineEnd(at: number): number {
    const end = this.#text.indexOf('\n', at);
    return end < 0 ? this.#text.length : end;
  }

  /** Reads the block that begins at the start of a line; returns the start of the next line. */
  #block(at: number): number {
    this.#beginning.lastIndex = at;
    const groups = this.#beginning.exec(this.#text)?.groups;
    if (!groups) return this.#paragraph(at);
    const start = this.#beginning.lastIndex;
    if (groups['fence'] !== undefined)
      return this.#fence(groups['fence'], groups['info'] ?? '', start);
    if (groups['rest'] !== undefined) {
      this.#quote(this.#text.slice(start));
      return this.#text.length + 1;
    }
    if (groups['quote'] !== undefined) return this.#quotedLines(at);
    if (groups['bullet'] !== undefined || groups['number'] !== undefined) {
      const { inline, fenceInLine } = this.#dialect;
      const item = this.#beginning;
      const { blocks, end } = parseLists(this.#text, at, item, inline, fenceInLine);
      this.blocks.push(...blocks);
      return end;
    }
    const end = this.#lineEnd(start);
    this.#titled(groups, this.#text.slice(start, end));
    return end + 1;
  }

  #titled(groups: Readonly<Record<string, string | undefined>>, line: string): void {
    const { inline, headingEnd } = this.#dialect;
    if (groups['heading'] === undefined)
      this.blocks.push({ kind: 'subtext', children: rowOf(line, inline) });
    else {
      const words = headingEnd ? line.trimEnd().replace(headingEnd, '') : line;
      const level = Math.min(groups['heading'].length, 3) as 1 | 2 | 3;
      this.blocks.push({ kind: 'heading', level, children: rowOf(words, inline) });
    }
  }

  #paragraph(at: number): number {
    const { inline } = this.#dialect;
    const begins = (line: number): boolean => {
      this.#beginning.lastIndex = line;
      return this.#beginning.test(this.#text);
    };
    const scan = new InlineScan(this.#text, at, inline, this.#ahead, begins);
    const end = scan.run();
    const row = scan.stack.finish();
    if (scan.stack.hasBlocks) this.blocks.push(...splitCode(row));
    else this.blocks.push({ kind: 'paragraph', children: row as readonly Inline[] });
    return end + 1;
  }

  #quotedLines(from: number): number {
    const lines: string[] = [];
    let at = from;
    while (at <= this.#text.length) {
      this.#beginning.lastIndex = at;
      const isQuoted = this.#beginning.exec(this.#text)?.groups?.['quote'] !== undefined;
      const start = this.#beginning.lastIndex;
      if (!isQuoted) break;
      const end = this.#lineEnd(start);
      lines.push(this.#text.slice(start, end));
      at = end + 1;
    }
    this.#quote(lines.join('\n'));
    return at;
  }

  #quote(text: string): void {
    const children = new BlockScan(text, this.#dialect, this.#depth + 1).run();
    this.blocks.push({ kind: 'quote', children });
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
      if (
        bare.length >= fence.length &&
        bare === bare.charAt(0).repeat(bare.length) &&
        bare.startsWith(fence)
      )
        break;
      lines.push(line.slice(Math.min(indent, Math.max(0, line.search(/\S|$/)))));
    }
    const [language] = info.trim().split(/\s/);
    this.blocks.push(codeBlock(lines.join('\n'), language || undefined));
    return from;
  }
}

/** Parses blocks by a dialect's rules; the result is not in canonical form yet. */
export const parseBlocks = (text: string, dialect: BlockDialect): readonly Block[] =>
  new BlockScan(text, dialect, 0).run();
