import {
  STYLE_KINDS,
  code,
  text,
  withoutSeparators,
  type Inline,
  type Link,
  type StyleKind,
} from './rich-text.ts';
import { webAddress } from './web-address.ts';

const BITS: Readonly<Record<StyleKind, number>> = { bold: 1, italic: 2, underline: 4, strike: 8 };
const ALL = 15;
const blankLine = /(\n[^\S\n]*\n)/;
/** Characters that no canonical text, or code, has. */
const changed = /[\r\u2060]/;
const changedInCode = /[\n\r\u2060]/;
const visible = /[^\s\p{Default_Ignorable_Code_Point}\p{Cc}]/u;

/** One leaf or container, with all styles that lie on it. */
interface Run {
  readonly node: Inline;
  readonly styles: number;
  /** White space alone: it shows no style at the end of a word. */
  readonly space: boolean;
}

interface Place {
  readonly inLink: boolean;
  readonly inSpoiler: boolean;
}

const isSpoilt = (nodes: readonly Inline[]): boolean =>
  nodes.some((node) => node.kind === 'spoiler' || ('children' in node && isSpoilt(node.children)));

const textOf = ({ node }: Run): string => (node.kind === 'text' ? node.text : '');

const joinLines = (written: string): string =>
  written.replaceAll(/\r\n?/g, '\n').replaceAll(/\n(?:[^\S\n]*\n)+/g, '\n');

/** The spaces around a label, and the label. */
const withoutEdges = (label: readonly Run[]): [string, readonly Run[], string] => {
  const core = [...label];
  let before = '';
  let after = '';
  for (let first = core[0]; first?.node.kind === 'text'; first = core[0]) {
    const trimmed = first.node.text.trimStart();
    before += first.node.text.slice(0, first.node.text.length - trimmed.length);
    core.splice(0, 1, ...(trimmed ? [{ ...first, node: text(trimmed) }] : []));
    if (trimmed) break;
  }
  for (let last = core.at(-1); last?.node.kind === 'text'; last = core.at(-1)) {
    const trimmed = last.node.text.trimEnd();
    after = last.node.text.slice(trimmed.length) + after;
    core.splice(-1, 1, ...(trimmed ? [{ ...last, node: text(trimmed) }] : []));
    if (trimmed) break;
  }
  return [before, core, after];
};

const pushWords = (parts: Run[], words: string, styles: number): void => {
  const trimmed = words.trimStart();
  const core = trimmed.trimEnd();
  const before = words.slice(0, words.length - trimmed.length);
  if (before) parts.push({ node: text(before), styles, space: true });
  if (core) parts.push({ node: text(core), styles, space: false });
  const after = trimmed.slice(core.length);
  if (after) parts.push({ node: text(after), styles, space: true });
};

/** White space keeps the styles that it has itself and that both of its neighbours have. */
const freeSpace = (runs: readonly Run[], around: number): Run[] => {
  const parts: Run[] = [];
  for (const run of runs) {
    const written = textOf(run);
    if (written === '' || (run.styles === 0 && around === 0 && !run.space)) parts.push(run);
    else if (!written.includes('\n')) pushWords(parts, written, run.styles);
    else
      for (const [index, piece] of written.split(blankLine).entries())
        if (index % 2 === 1) parts.push({ node: text(piece), styles: run.styles, space: true });
        else pushWords(parts, piece, run.styles);
  }
  const freed: Run[] = [];
  for (const part of parts) {
    const last = freed.at(-1);
    if (!part.space || !last?.space) freed.push(part);
    else {
      const node = text(textOf(last) + textOf(part));
      freed[freed.length - 1] = { node, styles: last.styles & part.styles, space: true };
    }
  }
  const stylesAt = (at: number): number => freed[at]?.styles ?? around;
  return freed.map((run, at) => {
    if (!run.space) return run;
    const shared = run.styles & stylesAt(at - 1) & stylesAt(at + 1);
    return { ...run, styles: blankLine.test(textOf(run)) ? around : shared };
  });
};

const joinTexts = (runs: readonly Run[]): readonly Run[] => {
  const joined: Run[] = [];
  for (const run of runs) {
    const last = joined.at(-1);
    const isSame = last && run.node.kind === 'text' && last.node.kind === 'text';
    // A style never begins with white space, even where another one ends.
    if (isSame && last.styles === run.styles && (run.styles === 0 || last.space === run.space)) {
      const node = text(textOf(last) + textOf(run));
      joined[joined.length - 1] = { ...run, node, space: last.space && run.space };
    } else joined.push(run);
  }
  return joined;
};

/**
 * Rebuilds nodes: the style that reaches farthest is the outermost. Styles in `done` are applied
 * already.
 */
const nest = (runs: readonly Run[], done: number, from = 0, to = runs.length): Inline[] => {
  const nodes: Inline[] = [];
  for (let at = from; at < to;) {
    const { node, styles, space } = runs[at] as Run;
    const open = space ? 0 : styles & ~done;
    let farthest = at;
    let outer: StyleKind | undefined;
    for (const style of STYLE_KINDS) {
      if (!(BITS[style] & open)) continue;
      let end = at + 1;
      while (end < to && (runs[end]?.styles ?? 0) & BITS[style]) end += 1;
      if (end <= farthest) continue;
      farthest = end;
      outer = style;
    }
    if (outer) {
      nodes.push({ kind: outer, children: nest(runs, done | BITS[outer], at, farthest) });
      at = farthest;
      continue;
    }
    const last = nodes.at(-1);
    if (node.kind === 'text' && last?.kind === 'text')
      nodes[nodes.length - 1] = text(last.text + node.text);
    else nodes.push(node);
    at += 1;
  }
  return nodes;
};

