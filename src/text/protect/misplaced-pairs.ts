import type { StyleKind } from '../../model/rich-text.ts';
import type { Wrapper } from '../pieces/pieces.ts';
import type { Stretch } from './read-tokens.ts';
import { isPaired, type Token } from './token.ts';

export interface Misplaced {
  /** Pairs that enclose nothing, or something else, in their new places. */
  readonly dropped: Set<number>;
  /** Spoilers whose ends came back in the wrong order: the text between stays hidden. */
  readonly turned: Set<number>;
}

class Reading implements Misplaced {
  readonly dropped = new Set<number>();
  readonly turned = new Set<number>();
  readonly #pairs: readonly Wrapper[];
  readonly #opened = new Set<number>();
  readonly #closed = new Set<number>();
  readonly #styles = new Map<StyleKind, number>();

  constructor(pairs: readonly Wrapper[]) {
    this.#pairs = pairs;
  }

  /** Drops open styles at an empty line, which no style spans. */
  text(written: string): void {
    if (this.#styles.size === 0 || !written.includes('\n\n')) return;
    for (const pair of this.#styles.values()) this.dropped.add(pair);
    this.#styles.clear();
  }

  open(pair: number): void {
    this.#opened.add(pair);
    const kind = this.#pairs[pair]?.kind;
    if (this.#closed.has(pair)) {
      if (kind === 'spoiler') this.turned.add(pair);
      else this.dropped.add(pair);
    } else if (kind !== undefined && kind !== 'link' && kind !== 'spoiler') {
      const outer = this.#styles.get(kind);
      if (outer !== undefined) this.dropped.add(outer);
      this.#styles.set(kind, pair);
    }
  }

  close(pair: number): void {
    this.#closed.add(pair);
    const kind = this.#pairs[pair]?.kind;
    if (kind === undefined || kind === 'link' || kind === 'spoiler') return;
    if (this.#styles.get(kind) === pair) this.#styles.delete(kind);
  }
}

/** The result for texts without pairs. */
const NONE: Misplaced = { dropped: new Set(), turned: new Set() };

/**
 * Finds pairs that were closed before they were opened, and styles around one of their own kind or
 * over an empty line. Crossing and empty pairs need no handling: a tree cannot hold them.
 */
export const misplacedPairs = (
  stretches: readonly Stretch[],
  tokens: readonly Token[],
  pairs: readonly Wrapper[],
): Misplaced => {
  if (pairs.length === 0) return NONE;
  const reading = new Reading(pairs);
  for (const stretch of stretches)
    if (typeof stretch === 'string') reading.text(stretch);
    else
      for (const part of tokens[stretch - 1]?.parts ?? [])
        if (part.kind === 'text') reading.text(part.text);
        else if (isPaired(part)) reading[part.kind](part.pair);
  return reading;
};
