import { charAfter, charBefore } from '../letters.ts';
import type { Leaf, Piece, Wrapper } from '../pieces/pieces.ts';
import type { Misplaced } from './misplaced-pairs.ts';
import { firstCharOf, isPaired, lastCharOf, mustPart, type Token } from './token.ts';

/** Receiver of words and pieces, in order. */
export interface PieceSink {
  piece(piece: Piece): void;
  text(written: string): void;
}

const strayBrackets = /[⟦⟧]/g;
const strayBracket = /[⟦⟧]/;
const leadingBlanks = /^[^\S\n]+/;
const trailingBlanks = /(?<![^\S\n])[^\S\n]+$/;

const isCodeLeaf = (piece: Piece | undefined): boolean =>
  piece?.kind === 'leaf' && piece.node.kind === 'code';

const withoutStray = (text: string): string =>
  strayBracket.test(text) ? text.replaceAll(strayBrackets, '') : text;

/** Puts words and tokens one after another into a sink, with the spacing that the tokens need. */
export class Assembly {
  readonly #sink: PieceSink;
  readonly #pairs: readonly Wrapper[];
  readonly #misplaced: Misplaced;
  /** The token at the end of the output so far; undefined after words. */
  #last: Token | undefined;
  #lastChar = '';
  /** True after code, with which following code would be joined. */
  #afterCode = false;
  /** True after an address, which would continue into following text. */
  #inAddress = false;

  constructor(sink: PieceSink, pairs: readonly Wrapper[], misplaced: Misplaced) {
    this.#sink = sink;
    this.#pairs = pairs;
    this.#misplaced = misplaced;
  }

  words(words: string, next: Token | undefined): void {
    const last = this.#last;
    let piece = withoutStray(words);
    if (last?.parts.at(-1)?.kind === 'line' && piece.startsWith(' ')) piece = piece.slice(1);
    if (last?.clingsRight && this.#isKept(last.parts.at(-1)))
      piece = piece.replace(leadingBlanks, '');
    if (last && /\s/.test(this.#lastChar) && !this.#isKept(last.parts.at(-1)))
      piece = piece.replace(leadingBlanks, '');
    if (next?.clingsLeft && this.#isKept(next.parts[0])) piece = piece.replace(trailingBlanks, '');
    if (piece === '') return;
    if (last && mustPart(last.right, charAfter(piece, 0))) piece = ` ${piece}`;
    if (next && mustPart(next.left, charBefore(piece, piece.length))) piece += ' ';
    this.#text(piece);
    this.#last = undefined;
    this.#inAddress = false;
  }

  token(token: Token): void {
    const isCode = isCodeLeaf(token.parts.find((part) => !isPaired(part)));
    const codesMeet = this.#last !== undefined && this.#afterCode && isCode;
    if (codesMeet || (this.#last && this.#mustPartFrom(this.#last, token))) this.#text(' ');
    for (const part of token.parts) this.#part(part);
    this.#inAddress =
      token.endsInAddress || (this.#inAddress && token.parts.every(({ kind }) => kind === 'close'));
    this.#last = token;
  }

  /** Adds, at the end, the parts of a lost token that are worth keeping. */
  lost(token: Token): void {
    const kept = token.parts.flatMap((part): Piece[] => {
      if (part.kind === 'close') return this.#address(part.pair);
      return part.kind === 'open' || part.kind === 'line' ? [] : [part];
    });
    if (kept.length === 0) return;
    this.#text(' ');
    for (const part of kept) this.#sink.piece(part);
  }

  /** True when two tokens without text between them need a space. */
  #mustPartFrom(last: Token, token: Token): boolean {
    const first = token.parts[0];
    if (first?.kind === 'close' && this.#isKept(first)) return false;
    const before = last.parts.at(-1);
    if (before?.kind === 'open' && this.#isKept(before)) return false;
    if (before?.kind === 'line') return false;
    return (
      this.#inAddress ||
      (first?.kind === 'open' && this.#isKept(first)) ||
      mustPart(last.right, firstCharOf(first)) ||
      mustPart(token.left, this.#lastChar)
    );
  }

  #part(part: Piece): void {
    if (!isPaired(part)) this.#put(part);
    else if (this.#misplaced.turned.has(part.pair))
      this.#put({ kind: part.kind === 'open' ? 'close' : 'open', pair: part.pair });
    else if (!this.#misplaced.dropped.has(part.pair)) this.#put(part);
    else if (part.kind === 'close')
      for (const address of this.#address(part.pair)) {
        if (!/^\s?$/.test(this.#lastChar)) this.#text(' ');
        this.#put(address);
        this.#text(' ');
      }
  }

  /** The address of a dropped link. */
  #address(pair: number): Piece[] {
    const wrapper = this.#pairs[pair];
    if (wrapper?.kind !== 'link') return [];
    const node: Leaf = { ...wrapper, children: [] };
    return [{ kind: 'leaf', node }];
  }

  #isKept(part: Piece | undefined): boolean {
    return part !== undefined && (!isPaired(part) || !this.#misplaced.dropped.has(part.pair));
  }

  #text(text: string): void {
    this.#sink.text(text);
    this.#lastChar = text.slice(-1);
    this.#afterCode = false;
  }

  #put(piece: Piece): void {
    this.#sink.piece(piece);
    if (isPaired(piece)) return;
    this.#lastChar = lastCharOf(piece);
    this.#afterCode = isCodeLeaf(piece);
  }
}
