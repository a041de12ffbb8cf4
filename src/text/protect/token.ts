import { charAfter, charBefore, isHangul, isLetter, isSpacedLetter } from '../unicode.ts';
import type { FlatSpan, FlatText, Piece, PieceOf, Wrapper } from '../../rich-text/pieces/pieces.ts';
import type { TermSpan } from './terms.ts';

/** Letters that must not touch a token: none, those of scripts with spaces, or all. */
type Distance = 'none' | 'spaced' | 'all';

/** One or more adjacent spans with the spacing that they need. */
export interface Token {
  readonly start: number;
  readonly end: number;
  readonly spans: readonly TokenSpan[];
  readonly parts: readonly Piece[];
  /** True when no space may stand between the token and the words that it encloses. */
  readonly clingsLeft: boolean;
  readonly clingsRight: boolean;
  readonly left: Distance;
  readonly right: Distance;
  /** True when it ends with an address, or with the closing of what is around one. */
  readonly endsInAddress: boolean;
}

/** A text with tokens, and the pieces behind them. */
export interface Source {
  readonly text: string;
  readonly tokens: readonly Token[];
  /** The wrappers by their numbers, with that of `withHiding`. */
  readonly pairs: readonly Wrapper[];
}

/** Receiver of words and pieces, in order. */
export interface PieceSink {
  piece(piece: Piece): void;
  text(written: string): void;
}

/** A span of a text that is not to be translated. */
export type TokenSpan = FlatSpan | TermSpan;

const space = /\s/;
const onlySpace = /^\s+$/;

const pieceOf = (span: TokenSpan): Piece | undefined =>
  span.kind === 'object' ? span.piece : undefined;

/** True for spans with words in or right beside them; space beside other spans is part of their token. */
const isFlowing = (span: TokenSpan): boolean => {
  if (span.kind === 'term' || span.kind === 'bracket') return true;
  const kind = pieceOf(span)?.kind;
  return kind === 'open' || kind === 'close' || kind === 'line';
};

const isAddress = (span: TokenSpan | undefined): boolean => {
  if (span?.kind === 'url' || span?.kind === 'email') return true;
  const piece = span && pieceOf(span);
  return piece?.kind === 'leaf' && piece.node.kind === 'link';
};

const distance = (span: TokenSpan, neighbour: string): Distance => {
  const kind = pieceOf(span)?.kind;
  if (kind === 'line' || kind === 'block' || isLetter(neighbour)) return 'none';
  return isAddress(span) ? 'all' : 'spaced';
};

const toPart = (text: string, span: TokenSpan): Piece => {
  if (span.kind === 'object') return span.piece;
  const written = text.slice(span.start, span.end);
  return { kind: 'text', text: span.kind === 'term' ? (span.replacement ?? written) : written };
};

/** The text between two spans that may share a token; undefined if they may not. */
const joint = (text: string, last: TokenSpan, next: TokenSpan): string | undefined => {
  if (last.end === next.start) return '';
  if (isFlowing(last) || isFlowing(next) || !space.test(text[last.end] ?? '')) return undefined;
  const between = text.slice(last.end, next.start);
  return onlySpace.test(between) ? between : undefined;
};

/** Spans with the text between each and the one before it. */
interface Group {
  readonly spans: readonly TokenSpan[];
  readonly between: readonly string[];
}

const partsOf = (text: string, { spans, between }: Group): readonly Piece[] => {
  const parts: Piece[] = [];
  for (const [index, span] of spans.entries()) {
    const words = between[index];
    if (words) parts.push({ kind: 'text', text: words });
    parts.push(toPart(text, span));
  }
  return parts;
};

const toToken = (text: string, group: Group): Token => {
  const { spans } = group;
  const parts = partsOf(text, group);
  const first = spans[0] as TokenSpan;
  const last = spans.at(-1) as TokenSpan;
  const before = charBefore(text, first.start);
  const after = charAfter(text, last.end);
  const closes = parts[0]?.kind === 'close';
  const opens = parts.at(-1)?.kind === 'open';
  // An address continues into what follows its closing pieces.
  const shown =
    closes && spans.length === 1
      ? undefined
      : spans.findLast((span) => pieceOf(span)?.kind !== 'close');
  const endsInAddress = isAddress(shown);
  return {
    start: first.start,
    end: last.end,
    spans,
    parts,
    clingsLeft: closes && !space.test(before),
    clingsRight: opens && !space.test(after),
    left: closes ? 'none' : distance(first, before),
    right: opens ? 'none' : distance(endsInAddress && shown ? shown : last, after),
    endsInAddress,
  };
};

const pairOf = (span: TokenSpan | undefined): number | undefined => {
  const piece = span && pieceOf(span);
  return piece && isPaired(piece) ? piece.pair : undefined;
};

/** True when each pair that begins in a group also ends in it. */
const isBalanced = ({ spans }: Group): boolean => {
  const open = new Set<number>();
  for (const span of spans) {
    const pair = pairOf(span);
    if (pair !== undefined && !open.delete(pair)) open.add(pair);
  }
  return open.size === 0;
};

/**
 * Divides a group where what a pair encloses begins or ends: a translation may move what stands at
 * its edge away from it.
 */
const dividedAtPairs = (group: Group): readonly Group[] => {
  if (group.spans.length === 1 || isBalanced(group)) return [group];
  const groups: { readonly spans: TokenSpan[]; readonly between: string[] }[] = [];
  for (const [index, span] of group.spans.entries()) {
    const last = groups.at(-1);
    const isPart = pairOf(span) !== undefined;
    if (last && isPart === (pairOf(last.spans.at(-1)) !== undefined)) {
      last.spans.push(span);
      last.between.push(group.between[index] ?? '');
    } else groups.push({ spans: [span], between: [''] });
  }
  return groups;
};

/** Groups spans into tokens: those that touch, or have only white space between them, share one. */
export const toTokens = (text: FlatText['text'], spans: readonly TokenSpan[]): readonly Token[] => {
  const groups: { readonly spans: TokenSpan[]; readonly between: string[] }[] = [];
  for (const span of spans) {
    const group = groups.at(-1);
    const last = group?.spans.at(-1);
    const between = last && joint(text, last, span);
    if (group && between !== undefined) {
      group.spans.push(span);
      group.between.push(between);
    } else groups.push({ spans: [span], between: [''] });
  }
  return groups.flatMap(dividedAtPairs).map((group) => toToken(text, group));
};

/** True when this character may not touch a token with this distance. */
export const mustPart = (at: Distance, char: string): boolean => {
  if (at === 'none' || char === '') return false;
  return at === 'all' ? isLetter(char) : isSpacedLetter(char) && !isHangul(char);
};

const wordsOf = (part: Piece | undefined): string => {
  if (part?.kind === 'text') return part.text;
  return part?.kind === 'leaf' && part.node.kind === 'link' ? part.node.url : '';
};

/** The first visible character of a part; '' where it begins with none. */
export const firstCharOf = (part: Piece | undefined): string => charAfter(wordsOf(part), 0);

export const lastCharOf = (part: Piece): string => {
  const words = wordsOf(part);
  return charBefore(words, words.length);
};

export const isPaired = (part: Piece): part is PieceOf<'open' | 'close'> =>
  part.kind === 'open' || part.kind === 'close';
