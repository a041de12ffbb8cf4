import { withoutSeparators } from '../rich-text.ts';
import { addressEnd, bareAddressEnd, readTarget } from '../web-address.ts';
import type { LooseInline } from '../pieces/pieces.ts';
import { InlineStack, type MarkerKind } from './inline-stack.ts';

/** Rules of a dialect for markup within lines. */
export interface InlineDialect {
  /** Finds the next place where anything but text can begin; a global pattern. */
  readonly candidates: RegExp;
  /** Markers of styles and spoilers, by their written form. */
  readonly markers: ReadonlyMap<string, MarkerKind>;
  readonly mayOpen: (marker: string, before: string, after: string) => boolean;
  readonly mayClose: (marker: string, before: string, after: string) => boolean;
  /** Reads a node other than a pair of markers at `at`; returns its end, or -1 for text. */
  readonly atom: (scan: InlineScan, at: number, found: string) => number;
  /** True when a label may stand for an address; absent from a dialect without labels. */
  readonly isLabel?: (label: string) => boolean;
  /** True when an address in angle brackets has no preview. */
  readonly angledIsQuiet?: boolean;
}

const MARKS = new Set(['*', '_', '~', '|']);
const LONGEST_RUN = 3;

/** Placeholder of a node without words. */
const OBJECT = '\uFFFC';

const wordsOf = (nodes: readonly LooseInline[]): string =>
  nodes
    .map((node) => {
      if ('text' in node) return node.text;
      if (node.kind === 'link' && node.children.length === 0) return node.url;
      return 'children' in node ? wordsOf(node.children) : OBJECT;
    })
    .join('');

const SIGNS: Readonly<Record<string, RegExp>> = {
  _: /(?<!_)_(?!\w)/,
  '*': /\*/,
  __: /__/,
  '~': /~/,
};

/** The place of the first marker that ends an address within it, or -1. */
const firstOf = (body: string, open: readonly string[]): number => {
  let first = -1;
  for (const marker of open) {
    const at = SIGNS[marker] ? body.search(SIGNS[marker]) : -1;
    if (at >= 0 && (first < 0 || at < first)) first = at;
  }
  return first;
};

/**
 * Reads rows of a text. What was found by looking ahead is remembered, so that each part of the text
 * is searched once.
 */
export class InlineScan {
  readonly text: string;
  /** The row that is being read. */
  stack = new InlineStack();
  readonly #dialect: InlineDialect;
  /** The end of the text that the stack already holds. */
  #done = 0;
  readonly #nextTicks = new Map<number, number>();
  #blankLine = -1;
  #lastSpoiler: number | undefined;
  #addressEnd = 0;

  constructor(text: string, dialect: InlineDialect) {
    this.text = text;
    this.#dialect = dialect;
  }

