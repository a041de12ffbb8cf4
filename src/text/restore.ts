import { charAfter, charBefore } from './letters.ts';
import { TOKEN_CLOSE, TOKEN_OPEN } from './span.ts';
import { mustPart, tokenContent, tokenText, type Token } from './tokens.ts';

export type Restored =
  | { readonly ok: true; readonly text: string }
  | {
      readonly ok: false;
      /**
       * The best that can be made of it: tokens put back, invented ones dropped, what was lost
       * appended (markers are dropped together with their partner).
       */
      readonly text: string;
      /** Numbers of tokens that are not there. */
      readonly missing: readonly number[];
      /** Numbers of tokens that were invented, or stand there once too often. */
      readonly extra: readonly number[];
    };

interface Assembled {
  readonly text: string;
  readonly missing: readonly number[];
  readonly extra: readonly number[];
}

const NONE: ReadonlySet<number> = new Set();
const strict = /⟦\s{0,3}([0-9０-９]{1,9})\s{0,3}⟧/g;
// What models make of brackets that they do not know: other ones, doubled or full-width.
const altered =
  /[⟦[［【〔〖「『（({｛<＜«‹〚⟨]{1,2}\s{0,3}([0-9０-９]{1,9})\s{0,3}[⟧\]］】〕〗」』）)}｝>＞»›〛⟩]{1,2}/g;
const strayBracket = /[⟦⟧]/;
const strayBrackets = /[⟦⟧]/g;
const unfinished = /[⟦]+[\s0-9０-９]{0,15}$/;
const leadingBlanks = /^[^\S\n]+/;
const trailingBlanks = /(?<![^\S\n])[^\S\n]+$/;

/** ASCII or full-width digits. */
const toNumber = (digits: string): number => {
  const number = Number(digits);
  return Number.isNaN(number) ? Number(digits.normalize('NFKC')) : number;
};

const withoutStray = (text: string): string =>
  strayBracket.test(text) ? text.replaceAll(strayBrackets, '') : text;

/**
 * The text that is being put together. It is kept in pieces: reading a character of a string that
 * grows by `+=` would copy the whole of it each time.
 */
class Draft {
  readonly #pieces: string[] = [];
  #tail = '';
  #last: Token | undefined;

  /** Adds a stretch of translated words, with the spacing that the tokens around it want. */
  words(words: string, next?: Token): void {
    let piece = withoutStray(words);
    if (this.#last?.clingsRight) piece = piece.replace(leadingBlanks, '');
    if (next?.clingsLeft) piece = piece.replace(trailingBlanks, '');
    if (this.#last && mustPart(this.#last.right, charAfter(piece, 0))) piece = ` ${piece}`;
    this.#push(piece);
    if (next && mustPart(next.left, charBefore(this.#tail, this.#tail.length))) this.#push(' ');
    this.#last = undefined;
  }

  token(token: Token, text: string): void {
    this.#push(text);
    this.#last = token;
  }

  toString(): string {
    return this.#pieces.join('');
  }

  #push(piece: string): void {
    if (piece === '') return;
    this.#pieces.push(piece);
    this.#tail = piece;
  }
}

const assemble = (
  tokens: readonly Token[],
  translated: string,
  lostPairs: ReadonlySet<number>,
): Assembled => {
  const draft = new Draft();
  const seen = new Uint8Array(tokens.length);
  const extra: number[] = [];
  let from = 0;
  strict.lastIndex = 0;
  for (let match = strict.exec(translated); match; match = strict.exec(translated)) {
    const number = toNumber(match[1] ?? '');
    const token = seen[number - 1] === 0 ? tokens[number - 1] : undefined;
    draft.words(translated.slice(from, match.index), token);
    from = strict.lastIndex;
    if (token) {
      seen[number - 1] = 1;
      draft.token(token, tokenText(token, lostPairs));
    } else extra.push(number);
  }
  draft.words(translated.slice(from));
  const missing: number[] = [];
  for (const [index, times] of seen.entries()) if (times === 0) missing.push(index + 1);
  return { text: draft.toString(), missing, extra };
};

const isWhole = (result: Assembled): boolean =>
  result.missing.length === 0 && result.extra.length === 0;

const numbersIn = (text: string): ReadonlySet<number> =>
  new Set(
    Array.from(text.replaceAll(strict, ' ').matchAll(altered), (match) => toNumber(match[1] ?? '')),
  );

/** Turns altered brackets back, for missing numbers that the source has in no such brackets. */
const repair = (source: string, translated: string, missing: readonly number[]): string => {
  const wanted = new Set(missing).difference(numbersIn(source));
  if (wanted.size === 0) return translated;
  return translated.replaceAll(altered, (match, digits: string) => {
    const number = toNumber(digits);
    return wanted.delete(number) ? `${TOKEN_OPEN}${number}${TOKEN_CLOSE}` : match;
  });
};

const bestEffort = (tokens: readonly Token[], translated: string, found: Assembled): string => {
  const lost = found.missing.flatMap((number) => tokens[number - 1] ?? []);
  const lostPairs = new Set(
    lost.flatMap((token) => token.parts.flatMap((part) => part.pair ?? [])),
  );
  const { text } = assemble(tokens, translated, lostPairs);
  return [text, ...lost.map(tokenContent).filter((content) => content !== '')].join(' ');
};

export const restoreTokens = (
  source: string,
  tokens: readonly Token[],
  translated: string,
): Restored => {
  const first = assemble(tokens, translated, NONE);
  if (isWhole(first)) return { ok: true, text: first.text };
  const repaired = repair(source, translated, first.missing);
  const second = repaired === translated ? first : assemble(tokens, repaired, NONE);
  if (isWhole(second)) return { ok: true, text: second.text };
  const { missing, extra } = second;
  return { ok: false, text: bestEffort(tokens, repaired, second), missing, extra };
};

export const previewTokens = (tokens: readonly Token[], partial: string): string =>
  assemble(tokens, partial.replace(unfinished, ''), NONE).text;
