import type { Token } from './tokens.ts';

/** A token of a translation, in its order, and what stands between the one before and it. */
export interface PlacedToken {
  readonly token: Token;
  readonly words: string;
}

interface OpenPair {
  readonly pair: number;
  /** How much there was to see before it. */
  readonly contents: number;
}

/** What is open at one moment of reading, and what is found to be wrong. */
class Reading {
  readonly tangled = new Set<number>();
  readonly #open: OpenPair[] = [];
  readonly #depths = new Map<number, number>();
  /** By marker, the pair that it opened last. */
  readonly #byMarker = new Map<string, number>();
  #contents = 0;

  text(text: string): void {
    if (text.trim() !== '') this.#contents += 1;
    if (text.includes('\n\n')) this.#drop(0);
  }

  whole(): void {
    this.#contents += 1;
  }

  open(pair: number, marker: string): void {
    const outer = this.#byMarker.get(marker);
    if (outer !== undefined && this.#isOpen(outer)) this.tangled.add(outer);
    this.#byMarker.set(marker, pair);
    this.#depths.set(pair, this.#open.length);
    this.#open.push({ pair, contents: this.#contents });
  }

  close(pair: number): void {
    const depth = this.#depths.get(pair) ?? -1;
    const opened = this.#open[depth];
    if (!this.#isOpen(pair) || opened?.contents === this.#contents) this.tangled.add(pair);
    if (!this.#isOpen(pair)) return;
    this.#drop(depth + 1);
    this.#open.pop();
  }

  #isOpen(pair: number): boolean {
    return this.#open[this.#depths.get(pair) ?? -1]?.pair === pair;
  }

  #drop(depth: number): void {
    for (const { pair } of this.#open.splice(depth)) this.tangled.add(pair);
  }
}

/**
 * The pairs of markers that mark nothing, or something else, as they stand: closed before they are
 * opened, around half of another pair or around one of their own kind, over the end of a paragraph,
 * or with nothing between them.
 */
export const misnestedPairs = (placed: readonly PlacedToken[]): ReadonlySet<number> => {
  const reading = new Reading();
  for (const { token, words } of placed) {
    reading.text(words);
    for (const { pair, side, text } of token.parts) {
      if (pair === undefined) {
        if (text.trim() === '') reading.text(text);
        else reading.whole();
      } else if (side === 'open') reading.open(pair, text);
      else reading.close(pair);
    }
  }
  return reading.tangled;
};
