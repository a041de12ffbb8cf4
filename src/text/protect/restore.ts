import type { StyleKind } from '../../rich-text/rich-text.ts';
import { charAfter, charBefore, isBlank, withoutSpacesAfter } from '../unicode.ts';
import type { Piece, Wrapper } from '../../rich-text/pieces/pieces.ts';
import {
  readTokens,
  TOKEN_CLOSE,
  TOKEN_OPEN,
  withBrackets,
  withoutUnfinished,
  type Stretch,
} from './read-tokens.ts';
import { HidingSink, hiddenParts } from './spoilers.ts';
import { beginsLine, withLines, unwrapped, unwrappedBeginning } from './lines.ts';
import {
  firstCharOf,
  isPaired,
  lastCharOf,
  mustPart,
  type PieceSink,
  type Source,
  type Token,
} from './token.ts';

export interface Check {
  readonly missing: readonly number[];
  /** Numbers of tokens that were invented or repeated. */
  readonly extra: readonly number[];
}

interface Checked extends Check {
  /** The translation's parts with each token once, at its first place. */
  readonly stretches: readonly Stretch[];
}

const check = (tokens: readonly Token[], translated: string): Checked => {
  const seen = tokens.map(() => false);
  const extra: number[] = [];
  const stretches = readTokens(translated, (number) => {
    const isFirst = seen[number - 1] === false;
    if (isFirst) seen[number - 1] = true;
    else extra.push(number);
    return isFirst;
  });
  const missing: number[] = [];
  for (let at = 0; at < seen.length; at += 1) if (!seen[at]) missing.push(at + 1);
  return { stretches, missing, extra };
};

/**
 * Finds pairs that were closed before they were opened, and styles around one of their own kind or
 * over an empty line. Crossing and empty pairs need no handling: a tree cannot hold them. Spoilers
 * are not looked at (see `hiddenParts`).
 */
const misplacedPairs = (stretches: readonly Stretch[], { tokens, pairs }: Source): Set<number> => {
  const dropped = new Set<number>();
  const closed = new Set<number>();
  const styles = new Map<StyleKind, number>();
  const words = (written: string): void => {
    if (styles.size === 0 || !written.includes('\n\n')) return;
    for (const pair of styles.values()) dropped.add(pair);
    styles.clear();
  };
  const side = (isOpen: boolean, pair: number): void => {
    const kind = pairs[pair]?.kind;
    if (kind === undefined || kind === 'spoiler') return;
    if (!isOpen) closed.add(pair);
    else if (closed.has(pair)) dropped.add(pair);
    if (kind === 'link') return;
    const open = styles.get(kind);
    if (!isOpen && open === pair) styles.delete(kind);
    if (!isOpen || closed.has(pair)) return;
    if (open !== undefined) dropped.add(open);
    styles.set(kind, pair);
  };
  for (const stretch of stretches)
    if (typeof stretch === 'string') words(stretch);
    else
      for (const part of tokens[stretch - 1]?.parts ?? [])
        if (part.kind === 'text') words(part.text);
        else if (isPaired(part)) side(part.kind === 'open', part.pair);
  return dropped;
};

const sourceStretches = ({ tokens, text }: Source): readonly Stretch[] =>
  check(tokens, text).stretches;

/** Finds the pairs misplaced by a translation: those misplaced in its source stay as they were. */
const misplacedBy = (
  stretches: readonly Stretch[],
  source: Source,
  lost: readonly Token[],
): Set<number> => {
  const dropped = misplacedPairs(stretches, source);
  if (dropped.size > 0)
    for (const pair of misplacedPairs(sourceStretches(source), source)) dropped.delete(pair);
  for (const { parts } of lost)
    for (const part of parts) if (isPaired(part)) dropped.add(part.pair);
  return dropped;
};

const brackets = /[⟦⟧]/g;
const space = /\s/;
const nothingOrSpace = /^\s?$/;

const withoutBrackets = (words: string): string =>
  words.includes(TOKEN_OPEN) || words.includes(TOKEN_CLOSE)
    ? words.replaceAll(brackets, '')
    : words;

const leadingBlanks = /^[^\S\n]+/;
/** The space after the mark of a line, with what writing from right to left puts before it. */
const spaceAfterMark = /^\p{Cf}* /u;

/** Words without characters that nobody sees at the beginning of their last line. */
const withoutBlankLine = (words: string): string => {
  const line = words.lastIndexOf('\n') + 1;
  return isBlank(words.slice(line)) ? words.slice(0, line) : words;
};

const isCode = (piece: Piece | undefined): boolean =>
  piece?.kind === 'leaf' && piece.node.kind === 'code';

/** Puts words and tokens one after another into a sink, with the spacing that the tokens need. */
class Assembly {
  readonly #sink: PieceSink;
  readonly #pairs: readonly Wrapper[];
  /** Pairs that enclose nothing, or something else, in their new places. */
  readonly #dropped: ReadonlySet<number>;
  /** The token at the end of the output so far; undefined after words. */
  #last: Token | undefined;
  #lastChar = '';
  /** True after code, with which following code would be joined. */
  #afterCode = false;
  /** True after an address, which would continue into following text. */
  #inAddress = false;

  constructor(sink: PieceSink, pairs: readonly Wrapper[], dropped: ReadonlySet<number>) {
    this.#sink = sink;
    this.#pairs = pairs;
    this.#dropped = dropped;
  }

