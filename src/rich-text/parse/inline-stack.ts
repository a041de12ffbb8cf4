import { withoutSeparators, type Inline, type Link, type StyleKind } from '../rich-text.ts';
import type { LooseInline } from '../pieces/pieces.ts';

export type MarkerKind = StyleKind | 'spoiler';

interface Frame {
  /** The marker as written; it becomes text again when it is never closed. */
  marker: string;
  kind: MarkerKind | 'label' | undefined;
  start: number;
  end: number;
  readonly children: LooseInline[];
}

const MOST_LABELS = 4;

/** Adds a node; adjacent texts, which only this stack knows yet, are joined. */
const append = (nodes: LooseInline[], node: LooseInline): void => {
  const last = nodes.at(-1);
  if (node.kind === 'text' && last?.kind === 'text') (last as { text: string }).text += node.text;
  else nodes.push(node);
};

/**
 * Builds nodes from markers in the order of the text. Each marker is open at most once, so the
 * depth is bounded, and nodes only move outwards, so the time is linear.
 */
export class InlineStack {
  readonly #frames: Frame[] = [{ marker: '', kind: undefined, start: 0, end: 0, children: [] }];
  /** True once a code block was added. */
  hasBlocks = false;

  text(written: string): void {
    const plain = withoutSeparators(written);
    if (plain !== '') append(this.#top.children, { kind: 'text', text: plain });
  }

  node(node: LooseInline): void {
    if (node.kind === 'code-block') this.hasBlocks = true;
    this.#top.children.push(node);
  }

  /** True when a marker is open that does not stand immediately before `at`. */
  isOpen(marker: string, at: number): boolean {
    const frame = this.#frames[this.depthOf(marker)];
    return frame !== undefined && frame.end < at;
  }

  /** The depth of an open marker; -1 when it is not open. */
  depthOf(marker: string): number {
    for (let at = this.#frames.length - 1; at > 0; at -= 1)
      if (this.#frames[at]?.marker === marker) return at;
    return -1;
  }

  openMarkers(): readonly string[] {
    return this.#frames.map(({ marker }) => marker);
  }

  open(marker: string, kind: MarkerKind, start: number): void {
    this.#unframe(this.depthOf(marker));
    this.#push(marker, kind, start);
  }

  openLabel(start: number): void {
    const labels = this.#frames.filter(({ kind }) => kind === 'label');
    if (labels.length === MOST_LABELS) this.#unframe(this.#frames.indexOf(labels[0] as Frame));
    this.#push('[', 'label', start);
  }

  /** Closes an open style or spoiler; markers still open inside it become text. */
  close(marker: string): void {
    let at = this.depthOf(marker);
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
    const { kind, children } = this.#frames.pop() as Frame;
    if (kind !== undefined && kind !== 'label')
      this.#top.children.push({ kind, children: children as Inline[] });
  }

  get hasLabel(): boolean {
    return this.#lastLabel() > 0;
  }

  /** The nodes since the innermost `[`, in which nothing is open any more. */
  label(): readonly LooseInline[] {
    this.#unframeAbove(this.#lastLabel());
    return this.#top.children;
  }

  /** Makes a link of the label at the top. */
  closeLabel(link: Omit<Link, 'children' | 'kind'>): void {
    const { children } = this.#frames.pop() as Frame;
    this.#top.children.push({ kind: 'link', ...link, children: children as Inline[] });
  }

  /** Makes text of the innermost label, after whose `]` no address follows. */
  dropLabel(): void {
    this.#unframe(this.#lastLabel());
  }

  finish(): readonly LooseInline[] {
    this.#unframeAbove(0);
    return this.#top.children;
  }

  get #top(): Frame {
    return this.#frames.at(-1) as Frame;
  }

  #push(marker: string, kind: Frame['kind'], start: number): void {
    this.#frames.push({ marker, kind, start, end: start + marker.length, children: [] });
  }

  #lastLabel(): number {
    return this.#frames.findLastIndex(({ kind }) => kind === 'label');
  }

  #unframeAbove(at: number): void {
    for (let top = this.#frames.length - 1; top > at; top -= 1) this.#unframe(top);
  }

  /** Makes text of an open marker; its nodes move outwards. */
  #unframe(at: number): void {
    if (at < 1) return;
    const outer = this.#frames[at - 1] as Frame;
    const [{ marker, children }] = this.#frames.splice(at, 1) as [Frame];
    append(outer.children, { kind: 'text', text: marker });
    for (const child of children) append(outer.children, child);
  }
}