  /**
   * Reads a row up to the line on which a block begins, or to the end; returns that place.
   *
   * @param begins tells whether a block begins on the line that starts at a place
   */
  read(from = 0, begins: (line: number) => boolean = () => false): number {
    this.stack = new InlineStack();
    this.#done = from;
    const { candidates } = this.#dialect;
    for (let at = from; ;) {
      candidates.lastIndex = at;
      const found = candidates.exec(this.text);
      const isBreak = found?.[0] === '\n';
      if (!found || (isBreak && this.#isSeen(found.index + 1) && begins(found.index + 1))) {
        const end = found?.index ?? this.text.length;
        this.#pass(end, end);
        return end;
      }
      at = isBreak ? found.index + 1 : this.#look(found.index, found[0]);
    }
  }

  runEnd(at: number): number {
    const char = this.text[at];
    let end = at + 1;
    while (this.text[end] === char) end += 1;
    return end;
  }

  /** The start of the next run of just `length` backticks at or after `from`; Infinity for none. */
  ticks(length: number, from: number): number {
    const known = this.#nextTicks.get(length) ?? -1;
    if (known >= from) return known;
    let at = this.text.indexOf('`', from);
    while (at >= 0) {
      const end = this.runEnd(at);
      if (end - at === length) break;
      at = this.text.indexOf('`', end);
    }
    const found = at < 0 ? Number.POSITIVE_INFINITY : at;
    this.#nextTicks.set(length, found);
    return found;
  }

  /** The next empty line at or after `from`, or the end of the text. */
  blankLine(from: number): number {
    if (this.#blankLine < from) {
      const found = this.text.indexOf('\n\n', from);
      this.#blankLine = found < 0 ? this.text.length : found;
    }
    return this.#blankLine;
  }

  /** The groups of a sticky pattern's match at `at`, whose end is then the pattern's `lastIndex`. */
  groups(pattern: RegExp, at: number): Readonly<Record<string, string | undefined>> | undefined {
    pattern.lastIndex = at;
    return pattern.exec(this.text)?.groups;
  }

  /** Puts a node into the row in place of the text from `start` to `end`. */
  node(node: LooseInline, start: number, end: number): number {
    this.#pass(start, end);
    this.stack.node(node);
    return end;
  }

  /** Puts unescaped text in place of the text from `start` to `end`. */
  plain(written: string, start: number, end: number): number {
    this.#pass(start, end);
    this.stack.text(written);
    return end;
  }

  /**
   * Reads the bare address at `at`.
   *
   * @param stop gives the place within the address as written where it ends early, or -1; default:
   *   where a marker around it closes
   * @param unescape the address of what is written
   */
  address(
    at: number,
    stop = (body: string): number => firstOf(body, this.stack.openMarkers()),
    unescape = (written: string): string => written,
  ): number {
    if (at >= this.#addressEnd) this.#addressEnd = addressEnd(this.text, at);
    const end = bareAddressEnd(this.text, at, this.#addressEnd, stop);
    if (end < 0) return -1;
    const url = unescape(withoutSeparators(this.text.slice(at, end)));
    return this.node({ kind: 'link', url, children: [] }, at, end);
  }

  /** Adds the text up to `start` to the row, and goes on at `end`. */
  #pass(start: number, end: number): void {
    if (start > this.#done) this.stack.text(this.text.slice(this.#done, start));
    this.#done = end;
  }

  /** True when a block may begin at `at`: not inside a spoiler that closes later. */
  #isSeen(at: number): boolean {
    if (this.stack.depthOf('||') < 0) return true;
    this.#lastSpoiler ??= this.text.lastIndexOf('||');
    return this.#lastSpoiler < at;
  }

  #look(at: number, found: string): number {
    if (MARKS.has(found)) return this.#run(at, found);
    if (found === '[') {
      this.#pass(at, at + 1);
      this.stack.openLabel(at);
      return at + 1;
    }
    if (found === ']') return this.#closeLabel(at);
    const end = this.#dialect.atom(this, at, found);
    return end < 0 ? at + found.length : end;
  }

  #closeLabel(at: number): number {
    const { stack, text } = this;
    if (!stack.hasLabel) return at + 1;
    const { isLabel, angledIsQuiet } = this.#dialect;
    const target = readTarget(text, at + 1);
    this.#pass(at, target?.end ?? at + 1);
    if (!target || !isLabel?.(wordsOf(stack.label()))) {
      this.#done = at;
      stack.dropLabel();
      return at + 1;
    }
    const { url, angled, end } = target;
    stack.closeLabel(angled && angledIsQuiet ? { url, noPreview: true } : { url });
    return end;
  }

  #run(at: number, char: string): number {
    const end = this.runEnd(at);
    const length = end - at;
    if (length > LONGEST_RUN) return end;
    const marker = char.repeat(length);
    const { markers, mayOpen, mayClose } = this.#dialect;
    const { stack, text } = this;
    const before = text[at - 1] ?? '\n';
    const after = text[end] ?? '\n';
    const closes = (each: string): boolean =>
      stack.isOpen(each, at) && mayClose(each, before, after);
    const kind = markers.get(marker);
    if (kind !== undefined) {
      if (closes(marker)) this.#close([marker], end);
      else if (mayOpen(marker, before, after)) this.#open(marker, kind, at);
      return end;
    }
    const [two, one] = [char + char, char];
    const [outer, inner] = [markers.get(two), markers.get(one)];
    if (length !== LONGEST_RUN || outer === undefined || inner === undefined) return end;
    const closable = [one, two]
      .filter(closes)
      .toSorted((a, b) => stack.depthOf(b) - stack.depthOf(a));
    if (closable.length > 0) this.#close(closable, end);
    else if (mayOpen(two, before, after) && mayOpen(one, before, after)) {
      this.#open(two, outer, at);
      this.#open(one, inner, at + 2);
    }
    return end;
  }

  #open(marker: string, kind: MarkerKind, at: number): void {
    this.#pass(at, at + marker.length);
    this.stack.open(marker, kind, at);
  }

  /** Closes markers at the end of a run; surplus characters of the run belong to the text inside. */
  #close(markers: readonly string[], end: number): void {
    this.#pass(end - markers.join('').length, end);
    for (const marker of markers) this.stack.close(marker);
  }
}

/** Reads a row of text without blocks. */
export const scanRow = (text: string, dialect: InlineDialect): InlineStack => {
  const scan = new InlineScan(text, dialect);
  scan.read();
  return scan.stack;
};
