import {
  SEPARATOR,
  type Block,
  type CodeBlock,
  type CustomEmoji,
  type Inline,
  type List,
  type Mention,
  type RichText,
  type StyleKind,
  type Timestamp,
} from '../rich-text.ts';

/** Surroundings of a text that decide what is escaped. */
export interface RowPlace {
  /** True when the text begins a line. */
  readonly lineStart: boolean;
  readonly inLabel: boolean;
  /** True when the whole tree is only words and styles: fewer signs need a backslash. */
  readonly tame: boolean;
}

/** Rules of a dialect for writing nodes; it receives only nodes that it can hold. */
export interface WriteDialect {
  readonly markers: Readonly<Record<StyleKind | 'spoiler', string>>;
  readonly text: (written: string, place: RowPlace) => string;
  readonly code: (written: string) => string;
  readonly bareLink: (url: string, noPreview: boolean, after: string) => string;
  /** Writes the `](address)` after a label. */
  readonly target: (url: string, noPreview: boolean) => string;
  readonly other: (node: Mention | CustomEmoji | Timestamp, after: string) => string;
  readonly codeBlock: (block: CodeBlock) => string;
}

/** True when only words and styles are in a part of a tree. */
const isTame = (part: Block | Inline | List['items'][number]): boolean => {
  if ('lists' in part) return part.children.every(isTame) && part.lists.every(isTame);
  if (part.kind === 'list') return part.items.every(isTame);
  if (part.kind === 'link' || !('children' in part)) return part.kind === 'text';
  return part.children.every(isTame);
};

class Writer {
  #out = '';
  readonly #dialect: WriteDialect;
  readonly #tame: boolean;
  /** The last character written; reading it from `#out` would copy the text each time. */
  #last = '\n';
  /** True when the last character belongs to a marker, which one of the same sign must not follow. */
  #afterMarker = false;

  constructor(dialect: WriteDialect, tame: boolean) {
    this.#dialect = dialect;
    this.#tame = tame;
  }

  blocks(blocks: readonly Block[]): string {
    return blocks.map((block) => this.#block(block)).join('\n');
  }

  #block(block: Block): string {
    switch (block.kind) {
      case 'paragraph':
        return this.#row(block.children);
      case 'heading':
        return `${'#'.repeat(block.level)} ${this.#row(block.children)}`;
      case 'subtext':
        return `-# ${this.#row(block.children)}`;
      case 'code-block':
        return this.#dialect.codeBlock(block);
      case 'list':
        return this.#list(block, '').join('\n');
      case 'quote':
        return `> ${this.blocks(block.children).replaceAll('\n', '\n> ')}`;
    }
  }

  #list(list: List, indent: string): readonly string[] {
    return list.items.flatMap(({ children, lists }, index) => {
      const marker = list.start === undefined ? '- ' : `${list.start + index}. `;
      const within = indent + ' '.repeat(marker.length);
      const words = this.#row(children).replaceAll('\n', `\n${within}`);
      return [`${indent}${marker}${words}`, ...lists.flatMap((inner) => this.#list(inner, within))];
    });
  }

  #row(row: readonly Inline[]): string {
    this.#out = '';
    this.#last = '\n';
    this.#afterMarker = false;
    this.#nodes(row, false, '\n');
    return this.#out;
  }

