import { isEscaped } from '../letters.ts';
import type { Span, SpanKind } from './span.ts';

const LONGEST_RUN = 3;
const space = /\s/;
const wordChar = /[\p{L}\p{N}_]/u;

interface Opener extends Span {
  pair?: number;
}

/** `*a*`, `_a_`, `~~a~~`, `||a||`: how long a run of the character may be. */
const isMarker = (char: string, length: number): boolean => {
  if (char === '|') return length === 2;
  if (char === '~') return length <= 2;
  return length <= LONGEST_RUN;
};

/**
 * Finds which markers come in pairs. An opener is added to `spans` when it is met, and counts only
 * once its partner has given it a `pair`; so the spans stay in order and every step is O(1).
 */
export class Markers {
  readonly #text: string;
  readonly #spans: Span[];
  readonly #open = new Map<string, Opener>();
  #pairs = 0;
  #labelCloseAt = -1;

  constructor(text: string, spans: Span[]) {
    this.#text = text;
    this.#spans = spans;
  }

  /** For the run of one character that begins at `at`; answers where it ends. */
  emphasis(at: number): number {
    const text = this.#text;
    const char = text[at] ?? '';
    if (isEscaped(text, at)) return at + 1;
    let end = at + 1;
    while (text[end] === char) end += 1;
    if (!isMarker(char, end - at)) return end;

    const before = text[at - 1] ?? ' ';
    const after = text[end] ?? ' ';
    // Snake_case and waves (`嗯~好`) are no markers, as on the platforms.
    const bound = char === '_' || (char === '~' && end - at === 1);
    const kind = char === '|' ? 'spoiler' : 'emphasis';
    const mayClose = !space.test(before) && !(bound && wordChar.test(after));
    const mayOpen = !space.test(after) && !(bound && wordChar.test(before));
    let from = at;
    if (mayClose)
      for (const marker of this.#closable(char, end - at))
        if (this.#closePair(marker, kind, from, from + marker.length)) from += marker.length;
    if (from === at && mayOpen)
      for (const marker of end - at === LONGEST_RUN ? [char + char, char] : [text.slice(at, end)]) {
        this.#openPair(marker, kind, from, from + marker.length);
        from += marker.length;
      }
    return end;
  }

  /** What a run may close, the innermost first: three are bold and italic at once. */
  #closable(char: string, length: number): readonly string[] {
    if (length < LONGEST_RUN) return [char.repeat(length)];
    const start = (marker: string): number => this.#open.get(marker)?.start ?? -1;
    return [char, char + char].toSorted((a, b) => start(b) - start(a));
  }

  /** For a `[`. */
  openLabel(at: number): number {
    this.#openPair('[', 'link', at, at + 1);
    return at + 1;
  }

  /** For a `]` whose `](address)` ends at `end`, or -1 where none follows. */
  closeLabel(at: number, end: number): number {
    if (end < 0) {
      this.#open.delete('[');
      return at + 1;
    }
    return this.#closePair('[', 'link', at, end) ? end : at + 1;
  }

  /** For `<address|`, whose label ends at the `>` at `closeAt`. */
  openAngle(at: number, end: number, closeAt: number): number {
    this.#openPair('<', 'link', at, end);
    this.#labelCloseAt = closeAt;
    return end;
  }

  /** For a `>`. */
  closeAngle(at: number): number {
    if (at === this.#labelCloseAt) this.#closePair('<', 'link', at, at + 1);
    return at + 1;
  }

  endParagraph(): void {
    this.#open.clear();
  }

  #openPair(marker: string, kind: SpanKind, start: number, end: number): void {
    const opener: Opener = { start, end, kind, side: 'open' };
    this.#spans.push(opener);
    this.#open.set(marker, opener);
  }

  #closePair(marker: string, kind: SpanKind, start: number, end: number): boolean {
    const opener = this.#open.get(marker);
    if (!opener || opener.end === start) return false;
    this.#open.delete(marker);
    opener.pair = this.#pairs;
    this.#spans.push({ start, end, kind, side: 'close', pair: this.#pairs });
    this.#pairs += 1;
    return true;
  }
}
