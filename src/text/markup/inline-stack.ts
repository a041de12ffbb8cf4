import type { CodeBlock, Inline, Link, StyleKind } from '../../model/rich-text.ts';
import { withoutSeparators } from '../../model/separator.ts';

/** Node of a row before blocks are separated: a fence may stand within a line. */
export type Loose = Inline | CodeBlock;

export type MarkerKind = StyleKind | 'spoiler' | 'label';

interface Frame {
  /** The marker as written; it becomes text again when it is never closed. */
  marker: string;
  kind: MarkerKind | undefined;
  start: number;
  end: number;
  readonly children: Loose[];
}

const MOST_LABELS = 4;

/** Adds a node; adjacent texts are joined. */
const append = (nodes: Loose[], node: Loose): void => {
  const last = nodes.at(-1);
  if (node.kind === 'text' && last?.kind === 'text')
    nodes[nodes.length - 1] = { kind: 'text', text: last.text + node.text };
  else nodes.push(node);
};

const asInline = (nodes: readonly Loose[]): readonly Inline[] => nodes as readonly Inline[];

/**
 * Builds nodes from markers in the order of the text. Each marker is open at most once, so the
 * depth is bounded, and nodes only move outwards, so the time is linear.
 */
export class InlineStack {
  readonly #frames: Frame[] = [{ marker: '', kind: undefined, start: 0, end: 0, children: [] }];
  #labels = 0;
  /** True once a code block was added. */
  hasBlocks = false;

  text(written: string): void {
    const plain = withoutSeparators(written);
    if (plain !== '') append(this.#top.children, { kind: 'text', text: plain });
  }

  node(node: Loose): void {
    if (node.kind === 'code-block') this.hasBlocks = true;
    this.#top.children.push(node);
  }

  /** True when a marker is open that does not stand immediately before `at`. */
  isOpen(marker: string, at: number): boolean {
    const frame = this.#frames[this.#find(marker)];
    return frame !== undefined && frame.end < at;
  }

  /** The depth of an open marker; -1 when it is not open. */
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

  /** Closes an open style or spoiler; markers still open inside it become text. */
  close(marker: string): void {
    let at = this.#find(marker);
    // In `***a** b*` either marker may close first.
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

  /** Makes text of the innermost label, after whose `]` no address follows. */
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

  /** Makes text of an open marker; its nodes move outwards. */
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
