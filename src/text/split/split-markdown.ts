import { joinMarkdown } from '../markup/join-markdown.ts';
import { bestCut, lastGraphemeEnd, splitsPair } from './cut.ts';
import { isEscaped } from '../letters.ts';
import { FENCE, layOut, type Extent, type Layout, type LongCode } from './markup-layout.ts';
import { withClosedFence, withoutLongLinks } from './markup-repair.ts';
import type { Span } from '../markup/span.ts';
import { isBlank, visibleEnd } from '../unicode.ts';

export interface MarkdownRoom {
  /** Kept free in the first piece, in UTF-16 units. */
  readonly firstRoom?: number;
  /** Kept free in the last piece. */
  readonly lastRoom?: number;
}

/** What is open at a place of the text. */
interface Place {
  readonly at: number;
  /** The openers of emphasis and spoilers, the outermost first. */
  readonly open: readonly Span[];
  /** The marker of the line that `at` is in the middle of; in code, of the line where it began. */
  readonly line: Span | undefined;
  /** After `>>> ` everything is quoted. */
  readonly quoted: boolean;
  readonly code: LongCode | undefined;
}

/** What the markers around one piece may take: all kinds of emphasis at once, a quote and a fence. */
const MARKUP_UNITS = 90;
const continued = /^(?:>|#{1,6}|-#)$/;
const space = /\s*/y;

const spaceEnd = (text: string, at: number): number => {
  space.lastIndex = at;
  space.test(text);
  return space.lastIndex;
};

const join = (...parts: readonly string[]): string => parts.reduce(joinMarkdown, '');

/** The index of the last item that begins before `at`, or -1. */
const lastBefore = (items: readonly Extent[], at: number): number => {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((items[middle]?.start ?? at) < at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
};

/** The index of the first item that ends after `at`. */
const firstAfter = (items: readonly Extent[], at: number): number => {
  const before = lastBefore(items, at);
  return (items[before]?.end ?? 0) > at ? before : before + 1;
};

class Splitter {
  readonly #layout: Layout;
  readonly #text: string;
  /** Nothing can be seen from here on. */
  readonly end: number;

  constructor(layout: Layout) {
    this.#layout = layout;
    this.#text = layout.text;
    this.end = visibleEnd(layout.text);
  }

  /** The longest good piece from a place, and the place after it; '' where nothing is to be seen. */
  take(from: Place, room: number, lastRoom: number): { piece: string; next: Place } {
    const { length } = this.#text;
    const rest = this.#walk(from, Math.min(length, from.at + room));
    if (rest.at === length) {
      const piece = this.#piece(from, rest);
      if (piece.length <= room - lastRoom) return { piece, next: rest };
    }
    let end = rest.at === length ? Math.min(from.at + room - lastRoom, length - 1) : rest.at;
    for (;;) {
      const to = this.#walk(from, this.#cut(from.at, Math.max(end, from.at + 1)));
      const next = this.#next(from, to);
      const piece = this.#piece(from, to);
      const over = piece.length - (next.at >= this.end ? room - lastRoom : room);
      end = to.at - over;
      if (over <= 0 || end <= from.at) return { piece, next };
    }
  }

  /** What is open at `at`, given what is open at an earlier place. */
  #walk(from: Place, at: number): Place {
    const { markers, lineMarkers, codes } = this.#layout;
    let open = from.open;
    for (let next = firstAfter(markers, from.at); next < markers.length; next += 1) {
      const marker = markers[next] as Span;
      if (marker.end > at) break;
      open =
        marker.side === 'open'
          ? [...open, marker]
          : open.filter(({ pair }) => pair !== marker.pair);
    }
    let { quoted, line } = from;
    const code = codes[lastBefore(codes, at)];
    const within = code && at > code.start && at < code.end ? code : undefined;
    const until = Math.max(from.at, within ? within.start : at);
    let lineFrom = from.at;
    for (let next = firstAfter(lineMarkers, from.at); next < lineMarkers.length; next += 1) {
      const marker = lineMarkers[next] as Span;
      if (marker.end > until) break;
      line = marker;
      lineFrom = marker.end;
      quoted ||= this.#text.slice(marker.start, marker.end).trim() === '>>>';
    }
    if (line && this.#text.slice(lineFrom, until).includes('\n')) line = undefined;
    return { at, open, line, quoted, code: within };
  }

  /** The piece from one place to another, with what is open closed and opened again. */
  #piece(from: Place, to: Place): string {
    const lead = from.code ? '' : this.#lead(from.at);
    const body = this.#text.slice(from.at + lead.length, to.at);
    const ends = to.open.toReversed().map((marker) => this.#written(marker));
    const { code } = to;
    if (!code)
      return isBlank(lead + body) ? '' : join(this.#head(from, lead), body.trimEnd(), ...ends);
    const kept = code.block ? body.replace(/\n$/, '') : body;
    if (isBlank(kept)) return '';
    const close = code.block ? `\n${this.#codeQuote(to, true)}${FENCE}` : code.closing;
    return join(this.#head(from, lead), kept, close, ...ends);
  }

  /** What opens again at the beginning of a piece; after the mark of a line that begins there. */
  #head(from: Place, lead: string): string {
    const markers = from.open.map((marker) => this.#written(marker));
    const { code } = from;
    if (code) return join(this.#quote(from), ...markers, code.opening) + this.#codeQuote(from);
    return join(this.#quote(from) + lead, ...markers);
  }

  /** The place where the next piece begins. */
  #next(from: Place, cut: Place): Place {
    let at = cut.at;
    const { code } = cut;
    if (code && at < code.to) {
      if (code.block && this.#text[at - 1] !== '\n' && this.#text[at] === '\n') at += 1;
      return this.#walk(from, at);
    }
    if (code) at = code.end;
    const { markers } = this.#layout;
    for (let next = lastBefore(markers, at) + 1; markers[next]?.start === at; next += 1) {
      if (markers[next]?.side !== 'close') break;
      at = markers[next]?.end ?? at;
    }
    return this.#walk(from, spaceEnd(this.#text, at));
  }

  /** The best place to cut at or before `end`. */
  #cut(start: number, end: number): number {
    let cut = bestCut(this.#layout.shape, start, end);
    for (let moved = this.#movedOut(cut, start); moved !== cut;) {
      cut = moved;
      moved = this.#movedOut(cut, start);
    }
    if (cut > start) return cut;
    // Nothing but one thing that is longer than a piece may be.
    cut = lastGraphemeEnd(this.#text, start, end);
    if (cut > start) return cut;
    return splitsPair(this.#text, end) ? end + 1 : end;
  }

  #written({ start, end }: Extent): string {
    return this.#text.slice(start, end);
  }

  #quote({ quoted, line }: Place): string {
    if (quoted) return '>>> ';
    const marker = line ? this.#written(line).trim() : '';
    return continued.test(marker) ? `${marker} ` : '';
  }

  /** Each line of a block of code in a quote begins with the quote's mark. */
  #codeQuote(place: Place, ownLine = false): string {
    const { code, line, quoted, at } = place;
    if (!code?.block || quoted || !line || this.#written(line).trim() !== '>') return '';
    return ownLine || this.#text[at - 1] !== '\n' ? '> ' : '';
  }

  /** The marker of the line that begins at `at`, with the space after it. */
  #lead(at: number): string {
    const { lineMarkers } = this.#layout;
    const marker = lineMarkers[firstAfter(lineMarkers, at)];
    if (!marker || marker.start > at) return '';
    return this.#text.slice(at, spaceEnd(this.#text, marker.end));
  }

  /** One step out of what must not be cut; never before `start`. */
  #movedOut(cut: number, start: number): number {
    if (cut <= start) return start;
    const { whole, codes, markers, lineMarkers } = this.#layout;
    const around = whole[lastBefore(whole, cut)];
    if (around && cut < around.end) return Math.max(start, around.start);
    const code = codes[lastBefore(codes, cut)];
    if (code && cut <= code.from) return Math.max(start, code.start);
    if (code && cut < code.end) return cut;
    const marker = markers[lastBefore(markers, cut)];
    if (marker && cut < marker.end) return Math.max(start, marker.start);
    if (marker?.end === cut && marker.side === 'open') return Math.max(start, marker.start);
    const line = lineMarkers[lastBefore(lineMarkers, cut)];
    if (line && cut <= spaceEnd(this.#text, line.end)) return Math.max(start, line.start);
    return isEscaped(this.#text, cut, start) && cut < this.#text.length ? cut - 1 : cut;
  }
}

/**
 * Cuts Markdown into messages of at most `limit` UTF-16 units, which are never fewer than the code
 * points that Discord counts (discord-api-docs #1315). Cuts are where `splitText` makes them, but never
 * inside a link, an address, a mention, an emoji or code that fits in a piece. What is open at a
 * cut (emphasis, spoilers, quotes, longer code with its language) is closed, and opened again in the
 * next piece. White space around cuts is dropped, except in code. Only a single thing longer than a
 * piece is cut through; a link of that length falls apart into label and address.
 *
 * @param limit 200 or more: below, markers alone may fill it.
 * @returns pieces that hold something to see; none for a blank text. A text that fits is as it was.
 */
export const splitMarkdown = (
  text: string,
  limit: number,
  { firstRoom = 0, lastRoom = 0 }: MarkdownRoom = {},
): string[] => {
  if (isBlank(text)) return [];
  if (text.length <= limit - firstRoom - lastRoom) return [text];
  const longest = Math.max(1, limit - Math.max(firstRoom, lastRoom) - MARKUP_UNITS);
  const whole = withClosedFence(withoutLongLinks(text, longest));
  const splitter = new Splitter(layOut(whole, longest));
  const pieces: string[] = [];
  let from: Place = { at: 0, open: [], line: undefined, quoted: false, code: undefined };
  while (from.at < splitter.end) {
    const room = pieces.length === 0 ? limit - firstRoom : limit;
    const { piece, next } = splitter.take(from, room, lastRoom);
    if (piece !== '') pieces.push(piece);
    from = next;
  }
  return pieces;
};
