import { grouped } from '../walk.ts';
import { nestItems } from '../normalise.ts';
import {
  STYLE_KINDS,
  styled,
  text,
  type Block,
  type CodeBlock,
  type Inline,
  type List,
  type RichText,
  type StyleKind,
} from '../rich-text.ts';
import { PLAIN_LINE, type Line, type Wrapper } from './pieces.ts';

/** Styles, spoiler and link around a run; runs of one spoiler or link share its number, 0 is none. */
export interface Wrapping {
  readonly styles: readonly StyleKind[];
  readonly spoiler: number;
  readonly link: number;
}

export interface Run {
  readonly node: Inline;
  readonly on: Wrapping;
}

interface TextLine {
  readonly line: Line;
  readonly runs: readonly Run[];
  /** The wrapping of the break at the line's end. */
  readonly breakOn: Wrapping;
}

/** A line with its runs, or a block of code. */
export type BuiltLine = TextLine | { readonly block: CodeBlock; readonly quotes: number };

export const NOTHING: Wrapping = { styles: [], spoiler: 0, link: 0 };
const LINE_BREAK = text('\n');

const isBlankRun = ({ node }: Run): boolean => node.kind === 'text' && node.text.trim() === '';

const inStyles = (node: Inline, styles: readonly StyleKind[]): Inline =>
  styles.reduce((inner, kind): Inline => styled(kind, inner), node);

const withStyles = ({ node, on }: Run): Inline =>
  on === NOTHING ? node : inStyles(node, on.styles);

/** The styles of all runs, for what encloses them: white space at its ends has no others. */
const commonStyles = (runs: readonly Run[]): readonly StyleKind[] =>
  STYLE_KINDS.filter((kind) => runs.every(({ on }) => on.styles.includes(kind)));

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

class BlockMaker {
  readonly #links: readonly Wrapper[];
  /** Links already written: a link stays one, and later runs of it keep only their text. */
  #done: Set<number> | undefined;

  /** @param links by their numbers */
  constructor(links: readonly Wrapper[]) {
    this.#links = links;
  }

  blocks(lines: readonly BuiltLine[], quotes: number): RichText {
    return grouped(lines, (built) => {
      if ('block' in built) return built.quotes > quotes ? 'quote' : built;
      if (built.line.quotes > quotes) return 'quote';
      const { kind } = built.line;
      return kind === 'paragraph' || kind === 'item' ? kind : built;
    }).flatMap((group): readonly Block[] => {
      const [first] = group;
      if (('block' in first ? first : first.line).quotes > quotes)
        return [{ kind: 'quote', children: this.blocks(group, quotes + 1) }];
      if ('block' in first) return [first.block];
      const { line } = first;
      if (line.kind === 'item') return this.#lists(group as readonly TextLine[]);
      const children = this.row(joined(group as readonly TextLine[]));
      return line.kind === 'heading'
        ? [{ kind: 'heading', level: line.level, children }]
        : [{ kind: line.kind, children }];
    });
  }

  #lists(lines: readonly TextLine[]): readonly List[] {
    const items: TextLine[][] = [];
    for (const built of lines)
      if (built.line.kind === 'item' && built.line.continues) items.at(-1)?.push(built);
      else items.push([built]);
    return nestItems(
      items.flatMap((item) => {
        const line = item[0]?.line;
        const children = this.row(joined(item));
        return line?.kind === 'item' ? { indent: line.depth, number: line.number, children } : [];
      }),
    );
  }

  row(runs: readonly Run[]): readonly Inline[] {
    if (runs.every(({ on }) => on.spoiler === 0 && on.link === 0)) return runs.map(withStyles);
    return grouped(runs, ({ on }) => on.spoiler).flatMap((within): readonly Inline[] => {
      const children = this.#linked(within);
      if (within[0].on.spoiler === 0) return children;
      return [inStyles({ kind: 'spoiler', children }, commonStyles(within))];
    });
  }

  #linked(runs: readonly Run[]): readonly Inline[] {
    return grouped(runs, ({ on }) => on.link).flatMap((within): readonly Inline[] => {
      const children = within.map(withStyles);
      const link = within[0].on.link;
      const wrapper = this.#links[link - 1];
      if (wrapper?.kind !== 'link' || this.#done?.has(link) || within.every(isBlankRun))
        return children;
      this.#done ??= new Set();
      this.#done.add(link);
      return [inStyles({ ...wrapper, children }, commonStyles(within))];
    });
  }
}

/** Makes blocks of lines, joining neighbours of one kind; the result is not in canonical form yet. */
export const linesToBlocks = (lines: readonly BuiltLine[], links: readonly Wrapper[]): RichText => {
  const maker = new BlockMaker(links);
  const [only] = lines;
  // Most messages are a single plain line.
  return only && lines.length === 1 && 'line' in only && only.line === PLAIN_LINE
    ? [{ kind: 'paragraph', children: maker.row(only.runs) }]
    : maker.blocks(lines, 0);
};
