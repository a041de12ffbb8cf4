import { joinMarkdown } from '../markup/join-markdown.ts';
import { charAfter, charBefore } from '../letters.ts';
import { closesFirst, mustPart, opensFirst, opensLast, tokenText, type Token } from './tokens.ts';

const strayBracket = /[⟦⟧]/;
const strayBrackets = /[⟦⟧]/g;
const scheme = /https?:\/\/|www\./i;
/** As long as an address may be that is looked for. */
const ADDRESS_UNITS = 4_200;
const space = /\s/;
const leadingBlanks = /^[^\S\n]+/;
const trailingBlanks = /(?<![^\S\n])[^\S\n]+$/;

const withoutStray = (text: string): string =>
  strayBracket.test(text) ? text.replaceAll(strayBrackets, '') : text;

const endsInAddress = (text: string): boolean =>
  scheme.test(text.slice(-ADDRESS_UNITS).split(space).at(-1) ?? '');

/**
 * The text that is being put together. It is kept in pieces: reading a character of a string that
 * grows by `+=` would copy the whole of it each time.
 */
export class TextBuilder {
  readonly #pieces: string[] = [];
  #tail = '';
  /** The token that ends the text so far; undefined after words. */
  #last: Token | undefined;
  /** Whether the text so far ends in an address, or in markers right after one. */
  #inAddress = false;
  readonly #lostPairs: ReadonlySet<number>;

  /** @param lostPairs markers that are not to be put back. */
  constructor(lostPairs: ReadonlySet<number>) {
    this.#lostPairs = lostPairs;
  }

  /** Adds a stretch of translated words, with the spacing that the tokens around it want. */
  words(words: string, next?: Token): void {
    let piece = withoutStray(words);
    if (this.#last && this.#clingsRight(this.#last)) piece = piece.replace(leadingBlanks, '');
    if (next && this.#clingsLeft(next)) piece = piece.replace(trailingBlanks, '');
    if (piece === '') return;
    if (this.#last && mustPart(this.#last.right, charAfter(piece, 0))) piece = ` ${piece}`;
    this.#push(piece);
    if (next && mustPart(next.left, charBefore(piece, piece.length))) this.#push(' ');
    this.#last = undefined;
    this.#inAddress = false;
  }

  token(token: Token): void {
    const text = tokenText(token, this.#lostPairs);
    if (text === '') return;
    if (this.#last) this.#beside(this.#last, token, text);
    else this.#push(text);
    this.#inAddress = endsInAddress(text) || (this.#inAddress && !space.test(text));
    this.#last = token;
  }

  toString(): string {
    return this.#pieces.join('');
  }

  /** Tokens between which a translation left nothing. */
  #beside(last: Token, token: Token, text: string): void {
    const inside = opensLast(last, this.#lostPairs);
    const trimmed = inside ? text.replace(leadingBlanks, '') : text;
    const closes = closesFirst(token, this.#lostPairs);
    if (closes) {
      this.#tail = this.#tail.replace(trailingBlanks, '');
      this.#pieces[this.#pieces.length - 1] = this.#tail;
      this.#inAddress ||= endsInAddress(this.#tail);
    }
    // An address would read on; what is opened here does not belong to what was closed before.
    const parted =
      this.#inAddress ||
      opensFirst(token, this.#lostPairs) ||
      mustPart(last.right, charAfter(trimmed, 0)) ||
      mustPart(token.left, charBefore(this.#tail, this.#tail.length));
    if (parted && !inside && !closes) this.#push(' ');
    this.#push(joinMarkdown(this.#tail, trimmed).slice(this.#tail.length));
  }

  #clingsLeft(token: Token): boolean {
    return token.clingsLeft && closesFirst(token, this.#lostPairs);
  }

  #clingsRight(token: Token): boolean {
    return token.clingsRight && opensLast(token, this.#lostPairs);
  }

  #push(piece: string): void {
    if (piece === '') return;
    this.#pieces.push(piece);
    this.#tail = piece;
  }
}
