import { charAfter, charBefore, isHangul, isLetter, isSpacedLetter } from '../letters.ts';
import type { Piece, PieceOf } from '../pieces/piece.ts';
import type { FlatSpan, FlatText } from '../pieces/flat-text.ts';
import type { TermSpan } from './terms.ts';

/** Which letters must not touch a token: none, those of scripts with spaces, or all. */
type Distance = 'none' | 'spaced' | 'all';

/** One or more neighbouring spans, and how they sit between their neighbours. */
export interface Token {
  readonly start: number;
  readonly end: number;
  readonly parts: readonly Piece[];
  /** No blanks stand between the token and the words that it encloses. */
  readonly clingsLeft: boolean;
  readonly clingsRight: boolean;
  readonly left: Distance;
  readonly right: Distance;
  /** Ends with an address, or with what closes around one. */
  readonly endsInAddress: boolean;
}

type AnySpan = FlatSpan | TermSpan;

const space = /\s/;
const onlySpace = /^\s+$/;

const pieceOf = (span: AnySpan): Piece | undefined =>
  span.kind === 'object' ? span.piece : undefined;

const isSide = (piece: Piece | undefined, side: 'open' | 'close'): boolean => piece?.kind === side;

/** Words stand in or beside these; what is beside other spans belongs to them. */
const isFlowing = (span: AnySpan): boolean => {
  if (span.kind === 'term' || span.kind === 'bracket') return true;
  const kind = pieceOf(span)?.kind;
  return kind === 'open' || kind === 'close' || kind === 'line';
};

const isAddress = (span: AnySpan | undefined): boolean => {
  if (span?.kind === 'url' || span?.kind === 'email') return true;
  const piece = span && pieceOf(span);
  return piece?.kind === 'leaf' && piece.node.kind === 'link';
};

const distance = (span: AnySpan, neighbour: string): Distance => {
  const kind = pieceOf(span)?.kind;
  if (kind === 'line' || kind === 'block' || isLetter(neighbour)) return 'none';
  return isAddress(span) ? 'all' : 'spaced';
};

const toPart = (text: string, span: AnySpan): Piece => {
  if (span.kind === 'object') return span.piece;
  const written = text.slice(span.start, span.end);
  return { kind: 'text', text: span.kind === 'term' ? (span.replacement ?? written) : written };
};

/** What stands between two spans, if it may become part of one token with both. */
const joint = (text: string, last: AnySpan, next: AnySpan): string | undefined => {
  if (last.end === next.start) return '';
  if (isFlowing(last) || isFlowing(next) || !space.test(text[last.end] ?? '')) return undefined;
  const between = text.slice(last.end, next.start);
  return onlySpace.test(between) ? between : undefined;
};

const lastShown = (spans: readonly AnySpan[]): AnySpan | undefined => {
  let at = spans.length - 1;
  for (let span = spans[at]; span && isSide(pieceOf(span), 'close'); span = spans[at]) at -= 1;
  return spans[at];
};

const toToken = (text: string, spans: readonly AnySpan[], parts: readonly Piece[]): Token => {
  const first = spans[0] as AnySpan;
  const last = spans.at(-1) as AnySpan;
  const before = charBefore(text, first.start);
  const after = charAfter(text, last.end);
  const closes = isSide(parts[0], 'close');
  const opens = isSide(parts.at(-1), 'open');
  // An address reads on through what closes after it.
  const shown = closes && spans.length === 1 ? undefined : lastShown(spans);
  const endsInAddress = isAddress(shown);
  return {
    start: first.start,
    end: last.end,
    parts,
    clingsLeft: closes && !space.test(before),
    clingsRight: opens && !space.test(after),
    left: closes ? 'none' : distance(first, before),
    right: opens ? 'none' : distance(endsInAddress && shown ? shown : last, after),
    endsInAddress,
  };
};

/** Spans that touch, or stand apart by white space alone, become one token. */
export const toTokens = (text: FlatText['text'], spans: readonly AnySpan[]): readonly Token[] => {
  const tokens: Token[] = [];
  let group: AnySpan[] = [];
  let parts: Piece[] = [];
  for (const span of spans) {
    const last = group.at(-1);
    const between = last && joint(text, last, span);
    if (last && between === undefined) {
      tokens.push(toToken(text, group, parts));
      group = [];
      parts = [];
    } else if (between) parts.push({ kind: 'text', text: between });
    group.push(span);
    parts.push(toPart(text, span));
  }
  if (group.length > 0) tokens.push(toToken(text, group, parts));
  return tokens;
};

/** True when a token at this distance may not be touched by this character. */
export const mustPart = (at: Distance, char: string): boolean => {
  if (at === 'none' || char === '') return false;
  return at === 'all' ? isLetter(char) : isSpacedLetter(char) && !isHangul(char);
};

/** The letter with which a part is seen to begin; '' for what begins with none. */
export const firstCharOf = (part: Piece | undefined): string => {
  if (part?.kind === 'text') return charAfter(part.text, 0);
  return part?.kind === 'leaf' && part.node.kind === 'link' ? charAfter(part.node.url, 0) : '';
};

export const lastCharOf = (part: Piece | undefined): string => {
  const text =
    part?.kind === 'text'
      ? part.text
      : part?.kind === 'leaf' && part.node.kind === 'link'
        ? part.node.url
        : '';
  return charBefore(text, text.length);
};

export const isPaired = (part: Piece): part is PieceOf<'open' | 'close'> =>
  part.kind === 'open' || part.kind === 'close';