  words(words: string, next: Token | undefined): void {
    const last = this.#last;
    const end = last?.parts.at(-1);
    let piece = withoutBrackets(words);
    if (end?.kind === 'line') piece = piece.replace(spaceAfterMark, '');
    if (beginsLine(next)) piece = withoutBlankLine(piece);
    if (last && (this.#isKept(end) ? last.clingsRight : space.test(this.#lastChar)))
      piece = piece.replace(leadingBlanks, '');
    if (next?.clingsLeft && this.#isKept(next.parts[0])) piece = withoutSpacesAfter(piece);
    if (piece === '') return;
    if (last && mustPart(last.right, charAfter(piece, 0))) piece = ` ${piece}`;
    if (next && mustPart(next.left, charBefore(piece, piece.length))) piece += ' ';
    this.#text(piece);
    this.#last = undefined;
    this.#inAddress = false;
  }

  token(token: Token): void {
    const last = this.#last;
    const codesMeet = this.#afterCode && isCode(token.parts.find((part) => !isPaired(part)));
    const touched = last?.end === token.start;
    if (last && !touched && (codesMeet || this.#mustPartFrom(last, token))) this.#text(' ');
    for (const part of token.parts) this.#part(part);
    this.#inAddress =
      token.endsInAddress || (this.#inAddress && token.parts.every(({ kind }) => kind === 'close'));
    this.#last = token;
  }

  /**
   * Adds, at the end, the parts of a lost token that are worth keeping.
   *
   * @param isHidden true for one that stood in a spoiler
   */
  lost(token: Token, isHidden: boolean): void {
    const saved = token.parts.flatMap((part): readonly Piece[] => {
      if (part.kind === 'close') return this.#address(part.pair);
      return part.kind === 'open' || part.kind === 'line' ? [] : [part];
    });
    if (saved.length === 0) return;
    this.#text(' ');
    const hiding = this.#pairs.length - 1;
    if (isHidden) this.#sink.piece({ kind: 'open', pair: hiding });
    for (const part of saved) this.#sink.piece(part);
    if (isHidden) this.#sink.piece({ kind: 'close', pair: hiding });
  }

  /** True when two tokens without text between them need a space. */
  #mustPartFrom(last: Token, token: Token): boolean {
    const before = last.parts.at(-1);
    const first = token.parts[0];
    if (before?.kind === 'line') return false;
    if (first?.kind === 'close' && this.#isKept(first)) return false;
    if (before?.kind === 'open' && this.#isKept(before)) return false;
    return (
      this.#inAddress ||
      (first?.kind === 'open' && this.#isKept(first)) ||
      mustPart(last.right, firstCharOf(first)) ||
      mustPart(token.left, this.#lastChar)
    );
  }

  #part(part: Piece): void {
    if (!isPaired(part)) this.#put(part);
    else if (this.#isKept(part)) this.#sink.piece(part);
    else if (part.kind === 'close')
      for (const address of this.#address(part.pair)) {
        if (!nothingOrSpace.test(this.#lastChar)) this.#text(' ');
        this.#put(address);
        this.#text(' ');
      }
  }

  /** The address of a dropped link. */
  #address(pair: number): readonly Piece[] {
    const wrapper = this.#pairs[pair];
    return wrapper?.kind === 'link' ? [{ kind: 'leaf', node: { ...wrapper, children: [] } }] : [];
  }

  #isKept(part: Piece | undefined): boolean {
    return part !== undefined && (!isPaired(part) || !this.#dropped.has(part.pair));
  }

  #text(text: string): void {
    this.#sink.text(text);
    this.#lastChar = text.slice(-1);
    this.#afterCode = false;
  }

  #put(piece: Piece): void {
    this.#sink.piece(piece);
    this.#lastChar = lastCharOf(piece);
    this.#afterCode = isCode(piece);
  }
}

const NONE: ReadonlySet<number> = new Set();

const assemble = (
  source: Source,
  { stretches, missing, extra }: Checked,
  lost: readonly number[],
  sink: PieceSink,
): void => {
  const { tokens, pairs } = source;
  const tokenOf = (number: number): Token => tokens[number - 1] as Token;
  const isComplete = missing.length === 0 && extra.length === 0;
  const hidden = hiddenParts(source, () => sourceStretches(source), stretches, isComplete);
  const dropped = pairs.length === 0 ? NONE : misplacedBy(stretches, source, lost.map(tokenOf));
  const isAnyHidden = hidden.unplaced.size > 0;
  const assembly = new Assembly(
    isAnyHidden ? new HidingSink(sink, pairs.length - 1, hidden.isLineHidden) : sink,
    pairs,
    isAnyHidden ? dropped.union(hidden.unplaced) : dropped,
  );
  for (let at = 0; at < stretches.length; at += 1) {
    const stretch = stretches[at] as Stretch;
    const next = stretches[at + 1];
    if (typeof stretch === 'number') assembly.token(tokenOf(stretch));
    else assembly.words(stretch, typeof next === 'number' ? tokenOf(next) : undefined);
  }
  for (const number of lost) assembly.lost(tokenOf(number), hidden.isTokenHidden(number));
};

/** Puts the tokens back into a translation and reports missing and surplus ones. */
export const restore = (source: Source, translated: string, sink: PieceSink): Check => {
  const reply = unwrapped(source.text, translated);
  let found = check(source.tokens, reply);
  if (found.missing.length > 0) {
    const repaired = withBrackets(source.text, reply, found.missing);
    if (repaired !== reply) found = check(source.tokens, repaired);
  }
  const lined = withLines(source, found.stretches, found.missing);
  const placed = lined === undefined ? found : check(source.tokens, lined);
  assemble(source, placed, placed.missing, sink);
  return found;
};

/**
 * Puts the tokens back into a translation that is still growing: nothing counts as lost yet, and
 * lines with spoilers are hidden until all tokens are there.
 */
export const preview = (source: Source, partial: string, sink: PieceSink): void => {
  const reply = withoutUnfinished(unwrappedBeginning(source.text, partial));
  assemble(source, check(source.tokens, reply), [], sink);
};
