import { withoutSeparators } from '../../model/separator.ts';
import { bareAddressEnd, readTarget } from './bare-address.ts';
import { InlineStack, type Loose, type MarkerKind } from './inline-stack.ts';

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
  /** True when a label may stand for an address. */
  readonly isLabel?: (label: string) => boolean;
  /** True when an address in angle brackets has no preview. */
  readonly angledIsQuiet?: boolean;
}

const MARKS = new Set(['*', '_', '~', '|']);
const LONGEST_RUN = 3;

/** Ends of runs and results of looking ahead, cached so that each part of the text is searched once. */
export class Ahead {
  readonly #text: string;
  readonly #nextRun = new Map<number, number>();
  #blank = -1;

  constructor(text: string) {
    this.#text = text;
  }

  runEnd(at: number): number {
    const char = this.#text[at];
    let end = at + 1;
    while (this.#text[end] === char) end += 1;
    return end;
  }

  /** The start of the next run of just `length` backticks at or after `from`; Infinity for none. */
  ticks(length: number, from: number): number {
    const known = this.#nextRun.get(length) ?? -1;
    if (known >= from) return known;
    let at = this.#text.indexOf('`', from);
    while (at >= 0) {
      const end = this.runEnd(at);
      if (end - at === length) break;
      at = this.#text.indexOf('`', end);
    }
    const found = at < 0 ? Number.POSITIVE_INFINITY : at;
    this.#nextRun.set(length, found);
    return found;
  }

  /** The next empty line at or after `from`, or the end of the text. */
  blankLine(from: number): number {
    if (this.#blank < from) {
      const found = this.#text.indexOf('\n\n', from);
      this.#blank = found < 0 ? this.#text.length : found;
    }
    return this.#blank;
  }
}

export class InlineScan {
  readonly text: string;
  readonly stack = new InlineStack();
  readonly ahead: Ahead;
  readonly #dialect: InlineDialect;
  /** The end of the text that the stack already holds. */
  #done: number;
  readonly #breaksAt: (at: number) => boolean;
  #lastSpoiler: number | undefined;

  constructor(
    text: string,
    from: number,
    dialect: InlineDialect,
    ahead: Ahead,
    breaksAt: (at: number) => boolean,
  ) {
    this.text = text;
    this.ahead = ahead;
    this.#done = from;
    this.#dialect = dialect;
    this.#breaksAt = breaksAt;
  }

  /** Reads up to the line on which a block begins, or to the end; returns that place. */
  run(): number {
    const { text } = this;
    const { candidates } = this.#dialect;
    let at = this.#done;
    for (;;) {
      candidates.lastIndex = at;
      const found = candidates.exec(text);
      if (!found) break;
      const { index } = found;
      if (found[0] === '\n') {
        if (this.#breaks(index + 1)) return this.#end(index);
        at = index + 1;
        continue;
      }
      at = this.#look(index, found[0]);
    }
    return this.#end(text.length);
  }

  /** Puts a node into the row in place of the text from `start` to `end`. */
  node(node: Loose, start: number, end: number): number {
    this.flush(start);
    this.stack.node(node);
    this.#done = end;
    return end;
  }

  /** Puts unescaped text in place of the text from `start` to `end`. */
  plain(written: string, start: number, end: number): number {
    this.flush(start);
    this.stack.text(written);
    this.#done = end;
    return end;
  }

  /** Reads the bare address at `at`; it ends where a marker around it closes. */
  address(at: number): number {
    const open = this.stack.openMarkers();
    const end = bareAddressEnd(
      this.text,
      at,
      open.length === 0 ? undefined : (body) => cutAt(body, open),
    );
    if (end < 0) return -1;
    const url = withoutSeparators(this.text.slice(at, end));
    return this.node({ kind: 'link', url, children: [] }, at, end);
  }

  flush(to: number): void {
    if (to > this.#done) this.stack.text(this.text.slice(this.#done, to));
    this.#done = to;
  }

  #end(at: number): number {
    this.flush(at);
    return at;
  }

  /** True when a block begins on the line at `at`; inside a spoiler that closes later none does. */
  #breaks(at: number): boolean {
    if (this.stack.hasSpoiler) {
      this.#lastSpoiler ??= this.text.lastIndexOf('||');
      if (this.#lastSpoiler >= at) return false;
    }
    return this.#breaksAt(at);
  }

  #look(at: number, found: string): number {
    if (MARKS.has(found)) return this.#run(at, found);
    if (found === '[') return this.#openLabel(at);
    if (found === ']') return this.#closeLabel(at);
    const end = this.#dialect.atom(this, at, found);
    return end < 0 ? at + found.length : end;
  }