/** A row split into runs: styles are bits of each run, containers stay whole. */
class Runs {
  readonly runs: Run[] = [];
  readonly #place: Place;

  constructor(place: Place) {
    this.#place = place;
  }

  add(nodes: readonly Inline[], styles: number): this {
    for (const node of nodes) this.#node(node, styles);
    return this;
  }

  #node(node: Inline, styles: number): void {
    if (node.kind === 'text') this.#text(node.text, styles);
    else if (node.kind === 'code') this.#code(node.text, styles);
    else if (node.kind === 'link') this.#link(node, styles);
    else if (node.kind === 'spoiler') this.#spoiler(node.children, styles);
    else if ('children' in node) this.add(node.children, styles | BITS[node.kind]);
    else this.runs.push({ node, styles, space: false });
  }

  #text(written: string, styles: number): void {
    let plain = withoutSeparators(written);
    if (plain.includes('\r')) plain = plain.replaceAll(/\r\n?/g, '\n');
    if (this.#place.inLink && plain.includes('\n')) plain = plain.replaceAll('\n', ' ');
    if (plain !== '') this.runs.push({ node: text(plain), styles, space: plain.trim() === '' });
  }

  #code(written: string, styles: number): void {
    const plain = withoutSeparators(written);
    const joined = /[\n\r]/.test(plain) ? joinLines(plain) : plain;
    const lines = this.#place.inLink ? joined.replaceAll('\n', ' ') : joined;
    if (!visible.test(lines)) return this.#text(lines, styles);
    const last = this.runs.at(-1);
    if (last?.node.kind !== 'code' || last.styles !== styles) {
      this.runs.push({ node: code(lines), styles, space: false });
      return;
    }
    const both = last.node.text + lines;
    const begun = lines.slice(0, lines.length - lines.trimStart().length);
    const node = code(begun.includes('\n') ? joinLines(both) : both);
    this.runs[this.runs.length - 1] = { node, styles, space: false };
  }

  #spoiler(children: readonly Inline[], styles: number): void {
    if (this.#place.inSpoiler) {
      this.add(children, styles);
      return;
    }
    const within = new Runs({ ...this.#place, inSpoiler: true }).add(children, styles);
    const inner = within.settle(styles);
    if (inner.every(({ space }) => space)) this.#text(inner.map(textOf).join(''), styles);
    else this.#contain(inner, (nodes) => ({ kind: 'spoiler', children: nodes }));
  }

  #link(node: Link, styles: number): void {
    if (this.#place.inLink) {
      if (node.children.length > 0) this.add(node.children, styles);
      else this.#text(node.url, styles);
      return;
    }
    const url = webAddress(node.url);
    if (url === undefined) {
      this.add(node.children, styles);
      const written = node.url.replaceAll(/\s+/g, ' ');
      this.#text(node.children.length > 0 ? ` (${written})` : written, styles);
      return;
    }
    if (!this.#place.inSpoiler && isSpoilt(node.children)) {
      this.#spoiler([node], styles);
      return;
    }
    const within = new Runs({ inLink: true, inSpoiler: true }).add(node.children, styles);
    const label = within.settle(styles);
    const [before, core, after] = withoutEdges(label);
    const [first] = core;
    const isBare = !first || (core.length === 1 && textOf(first) === url);
    if (before) this.#text(before, styles);
    const whole = node.noPreview ? { url, noPreview: node.noPreview } : { url };
    if (isBare) {
      const bare: Link = { kind: 'link', children: [], ...whole };
      this.runs.push({ node: bare, styles: first?.styles ?? styles, space: false });
    } else this.#contain(core, (children) => ({ kind: 'link', children, ...whole }));
    if (after) this.#text(after, styles);
  }

  /** Moves styles that lie on all of a container around it. */
  #contain(inner: readonly Run[], make: (children: Inline[]) => Inline): void {
    const common = inner.reduce((shared, run) => shared & run.styles, ALL);
    this.runs.push({ node: make(nest(inner, common)), styles: common, space: false });
  }

  /**
   * The runs with white space at the ends of styles set free, and equal neighbours joined.
   *
   * @param around the styles that lie on all of it
   */
  settle(around: number): readonly Run[] {
    const isPlain = around === 0 && this.runs.every(({ styles }) => styles === 0);
    return joinTexts(isPlain ? this.runs : freeSpace(this.runs, around));
  }
}

/** True for a leaf that a canonical row may hold unchanged after this neighbour. */
const isCanonicalLeaf = (node: Inline, before: Inline | undefined): boolean => {
  if (node.kind === 'text')
    return before?.kind !== 'text' && node.text !== '' && !changed.test(node.text);
  if (node.kind === 'code')
    return before?.kind !== 'code' && visible.test(node.text) && !changedInCode.test(node.text);
  if (node.kind === 'link') return node.children.length === 0 && webAddress(node.url) === node.url;
  if (node.kind === 'spoiler') return false;
  if (!('children' in node)) return true;
  const [only] = node.children;
  return (
    only?.kind === 'text' &&
    node.children.length === 1 &&
    !(before && 'children' in before) &&
    isCanonicalLeaf(only, undefined) &&
    only.text.trim() === only.text &&
    !only.text.includes('\n')
  );
};

/**
 * A row of inline nodes in canonical form: equal neighbours joined, nothing empty, styles as far out
 * as they reach, the longest outermost, without white space at their ends and never over an empty
 * line; a link holds neither link nor spoiler, a spoiler no spoiler.
 */
export const normaliseRow = (row: readonly Inline[]): readonly Inline[] =>
  row.every((node, index) => isCanonicalLeaf(node, row[index - 1]))
    ? row
    : nest(new Runs({ inLink: false, inSpoiler: false }).add(row, 0).settle(0), 0);
