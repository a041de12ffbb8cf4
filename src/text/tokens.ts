import { charAfter, charBefore, isHangul, isLetter, isSpacedLetter } from './letters.ts';
import { holdsAddress, type Span, type SpanKind } from './span.ts';

interface Part {
  readonly text: string;
  /** What is left of it where its place or its partner was lost: nothing of mere markup. */
  readonly alone: string;
  readonly pair: number | undefined;
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
  if (!MARKERS.has(span.kind)) return { text: written, alone: written, pair: undefined };
  return {
    text: written,
    alone: holdsAddress(span) ? ` ${bareAddress(written)} ` : '',
    pair: span.pair,
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

const toToken = (text: string, first: Span, last: Span, parts: readonly Part[]): Token => {
  const before = charBefore(text, first.start);
  const after = charAfter(text, last.end);
  return {
    start: first.start,
    end: last.end,
    parts,
    clingsLeft: first.side === 'close' && !space.test(before),
    clingsRight: last.side === 'open' && !space.test(after),
    left: first.side === 'close' ? 'none' : distance(first, before),
    right: last.side === 'open' ? 'none' : distance(last, after),
  };
};

/** Spans that touch, or stand apart by white space alone, become one token. */
export const toTokens = (text: string, spans: readonly Span[]): readonly Token[] => {
  const tokens: Token[] = [];
  let first = spans[0];
  if (!first) return tokens;
  let last = first;
  let parts = [toPart(text, first)];
  for (let at = 1; at < spans.length; at += 1) {
    const span = spans[at] as Span;
    const between = joint(text, last, span);
    if (between === undefined) {
      tokens.push(toToken(text, first, last, parts));
      first = span;
      parts = [];
    } else if (between !== '') parts.push({ text: between, alone: between, pair: undefined });
    parts.push(toPart(text, span));
    last = span;
  }
  tokens.push(toToken(text, first, last, parts));
  return tokens;
};

/** Whether a token at this distance may not be touched by this character. */
export const mustPart = (at: Distance, char: string): boolean => {
  if (at === 'none' || char === '') return false;
  return at === 'all' ? isLetter(char) : isSpacedLetter(char) && !isHangul(char);
};

/** The token's text; of markers whose partner is lost, what they are without it. */
export const tokenText = (token: Token, lostPairs: ReadonlySet<number>): string => {
  if (token.parts.length === 1 && lostPairs.size === 0) return token.parts[0]?.text ?? '';
  let text = '';
  for (const part of token.parts)
    text += part.pair !== undefined && lostPairs.has(part.pair) ? part.alone : part.text;
  return text;
};

/** What of a lost token is worth keeping. */
export const tokenContent = (token: Token): string =>
  token.parts
    .map((part) => part.alone)
    .join('')
    .trim();
