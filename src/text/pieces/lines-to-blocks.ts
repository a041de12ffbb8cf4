import { text } from '../../model/rich-text.ts';
import type {
  Block,
  CodeBlock,
  Inline,
  List,
  ListItem,
  RichText,
  StyleKind,
} from '../../model/rich-text.ts';
import { PLAIN_LINE, type ItemLine, type Line, type Wrapper } from './piece.ts';

export const STYLES: readonly StyleKind[] = ['bold', 'italic', 'underline', 'strike'];
export const STYLE_BITS: Readonly<Record<StyleKind, number>> = {
  bold: 1,
  italic: 2,
  underline: 4,
  strike: 8,
};

/** Styles, spoiler and link around a run; runs of one spoiler or link share its number, 0 is none. */
export interface Wrapping {
  /** Styles as bits of `STYLE_BITS`. */
  readonly styles: number;
  readonly spoiler: number;
  readonly link: number;
}

export interface Run {
  readonly node: Inline;
  readonly on: Wrapping;
}

export interface TextLine {
  readonly line: Line;
  readonly runs: readonly Run[];
  /** The wrapping of the break at the line's end. */
  readonly breakOn: Wrapping;
}

export interface CodeLine {
  readonly block: CodeBlock;
  readonly quotes: number;
}

export const NOTHING: Wrapping = { styles: 0, spoiler: 0, link: 0 };
const LINE_BREAK = text('\n');

export type BuiltLine = TextLine | CodeLine;

const quotesOf = (built: BuiltLine): number =>
  'block' in built ? built.quotes : built.line.quotes;

/** The end of the items, from `from` on, for which `same` holds. */
const alike = <Each>(all: readonly Each[], from: number, same: (each: Each) => boolean): number => {
  let to = from;
  while (to < all.length && same(all[to] as Each)) to += 1;
  return to;
};

class BlockMaker {
  readonly #links: readonly Wrapper[];
  /** Links already written: a link stays one, and later runs of it keep only their text. */
  readonly #done = new Set<number>();

  /** @param links by their numbers */
  constructor(links: readonly Wrapper[]) {
    this.#links = links;
  }