  #nodes(nodes: readonly Inline[], inLabel: boolean, after: string): void {
    for (const [index, node] of nodes.entries()) this.#node(node, inLabel, nodes[index + 1], after);
  }

  #marker(marker: string): void {
    if (this.#afterMarker && this.#last === marker[0]) this.#out += SEPARATOR;
    this.#put(marker);
    this.#afterMarker = true;
  }

  #put(written: string): void {
    if (written === '') return;
    this.#out += written;
    this.#last = written.at(-1) ?? '';
    this.#afterMarker = false;
  }

  #node(node: Inline, inLabel: boolean, next: Inline | undefined, after: string): void {
    const { markers, text, code, bareLink, target, other } = this.#dialect;
    switch (node.kind) {
      case 'text': {
        const lineStart = this.#last === '\n';
        return this.#put(text(node.text, { lineStart, inLabel, tame: this.#tame }));
      }
      case 'code':
        // Simple parsers would take a backslash before it for its escape.
        if (this.#last === '\\' || (this.#last === '`' && this.#afterMarker))
          this.#out += SEPARATOR;
        this.#put(code(node.text));
        this.#afterMarker = true;
        return;
      case 'link':
        if (node.children.length === 0)
          return this.#put(bareLink(node.url, node.noPreview ?? false, this.#begun(next, after)));
        this.#put('[');
        this.#nodes(node.children, true, ']');
        return this.#put(target(node.url, node.noPreview ?? false));
      case 'bold':
      case 'italic':
      case 'underline':
      case 'strike':
      case 'spoiler': {
        const [only] = node.children;
        const both = node.kind === 'bold' && node.children.length === 1 && only?.kind === 'italic';
        const marker = both ? markers.bold + markers.italic : markers[node.kind];
        this.#marker(marker);
        this.#nodes(both ? only.children : node.children, inLabel, marker);
        return this.#marker(marker);
      }
      case 'mention':
      case 'emoji':
      case 'timestamp':
        return this.#put(other(node, this.#begun(next, after)));
    }
  }

  /** The beginning of the next node as written, as far as an address before it needs it. */
  #begun(next: Inline | undefined, after: string): string {
    const { text, markers } = this.#dialect;
    if (!next) return after;
    if (next.kind === 'text')
      return text(next.text, { lineStart: false, inLabel: false, tame: false });
    if (next.kind === 'code') return '`';
    if (next.kind === 'link') return next.children.length === 0 ? next.url : '[';
    return 'children' in next ? markers[next.kind] : '<';
  }
}

/** Writes a tree that the dialect can hold, each block on lines of its own. */
export const writeBlocks = (tree: RichText, dialect: WriteDialect): string =>
  new Writer(dialect, tree.every(isTame)).blocks(tree);

/** Rules of a dialect for escaping. */
export interface EscapeRules {
  /** Matches every sign that may be markup. */
  readonly special: RegExp;
  /** Matches what would begin a block; its groups are the indent and the number of an item. */
  readonly lineBeginning: RegExp;
  /** True for a sign that needs no escape between its neighbours; '' at the ends of the text. */
  readonly isWords: (sign: string, before: string, after: string, place: RowPlace) => boolean;
}

/** True for a sign that is no markup in any dialect. */
const isHarmless = (sign: string, before: string, after: string, inLabel: boolean): boolean => {
  if (sign === '*') return /^[^\S\n]\s$/.test(before + after);
  if (sign === '~' || sign === '|')
    return before !== '' && after !== '' && before !== sign && after !== sign;
  return sign === '<' ? /^[\s\d=,.-]$/.test(after) : sign === ']' && !inLabel;
};

const markLine = (found: string, indent: string, number: string | undefined): string =>
  number === undefined ? `${indent}\\${found.slice(indent.length)}` : `${found}\\`;

/** Escapes text by backslashes so that nothing in it is markup. */
export const escapeBy = (
  { special, lineBeginning, isWords }: EscapeRules,
  written: string,
  place: RowPlace,
): string => {
  // Searching first is much faster for the many short texts in which there is nothing to escape.
  const escaped =
    written.search(special) < 0
      ? written
      : written.replaceAll(special, (sign, at: number) => {
          const [before, after] = [written[at - 1] ?? '', written[at + 1] ?? ''];
          const isText =
            isHarmless(sign, before, after, place.inLabel) || isWords(sign, before, after, place);
          return isText ? sign : `\\${sign}`;
        });
  const from = place.lineStart ? 0 : escaped.indexOf('\n') + 1;
  if (from === 0 && !place.lineStart) return escaped;
  return escaped.slice(0, from) + escaped.slice(from).replaceAll(lineBeginning, markLine);
};
