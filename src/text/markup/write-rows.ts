import type { Inline, StyleKind } from '../../model/rich-text.ts';
import { SEPARATOR } from '../../model/separator.ts';

/** Surroundings of a row that decide what is escaped. */
export interface RowPlace {
  /** True when the text begins a line. */
  readonly lineStart: boolean;
  readonly inLabel: boolean;
  /** True when the whole text is only words and styles: fewer signs need a backslash. */
  readonly tame: boolean;
}

/** Rules of a dialect for writing nodes; it receives only nodes that it can hold. */
export interface RowDialect {
  readonly markers: Readonly<Record<StyleKind | 'spoiler', string>>;
  readonly text: (written: string, place: RowPlace) => string;
  readonly code: (written: string) => string;
  readonly bareLink: (url: string, noPreview: boolean, after: string) => string;
  /** Writes the `](address)` after a label. */
  readonly target: (url: string, noPreview: boolean) => string;
  /** Writes mentions, custom emoji and timestamps. */
  readonly other: (node: Inline, after: string) => string;
}

/** True when a row holds only words and styles. */
export const isTame = (nodes: readonly Inline[]): boolean =>
  nodes.every((node) =>
    node.kind === 'link'
      ? false
      : 'children' in node
        ? isTame(node.children)
        : node.kind === 'text',
  );

class RowWriter {
  out = '';
  readonly #dialect: RowDialect;
  readonly #tame: boolean;
  /** The last character written; reading it from `out` would copy the text each time. */
  #last = '\n';
  /** True when the last character belongs to a marker, which one of the same sign must not follow. */
  #afterMarker = false;

  constructor(dialect: RowDialect, tame: boolean) {
    this.#dialect = dialect;
    this.#tame = tame;
  }

  nodes(nodes: readonly Inline[], inLabel: boolean, after: string): void {
    for (const [index, node] of nodes.entries()) this.#node(node, inLabel, nodes[index + 1], after);
  }

  #marker(marker: string): void {
    if (this.#afterMarker && this.#last === marker[0]) this.out += SEPARATOR;
    this.out += marker;
    this.#last = marker.at(-1) ?? '';
    this.#afterMarker = true;
  }

  #put(written: string): void {
    if (written === '') return;
    this.out += written;
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
      case 'code': {
        const written = code(node.text);
        // Simple parsers would take a backslash before it for its escape.
        if (this.#last === '\\' || (this.#last === '`' && this.#afterMarker)) this.out += SEPARATOR;
        this.#put(written);
        this.#afterMarker = true;
        return;
      }
      case 'link':
        if (node.children.length === 0) {
          const follows = next ? this.#preview(next) : after;
          return this.#put(bareLink(node.url, node.noPreview ?? false, follows));
        }
        this.#put('[');
        this.nodes(node.children, true, ']');
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
        this.nodes(both ? only.children : node.children, inLabel, marker);
        return this.#marker(marker);
      }
      case 'mention':
      case 'emoji':
      case 'timestamp':
        return this.#put(other(node, next ? this.#preview(next) : after));
    }
  }

  /** The beginning of a node as written, as far as an address before it needs it. */
  #preview(node: Inline): string {
    if (node.kind === 'text')
      return this.#dialect.text(node.text, { lineStart: false, inLabel: false, tame: false });
    if (node.kind === 'code') return '`';
    if (node.kind === 'link') return node.children.length === 0 ? node.url : '[';
    if (node.kind in this.#dialect.markers)
      return this.#dialect.markers[node.kind as StyleKind | 'spoiler'];
    return '<';
  }
}

/** A canonical row as a dialect writes it. */
export const writeRow = (row: readonly Inline[], dialect: RowDialect, tame: boolean): string => {
  const writer = new RowWriter(dialect, tame);
  writer.nodes(row, false, '\n');
  return writer.out;
};