  #openLabel(at: number): number {
    this.flush(at);
    this.stack.open('[', 'label', at);
    this.#done = at + 1;
    return at + 1;
  }

  #closeLabel(at: number): number {
    const { stack, text } = this;
    if (!stack.hasLabel) return at + 1;
    const { isLabel, angledIsQuiet = false } = this.#dialect;
    const target = text[at + 1] === '(' ? readTarget(text, at + 1) : undefined;
    this.flush(at);
    const label = target ? stack.label() : undefined;
    if (!target || !label || (isLabel && !isLabel(wordsOf(label)))) {
      stack.dropLabel();
      return at + 1;
    }
    stack.closeLabel(
      target.angled && angledIsQuiet ? { url: target.url, noPreview: true } : { url: target.url },
    );
    this.#done = target.end;
    return target.end;
  }

  #run(at: number, char: string): number {
    const end = this.ahead.runEnd(at);
    const length = end - at;
    if (length > LONGEST_RUN) return end;
    const marker = char.repeat(length);
    const { markers, mayOpen, mayClose } = this.#dialect;
    const { stack, text } = this;
    const before = text[at - 1] ?? '\n';
    const after = text[end] ?? '\n';
    const kind = markers.get(marker);
    if (kind !== undefined) {
      if (stack.isOpen(marker, at) && mayClose(marker, before, after))
        return this.#close([marker], end);
      if (mayOpen(marker, before, after)) this.#open(marker, kind, at);
      return end;
    }
    const [two, one] = [char + char, char];
    const [outer, inner] = [markers.get(two), markers.get(one)];
    if (length !== LONGEST_RUN || outer === undefined || inner === undefined) return end;
    const closable = [one, two]
      .filter((each) => stack.isOpen(each, at) && mayClose(each, before, after))
      .toSorted((a, b) => stack.depthOf(b) - stack.depthOf(a));
    if (closable.length > 0) return this.#close(closable, end);
    if (mayOpen(two, before, after) && mayOpen(one, before, after)) {
      this.#open(two, outer, at);
      this.#open(one, inner, at + 2);
    }
    return end;
  }

  #open(marker: string, kind: MarkerKind, at: number): void {
    this.flush(at);
    this.stack.open(marker, kind, at);
    this.#done = at + marker.length;
  }

  /** Closes markers at the end of a run; surplus characters of the run belong to the text inside. */
  #close(markers: readonly string[], end: number): number {
    const used = markers.reduce((sum, { length }) => sum + length, 0);
    this.flush(end - used);
    for (const marker of markers) this.stack.close(marker);
    this.#done = end;
    return end;
  }
}

/** Placeholder of a node without words. */
const OBJECT = '\uFFFC';

const wordsOf = (nodes: readonly Loose[]): string =>
  nodes
    .map((node) => {
      if ('text' in node) return node.text;
      if (node.kind === 'link' && node.children.length === 0) return node.url;
      return 'children' in node ? wordsOf(node.children) : OBJECT;
    })
    .join('');

/** The end of an address at the first marker that is open around it. */
const cutAt = (body: string, open: readonly string[]): number => {
  let cut = -1;
  for (const marker of open) {
    const at =
      marker === '_'
        ? body.search(/(?<!_)_(?![\w])/)
        : marker === '*' || marker === '__' || marker === '~'
          ? body.indexOf(marker)
          : -1;
    if (at >= 0 && (cut < 0 || at < cut)) cut = at;
  }
  return cut;
};

/** Reads a row of text without blocks. */
export const scanRow = (text: string, dialect: InlineDialect): InlineStack => {
  const scan = new InlineScan(text, 0, dialect, new Ahead(text), () => false);
  scan.run();
  return scan.stack;
};