  blocks(lines: readonly BuiltLine[], quotes: number): RichText {
    const blocks: Block[] = [];
    for (let at = 0; at < lines.length;) {
      const built = lines[at] as BuiltLine;
      let to = at + 1;
      if (quotesOf(built) > quotes) {
        to = alike(lines, at, (other) => quotesOf(other) > quotes);
        blocks.push({ kind: 'quote', children: this.blocks(lines.slice(at, to), quotes + 1) });
      } else if ('block' in built) blocks.push(built.block);
      else if (built.line.kind === 'paragraph' || built.line.kind === 'item') {
        const { kind } = built.line;
        to = alike(
          lines,
          at,
          (other) => quotesOf(other) === quotes && 'line' in other && other.line.kind === kind,
        );
        const same = lines.slice(at, to) as readonly TextLine[];
        if (kind === 'item') blocks.push(...this.#lists(same));
        else blocks.push({ kind, children: this.#row(joined(same)) });
      } else {
        const children = this.#row(built.runs);
        blocks.push(
          built.line.kind === 'heading'
            ? { kind: 'heading', level: built.line.level, children }
            : { kind: 'subtext', children },
        );
      }
      at = to;
    }
    return blocks;
  }

  #lists(lines: readonly TextLine[]): readonly List[] {
    const outermost: List[] = [];
    const levels = [{ depth: Number.POSITIVE_INFINITY, lists: outermost }];
    for (let at = 0; at < lines.length;) {
      const { depth, number } = (lines[at] as TextLine).line as ItemLine;
      const to = alike(
        lines,
        at + 1,
        ({ line }) => line.kind === 'item' && line.continues === true,
      );
      const added: ListItem = { children: this.#row(joined(lines.slice(at, to))), lists: [] };
      while (levels.length > 1 && depth < (levels.at(-1)?.depth ?? 0)) levels.pop();
      let level = levels.at(-1) as (typeof levels)[number];
      const parent = level.lists.at(-1)?.items.at(-1);
      if (parent && depth > level.depth) {
        level = { depth, lists: parent.lists as List[] };
        levels.push(level);
      } else level.depth = Math.min(level.depth, depth);
      const last = level.lists.at(-1);
      if (last && (last.start === undefined) === (number === undefined))
        (last.items as ListItem[]).push(added);
      else
        level.lists.push({
          kind: 'list',
          ...(number === undefined ? {} : { start: number }),
          items: [added],
        });
      at = to;
    }
    return outermost;
  }

  #row(runs: readonly Run[]): readonly Inline[] {
    if (runs.every(({ on }) => on === NOTHING)) return runs.map(({ node }) => node);
    const row: Inline[] = [];
    for (let at = 0; at < runs.length;) {
      const { spoiler } = (runs[at] as Run).on;
      const to = alike(runs, at, ({ on }) => on.spoiler === spoiler);
      const within = runs.slice(at, to);
      const common = spoiler > 0 ? commonStyles(within) : 0;
      const children = this.#linked(within, common);
      if (spoiler > 0) row.push(withStyles({ kind: 'spoiler', children }, common));
      else for (const child of children) row.push(child);
      at = to;
    }
    return row;
  }

  /**
   * Wraps runs in their links.
   *
   * @param done styles already applied around them
   */
  #linked(runs: readonly Run[], done: number): readonly Inline[] {
    const row: Inline[] = [];
    for (let at = 0; at < runs.length;) {
      const { link } = (runs[at] as Run).on;
      const to = alike(runs, at, ({ on }) => on.link === link);
      const within = runs.slice(at, to);
      const isLabel = link > 0 && !this.#done.has(link) && !within.every(isBlankRun);
      const wrapper = isLabel ? this.#links[link - 1] : undefined;
      if (wrapper?.kind === 'link') {
        this.#done.add(link);
        const common = commonStyles(within);
        const children = styledEach(within, done | common);
        row.push(withStyles({ ...wrapper, children }, common & ~done));
      } else for (const child of styledEach(within, done)) row.push(child);
      at = to;
    }
    return row;
  }
}

const isBlankRun = ({ node }: Run): boolean => node.kind === 'text' && node.text.trim() === '';

const withStyles = (node: Inline, styles: number): Inline =>
  styles === 0
    ? node
    : STYLES.reduce(
        (inner, kind): Inline => (styles & STYLE_BITS[kind] ? { kind, children: [inner] } : inner),
        node,
      );

const styledEach = (runs: readonly Run[], done: number): readonly Inline[] =>
  runs.map(({ node, on }) => withStyles(node, on.styles & ~done));

const commonStyles = (runs: readonly Run[]): number =>
  runs.reduce((common, { on }) => common & on.styles, -1);

/** The lines of one row, with the breaks between them. */
const joined = (lines: readonly TextLine[]): readonly Run[] => {
  const [only] = lines;
  if (only && lines.length === 1) return only.runs;
  const row: Run[] = [];
  const add = (run: Run): void => {
    const last = row.at(-1);
    if (run.node.kind === 'text' && last?.node.kind === 'text' && run.on === last.on)
      row[row.length - 1] = { node: text(last.node.text + run.node.text), on: run.on };
    else row.push(run);
  };
  for (const [index, { runs, breakOn }] of lines.entries()) {
    for (const run of runs) add(run);
    if (index < lines.length - 1) add({ node: LINE_BREAK, on: breakOn });
  }
  return row;
};

/** The row of a single plain line, as most messages are; undefined for any other lines. */
const onePlainRow = (lines: readonly BuiltLine[]): readonly Inline[] | undefined => {
  const [only] = lines;
  if (!only || lines.length > 1 || 'block' in only || only.line !== PLAIN_LINE) return undefined;
  return only.runs.every(({ on }) => on === NOTHING)
    ? only.runs.map(({ node }) => node)
    : undefined;
};

/** Makes blocks of lines, joining neighbours of one kind; the result is not in canonical form yet. */
export const linesToBlocks = (lines: readonly BuiltLine[], links: readonly Wrapper[]): RichText => {
  const row = onePlainRow(lines);
  return row ? [{ kind: 'paragraph', children: row }] : new BlockMaker(links).blocks(lines, 0);
};
