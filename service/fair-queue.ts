interface KeyQueue<T> {
  readonly first: Set<T>;
  readonly later: Set<T>;
  /** True when the last item that was taken was one of the first. */
  wasFirst: boolean;
}

/** Turns that are remembered of all keys: those of some seconds where turns are short. */
const REMEMBERED_TURNS = 256;

/**
 * Waiting items of several keys. The key that had the fewest of the last turns has the next, so that one that
 * asks for little hardly waits for one that asks for much. Within a key the first turns of requests come before
 * later ones, but no two in a row while those wait; otherwise the order is that of arrival.
 */
export class FairQueue<T> {
  /** The key whose turn was the longest ago comes first. */
  readonly #byKey = new Map<string, KeyQueue<T>>();
  readonly #lastTurns = new Map<string, number>();
  #remembered = 0;

  #countTurn(key: string): void {
    const turns = this.#lastTurns;
    turns.set(key, (turns.get(key) ?? 0) + 1);
    this.#remembered += 1;
    if (this.#remembered < REMEMBERED_TURNS) return;
    this.#remembered /= 2;
    for (const [one, count] of turns)
      if (count < 1) turns.delete(one);
      else turns.set(one, count / 2);
  }

  get isEmpty(): boolean {
    return this.#byKey.size === 0;
  }

  push(key: string, item: T, isFirst: boolean): void {
    let queue = this.#byKey.get(key);
    if (!queue) {
      queue = { first: new Set(), later: new Set(), wasFirst: false };
      this.#byKey.set(key, queue);
    }
    (isFirst ? queue.first : queue.later).add(item);
  }

  /** Takes out an item that stopped waiting; false when it was not there. */
  remove(key: string, item: T): boolean {
    const queue = this.#byKey.get(key);
    if (!queue) return false;
    const wasThere = queue.first.delete(item) || queue.later.delete(item);
    if (queue.first.size + queue.later.size === 0) this.#byKey.delete(key);
    return wasThere;
  }

  /** The key whose turn is next among those that may have one. */
  nextKey(mayHave: (key: string) => boolean): string | undefined {
    let next: string | undefined;
    let fewest = Infinity;
    for (const key of this.#byKey.keys()) {
      const turns = this.#lastTurns.get(key) ?? 0;
      if (turns >= fewest || !mayHave(key)) continue;
      next = key;
      fewest = turns;
    }
    return next;
  }

  /** Takes out the next item of a key. */
  shift(key: string): T | undefined {
    const queue = this.#byKey.get(key);
    if (!queue) return undefined;
    const { first, later } = queue;
    queue.wasFirst = first.size > 0 && (later.size === 0 || !queue.wasFirst);
    const [item] = queue.wasFirst ? first : later;
    this.#countTurn(key);
    this.#byKey.delete(key);
    if (item === undefined) return undefined;
    (queue.wasFirst ? first : later).delete(item);
    if (first.size + later.size > 0) this.#byKey.set(key, queue);
    return item;
  }
}
