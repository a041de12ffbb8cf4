import { isSpacedUnit } from '../unicode.ts';

/**
 * Finds all of many patterns in a text at once, in one pass over the text (Aho and Corasick,
 * "Efficient string matching", 1975), but for those that begin within a word of a script with
 * spaces: most of a text is the rest of such words, for which nothing has to be looked up.
 */
export interface Automaton {
  /** Number of states, each of about 22 bytes. */
  readonly states: number;
  /**
   * Reports each occurrence of each pattern, with its end in UTF-16 units, but for those patterns.
   */
  scan(text: string, found: (pattern: number, end: number) => void): void;
}

const ROOT = 0;
/** States after which a build pauses. */
const STATES_AT_ONCE = 1_000;

/** A prefix tree of the patterns. Its edges are in a hash table, because most states have one. */
class Trie {
  states = 1;
  readonly parents: Int32Array;
  readonly chars: Uint16Array;
  /** The pattern that ends in a state, plus one; 0: none. */
  readonly ends: Int32Array;
  readonly #slots: Int32Array;
  readonly #mask: number;

  /** @param most number of states at most */
  constructor(most: number) {
    this.parents = new Int32Array(most);
    this.chars = new Uint16Array(most);
    this.ends = new Int32Array(most);
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(most * 2)));
    this.#mask = this.#slots.length - 1;
  }

  /** The state after a character; the root where there is no such edge. */
  next(state: number, char: number): number {
    return this.#slots[this.#slotOf(state, char)] as number;
  }

  add(pattern: string, number: number): void {
    let state = ROOT;
    for (let at = 0; at < pattern.length; at += 1) {
      const char = pattern.charCodeAt(at);
      const slot = this.#slotOf(state, char);
      if (this.#slots[slot] === ROOT) {
        this.parents[this.states] = state;
        this.chars[this.states] = char;
        this.#slots[slot] = this.states;
        this.states += 1;
      }
      state = this.#slots[slot] as number;
    }
    this.ends[state] = number + 1;
  }

  /** The slot of an edge, or the free one where it would stand. */
  #slotOf(state: number, char: number): number {
    const hash = Math.imul(state, 0x9e3779b1) ^ Math.imul(char, 0x85ebca6b);
    let slot = (hash ^ (hash >>> 15)) & this.#mask;
    for (;;) {
      const found = this.#slots[slot] as number;
      if (found === ROOT || (this.parents[found] === state && this.chars[found] === char))
        return slot;
      slot = (slot + 1) & this.#mask;
    }
  }
}

/** Orders the states but the root, those of shorter prefixes first, step by step. */
const byDepth = function* ({ states, parents }: Trie): Generator<void, Int32Array, void> {
  const depths = new Uint16Array(states);
  const starts: number[] = [0, 0];
  // A parent was added before its children.
  for (let state = 1; state < states; state += 1) {
    const depth = (depths[parents[state] as number] as number) + 1;
    depths[state] = depth;
    starts[depth + 1] = (starts[depth + 1] ?? 0) + 1;
    if (state % STATES_AT_ONCE === 0) yield;
  }
  for (let depth = 1; depth < starts.length; depth += 1)
    starts[depth] = (starts[depth] ?? 0) + (starts[depth - 1] as number);
  const order = new Int32Array(states - 1);
  for (let state = 1; state < states; state += 1) {
    const depth = depths[state] as number;
    order[starts[depth] as number] = state;
    starts[depth] = (starts[depth] as number) + 1;
    if (state % STATES_AT_ONCE === 0) yield;
  }
  return order;
};

/** True at a place within a word of a script with spaces. */
const isWithinWord = (text: string, at: number): boolean =>
  at > 0 && isSpacedUnit(text.charCodeAt(at - 1)) && isSpacedUnit(text.charCodeAt(at));

/** Searches for each of a few patterns, for which an automaton would take longer to build. */
export const searchEach = (patterns: readonly string[]): Automaton => ({
  states: patterns.length,
  scan(text, found) {
    for (const [number, pattern] of patterns.entries())
      for (let at = text.indexOf(pattern); at >= 0; at = text.indexOf(pattern, at + 1))
        if (!isWithinWord(text, at)) found(number, at + pattern.length);
  },
});

/**
 * Builds an automaton step by step, so that others can run between two steps, each of which takes
 * about a millisecond.
 *
 * @param patterns different ones, none of which is empty
 */
export const buildAutomaton = function* (
  patterns: readonly string[],
): Generator<void, Automaton, void> {
  const trie = new Trie(1 + patterns.reduce((sum, { length }) => sum + length, 0));
  yield;
  let rest = STATES_AT_ONCE;
  for (const [number, pattern] of patterns.entries()) {
    trie.add(pattern, number);
    rest -= pattern.length;
    if (rest > 0) continue;
    rest = STATES_AT_ONCE;
    yield;
  }

  /** The state of the longest other suffix of a state's prefix that can begin a word. */
  const suffixes = new Int32Array(trie.states);
  /** The longest suffix that is a pattern, the whole included; the root: none. */
  const hits = new Int32Array(trie.states);
  const follow = (from: number, char: number, canBegin: boolean): number => {
    let state = from;
    for (;;) {
      if (state === ROOT && !canBegin) return ROOT;
      const next = trie.next(state, char);
      if (next !== ROOT || state === ROOT) return next;
      state = suffixes[state] as number;
    }
  };
  for (const [index, state] of (yield* byDepth(trie)).entries()) {
    const parent = trie.parents[state] as number;
    const char = trie.chars[state] as number;
    const suffix =
      parent === ROOT
        ? ROOT
        : follow(
            suffixes[parent] as number,
            char,
            !(isSpacedUnit(trie.chars[parent] as number) && isSpacedUnit(char)),
          );
    suffixes[state] = suffix;
    hits[state] = trie.ends[state] === 0 ? (hits[suffix] as number) : state;
    if (index % STATES_AT_ONCE === 0) yield;
  }

  return {
    states: trie.states,
    scan(text, found) {
      let state = ROOT;
      let wasSpaced = false;
      for (let at = 0; at < text.length; at += 1) {
        const char = text.charCodeAt(at);
        const isSpaced = isSpacedUnit(char);
        const isWithin = wasSpaced && isSpaced;
        wasSpaced = isSpaced;
        if (isWithin && state === ROOT) continue;
        state = follow(state, char, !isWithin);
        let hit = hits[state] as number;
        while (hit !== ROOT) {
          found((trie.ends[hit] as number) - 1, at + 1);
          hit = hits[suffixes[hit] as number] as number;
        }
      }
    },
  };
};
