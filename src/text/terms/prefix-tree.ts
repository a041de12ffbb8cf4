import { isSpacedUnit } from '../unicode.ts';

const ROOT = 0;
/** States after which a build pauses. */
const STATES_AT_ONCE = 1_000;

/** A prefix tree of patterns. Its edges are in a hash table, because most states have one. */
export class PrefixTree {
  #states = 1;
  readonly #parents: Int32Array;
  readonly #chars: Uint16Array;
  /** The pattern that ends in a state, plus one; 0: none. */
  readonly #ends: Int32Array;
  readonly #slots: Int32Array;
  readonly #mask: number;

  /** @param most number of states at most, each of about 22 bytes */
  constructor(most: number) {
    this.#parents = new Int32Array(most);
    this.#chars = new Uint16Array(most);
    this.#ends = new Int32Array(most);
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(most * 2)));
    this.#mask = this.#slots.length - 1;
  }

  add(pattern: string, number: number): void {
    let state = ROOT;
    for (let at = 0; at < pattern.length; at += 1) {
      const char = pattern.charCodeAt(at);
      const slot = this.#slotOf(state, char);
      if (this.#slots[slot] === ROOT) {
        this.#parents[this.#states] = state;
        this.#chars[this.#states] = char;
        this.#slots[slot] = this.#states;
        this.#states += 1;
      }
      state = this.#slots[slot] as number;
    }
    this.#ends[state] = number + 1;
  }

  /**
   * Reports each occurrence of each pattern, with its end in UTF-16 units, but for those that begin within
   * a word of a script with spaces: most of a text is the rest of such words, for which nothing has to be
   * looked up.
   */
  scan(text: string, found: (pattern: number, end: number) => void): void {
    let wasSpaced = false;
    for (let from = 0; from < text.length; from += 1) {
      const isSpaced = isSpacedUnit(text.charCodeAt(from));
      const isWithinWord = wasSpaced && isSpaced;
      wasSpaced = isSpaced;
      if (isWithinWord) continue;
      let state = ROOT;
      for (let at = from; at < text.length; at += 1) {
        // The root is no state's child: it stands where there is no such edge.
        state = this.#slots[this.#slotOf(state, text.charCodeAt(at))] as number;
        if (state === ROOT) break;
        const end = this.#ends[state] as number;
        if (end > 0) found(end - 1, at + 1);
      }
    }
  }

  /** The slot of an edge, or the free one where it would stand. */
  #slotOf(state: number, char: number): number {
    const hash = Math.imul(state, 0x9e3779b1) ^ Math.imul(char, 0x85ebca6b);
    let slot = (hash ^ (hash >>> 15)) & this.#mask;
    for (;;) {
      const found = this.#slots[slot] as number;
      if (found === ROOT || (this.#parents[found] === state && this.#chars[found] === char))
        return slot;
      slot = (slot + 1) & this.#mask;
    }
  }
}

/**
 * Builds a prefix tree step by step, so that others can run between two steps, each of which takes about a
 * millisecond.
 *
 * @param patterns different ones, none of which is empty
 */
export const buildPrefixTree = function* (
  patterns: readonly string[],
): Generator<void, PrefixTree, void> {
  const tree = new PrefixTree(1 + patterns.reduce((sum, { length }) => sum + length, 0));
  yield;
  let rest = STATES_AT_ONCE;
  for (const [number, pattern] of patterns.entries()) {
    tree.add(pattern, number);
    rest -= pattern.length;
    if (rest > 0) continue;
    rest = STATES_AT_ONCE;
    yield;
  }
  return tree;
};
