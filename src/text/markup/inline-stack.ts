import type { CodeBlock, Inline, Link, StyleKind } from '../../model/rich-text.ts';
import { withoutSeparators } from '../../model/separator.ts';

/** What a row of text may hold before blocks are told apart: a fence may stand within a line. */
export type Loose = Inline | CodeBlock;

export type MarkerKind = StyleKind | 'spoiler' | 'label';

interface Frame {
  /** As written; it is text again when no partner comes. */
  marker: string;
  kind: MarkerKind | undefined;
  start: number;
  end: number;
  readonly children: Loose[];
}

const MOST_LABELS = 4;

/** Adds a node; texts that are neighbours become one. */
const append = (nodes: Loose[], node: Loose): void => {
  const last = nodes.at(-1);
  if (node.kind === 'text' && last?.kind === 'text')
    nodes[nodes.length - 1] = { kind: 'text', text: last.text + node.text };
  else nodes.push(node);
};

const asInline = (nodes: readonly Loose[]): readonly Inline[] => nodes as readonly Inline[];

/**
 * Builds nodes from markers as they are met. Each marker is open once at most, so the depth is
 * bounded, and every node moves outwards only: the time is linear.
 */
export class InlineStack {
  readonly #frames: Frame[] = [{ marker: '', kind: undefined, start: 0, end: 0, children: [] }];
  #labels = 0;
  /** Code blocks were met. */
  hasBlocks = false;

  text(written: string): void {
    const plain = withoutSeparators(written);
    if (plain !== '') append(this.#top.children, { kind: 'text', text: plain });
  }

  node(node: Loose): void {
    if (node.kind === 'code-block') this.hasBlocks = true;
    this.#top.children.push(node);
  }

  /** True when a marker is open that `at` does not follow immediately. */
  isOpen(marker: string, at: number): boolean {
    const frame = this.#frames[this.#find(marker)];
    return frame !== undefined && frame.end < at;
  }

  /** How deep the open marker lies; -1 when it is not open. */
  depthOf(marker: string): number {
    return this.#find(marker);
  }

  get hasSpoiler(): boolean {
    return this.#frames.some(({ kind }) => kind === 'spoiler');
  }

  openMarkers(): readonly string[] {
    return this.#frames.length === 1 ? [] : this.#frames.map(({ marker }) => marker);
  }

  open(marker: string, kind: MarkerKind, start: number): void {
    if (kind === 'label') {
      if (this.#labels === MOST_LABELS)
        this.#unframe(this.#frames.findIndex((frame) => frame.kind === 'label'));
      this.#labels += 1;
    } else this.#unframe(this.#find(marker));
    this.#frames.push({ marker, kind, start, end: start + marker.length, children: [] });
  }

  /** Closes an open style or spoiler; what is open within becomes text. */
  close(marker: string): void {
    let at = this.#find(marker);
    // Of `***a** b*`, either part may end first.
    for (let next = this.#frames[at + 1]; next; next = this.#frames[at + 1]) {
      const frame = this.#frames[at];
      if (!frame || frame.children.length > 0 || next.start !== frame.end) break;
      if (next.marker[0] !== frame.marker[0]) break;
      [frame.marker, next.marker] = [next.marker, frame.marker];
      [frame.kind, next.kind] = [next.kind, frame.kind];
      at += 1;
    }
    this.#unframeAbove(at);
    const { kind, children } = this.#frames.pop() ?? this.#top;
    if (kind !== undefined && kind !== 'label')
      this.#top.children.push({ kind, children: asInline(children) });
  }

  /** The label that a `]` ends, without closing it. */
  label(): readonly Inline[] | undefined {
    const at = this.#lastLabel();
    if (at < 0) return undefined;
    this.#unframeAbove(at);
    return asInline(this.#top.children);
  }

  closeLabel(link: Omit<Link, 'children' | 'kind'>): void {
    const { children } = this.#frames.pop() ?? this.#top;
    this.#labels -= 1;
    this.#top.children.push({ kind: 'link', ...link, children: asInline(children) });
  }

  get hasLabel(): boolean {
    return this.#labels > 0;
  }

  /** A `]` after which no address stands. */
  dropLabel(): void {
    this.#unframe(this.#lastLabel());
  }

  finish(): readonly Loose[] {
    this.#unframeAbove(0);
    return this.#top.children;
  }

  get #top(): Frame {
    return this.#frames.at(-1) as Frame;
  }

  #find(marker: string): number {
    for (let at = this.#frames.length - 1; at > 0; at -= 1)
      if (this.#frames[at]?.marker === marker) return at;
    return -1;
  }

  #lastLabel(): number {
    return this.#frames.findLastIndex(({ kind }) => kind === 'label');
  }

  #unframeAbove(at: number): void {
    for (let top = this.#frames.length - 1; top > at; top -= 1) this.#unframe(top);
  }

  /** Makes text of a marker again; what it held moves outwards. */
  #unframe(at: number): void {
    const frame = this.#frames[at];
    const outer = this.#frames[at - 1];
    if (!frame || !outer) return;
    if (at === this.#frames.length - 1) this.#frames.pop();
    else this.#frames.splice(at, 1);
    if (frame.kind === 'label') this.#labels -= 1;
    append(outer.children, { kind: 'text', text: frame.marker });
    for (const child of frame.children) append(outer.children, child);
  }
}
