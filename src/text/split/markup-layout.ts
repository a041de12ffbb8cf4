import { holdsAddress, type Span, type SpanKind } from '../markup/span.ts';
import { findSpans } from '../markup/spans.ts';
import { visibleEnd } from '../unicode.ts';

export interface Extent {
  readonly start: number;
  readonly end: number;
}

/** Code too long for one piece; `from` and `to` are where its content begins and ends. */
export interface LongCode extends Extent {
  readonly from: number;
  readonly to: number;
  /** What opens it again: the backticks and, of a block, the language and a line break. */
  readonly opening: string;
  readonly closing: string;
  readonly block: boolean;
}

/** Where a text may be cut, and what is open there. All lists are in order of the text. */
export interface Layout {
  readonly text: string;
  /** The text as the search for a cut sees it: of the same length, no cut inside what is whole. */
  readonly shape: string;
  /** What is never cut; they do not overlap. */
  readonly whole: readonly Extent[];
  readonly codes: readonly LongCode[];
  /** Both markers of each pair of emphasis or spoiler. */
  readonly markers: readonly Span[];
  readonly lineMarkers: readonly Span[];
}

export const FENCE = '```';
const CUTTABLE: ReadonlySet<SpanKind> = new Set(['line-marker', 'bracket', 'term']);
/** As Discord has it: a word alone on the line of the fence. More than this is no language. */
const blockOpening = /^```(?:[\w+\-.#]{1,32}\n|\n)?/;
const inlineOpening = /^`{1,2}/;
const nonSpace = /[^\s\uD800-\uDFFF]/g;

const longCode = (text: string, { start, end, kind }: Span): LongCode | undefined => {
  const written = text.slice(start, end);
  const block = kind === 'code-block';
  const opening = (block ? blockOpening : inlineOpening).exec(written)?.[0] ?? '';
  const closing = block ? FENCE : opening;
  const content = written.slice(opening.length, -closing.length);
  // Without content, or with more backticks than make a fence, it is not worth being opened again.
  if (!/[^\s`]/.test(content) || content.startsWith('`')) return undefined;
  const to = start + opening.length + visibleEnd(content);
  const again = block && !opening.endsWith('\n') ? `${opening}\n` : opening;
  return { start, end, from: start + opening.length, to, opening: again, closing, block };
};

/** Both markers of links, by pair, as what lies between them belongs to the link. */
const linkEnds = (spans: readonly Span[]): ReadonlyMap<number, number> => {
  const ends = new Map<number, number>();
  for (const { kind, side, pair, end } of spans)
    if (kind === 'link' && side === 'close' && pair !== undefined) ends.set(pair, end);
  return ends;
};

/** What of a text a span keeps from being cut; a link is whole from its first marker to its last. */
const wholeOf = (span: Span, links: ReadonlyMap<number, number>): Extent | undefined => {
  if (span.kind === 'link') {
    const end = span.side === 'open' ? links.get(span.pair ?? -1) : undefined;
    if (end !== undefined) return { start: span.start, end };
    return holdsAddress(span) ? span : undefined;
  }
  return CUTTABLE.has(span.kind) ? undefined : span;
};

/** Quotation marks stand for markers: they stay with the sentence that they enclose. */
const markerShape = ({ start, end, side }: Span): string =>
  (side === 'open' ? '“' : '”').repeat(end - start);

const shapeOf = (
  text: string,
  parts: readonly (readonly [extent: Extent, shape: string])[],
): string => {
  let shape = '';
  let from = 0;
  for (const [{ start, end }, drawn] of parts) {
    if (start < from) continue;
    shape += text.slice(from, start) + drawn;
    from = end;
  }
  return shape + text.slice(from);
};

/** @param longest in UTF-16 units: code longer than this may be cut. */
export const layOut = (text: string, longest: number): Layout => {
  const spans = findSpans(text);
  const links = linkEnds(spans);
  const whole: { start: number; end: number }[] = [];
  const codes: LongCode[] = [];
  const markers: Span[] = [];
  const parts: [Extent, string][] = [];
  for (const span of spans) {
    const { start, end, kind } = span;
    const last = whole.at(-1);
    const within = last !== undefined && start < last.end;
    if (kind === 'emphasis' || kind === 'spoiler') {
      markers.push(span);
      if (!within) parts.push([span, markerShape(span)]);
      continue;
    }
    const code =
      !within && end - start > longest && (kind === 'code' || kind === 'code-block')
        ? longCode(text, span)
        : undefined;
    if (code) {
      codes.push(code);
      parts.push([span, text.slice(start, end).replaceAll(nonSpace, 'X')]);
      continue;
    }
    const extent = wholeOf(span, links);
    if (!extent) continue;
    if (within) last.end = Math.max(last.end, extent.end);
    else whole.push({ ...extent });
  }
  for (const extent of whole) parts.push([extent, 'X'.repeat(extent.end - extent.start)]);
  parts.sort(([a], [b]) => a.start - b.start);
  return {
    text,
    shape: shapeOf(text, parts),
    whole,
    codes,
    markers,
    lineMarkers: spans.filter(({ kind }) => kind === 'line-marker'),
  };
};
