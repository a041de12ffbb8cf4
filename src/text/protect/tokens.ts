import { charAfter, charBefore, isHangul, isLetter, isSpacedLetter } from '../letters.ts';
import { holdsAddress, type Span, type SpanKind } from '../markup/span.ts';

interface Part {
  readonly text: string;
  /** What is left of it where its place or its partner was lost: nothing of mere markup. */
  readonly alone: string;
  readonly pair: number | undefined;
  readonly side: Span['side'];
}

/** Which letters must not touch the token: none, those of scripts with spaces, or all. */
type Distance = 'none' | 'spaced' | 'all';

/** One or more neighbouring spans, and how they sit between their neighbours. */
export interface Token {
  readonly start: number;
  readonly end: number;
  readonly parts: readonly Part[];
  readonly clingsLeft: boolean;
  readonly clingsRight: boolean;
  readonly left: Distance;
  readonly right: Distance;
}

const MARKERS: ReadonlySet<SpanKind> = new Set(['emphasis', 'spoiler', 'link', 'line-marker']);
const FLOWING: ReadonlySet<SpanKind> = new Set([...MARKERS, 'term', 'bracket']);
const space = /\s/;
const onlySpace = /^\s+$/;

const distance = (span: Span, neighbour: string): Distance => {
  if (isLetter(neighbour)) return 'none';
  return span.kind === 'url' || span.kind === 'email' || span.kind === 'line-marker'
    ? 'all'
    : 'spaced';
};

/** `https://a.b` for `](https://a.b)` and `<https://a.b|`. */
const bareAddress = (written: string): string => written.slice(written.startsWith('<') ? 1 : 2, -1);

const toPart = (text: string, span: Span): Part => {
  const written = span.replacement ?? text.slice(span.start, span.end);
  if (!MARKERS.has(span.kind))
    return { text: written, alone: written, pair: undefined, side: undefined };
  return {
    text: written,
    alone: holdsAddress(span) ? ` ${bareAddress(written)} ` : '',
    pair: span.pair,
    side: span.side,
  };
};

/** What stands between two spans, if it may become part of one token with both. */
const joint = (text: string, last: Span, next: Span): string | undefined => {
  if (last.end === next.start) return '';
  if (FLOWING.has(last.kind) || FLOWING.has(next.kind)) return undefined;
  if (!space.test(text[last.end] ?? '')) return undefined;
  const between = text.slice(last.end, next.start);
  return onlySpace.test(between) ? between : undefined;
};

/** An address reads on through the markers that close after it. */
const lastAddress = (spans: readonly Span[]): Span | undefined => {
  const last = spans.findLast(({ side }) => side !== 'close');
  return last?.kind === 'url' || last?.kind === 'email' ? last : undefined;
};

const toToken = (text: string, spans: readonly Span[], parts: readonly Part[]): Token => {
  const first = spans[0] as Span;
  const last = spans.at(-1) as Span;
  const before = charBefore(text, first.start);
  const after = charAfter(text, last.end);
  return {
    start: first.start,
    end: last.end,
    parts,
    clingsLeft: first.side === 'close' && !space.test(before),
    clingsRight: last.side === 'open' && !space.test(after),
    left: first.side === 'close' ? 'none' : distance(first, before),
    right: last.side === 'open' ? 'none' : distance(lastAddress(spans) ?? last, after),
  };
};

/** Spans that touch, or stand apart by white space alone, become one token. */
export const toTokens = (text: string, spans: readonly Span[]): readonly Token[] => {
  const tokens: Token[] = [];
  let group: Span[] = [];
  let parts: Part[] = [];
  for (const span of spans) {
    const last = group.at(-1);
    const between = last && joint(text, last, span);
    if (last && between === undefined) {
      tokens.push(toToken(text, group, parts));
      group = [];
      parts = [];
    } else if (between)
      parts.push({ text: between, alone: between, pair: undefined, side: undefined });
    group.push(span);
    parts.push(toPart(text, span));
  }
  if (group.length > 0) tokens.push(toToken(text, group, parts));
  return tokens;
};

/** Whether a token at this distance may not be touched by this character. */
export const mustPart = (at: Distance, char: string): boolean => {
  if (at === 'none' || char === '') return false;
  return at === 'all' ? isLetter(char) : isSpacedLetter(char) && !isHangul(char);
};

const isLost = ({ pair }: Part, lostPairs: ReadonlySet<number>): boolean =>
  pair !== undefined && lostPairs.has(pair);

const shows = (part: Part, lostPairs: ReadonlySet<number>): boolean =>
  part.alone !== '' || !isLost(part, lostPairs);

/** The token's text; of markers whose partner is lost, what they are without it. */
export const tokenText = (token: Token, lostPairs: ReadonlySet<number>): string => {
  if (token.parts.length === 1 && lostPairs.size === 0) return token.parts[0]?.text ?? '';
  let text = '';
  let last: Part | undefined;
  for (const part of token.parts) {
    const lost = isLost(part, lostPairs);
    // The space around what is left must not come between a marker and what it marks.
    if (lost) text += last?.side === 'open' ? part.alone.trimStart() : part.alone;
    else text = (part.side === 'close' ? text.trimEnd() : text) + part.text;
    if (!lost || part.alone !== '') last = lost ? undefined : part;
  }
  return text;
};

/** What of a lost token is worth keeping. */
export const tokenContent = (token: Token): string =>
  token.parts
    .map((part) => part.alone)
    .join('')
    .trim();

/** The side of a marker that is kept; undefined for anything else. */
const sideOf = (part: Part | undefined, lostPairs: ReadonlySet<number>): Part['side'] =>
  part && !isLost(part, lostPairs) ? part.side : undefined;

const firstSide = ({ parts }: Token, lostPairs: ReadonlySet<number>): Part['side'] =>
  sideOf(
    parts.find((part) => shows(part, lostPairs)),
    lostPairs,
  );

/** Whether the token's text ends with a marker that opens something. */
export const opensLast = ({ parts }: Token, lostPairs: ReadonlySet<number>): boolean =>
  sideOf(
    parts.findLast((part) => shows(part, lostPairs)),
    lostPairs,
  ) === 'open';

/** Whether it begins with one. */
export const opensFirst = (token: Token, lostPairs: ReadonlySet<number>): boolean =>
  firstSide(token, lostPairs) === 'open';

/** Whether it begins with a marker that closes something. */
export const closesFirst = (token: Token, lostPairs: ReadonlySet<number>): boolean =>
  firstSide(token, lostPairs) === 'close';
