/** Waiting items of several keys, which take turns; within a key the order is that of arrival. */
export class FairQueue<T> {
  /** The waiting items by key; the key whose turn is next comes first. */
  readonly #byKey = new Map<string, Set<T>>();

  get isEmpty(): boolean {
    return this.#byKey.size === 0;
  }

  push(key: string, item: T): void {
    const items = this.#byKey.get(key);
    if (items) items.add(item);
    else this.#byKey.set(key, new Set([item]));
  }

  /** Takes out an item that stopped waiting; false when it was not there. */
  remove(key: string, item: T): boolean {
    const items = this.#byKey.get(key);
    const wasThere = items?.delete(item) ?? false;
    if (items?.size === 0) this.#byKey.delete(key);
    return wasThere;
  }

  /** Takes out the next item; its key then comes after the others. */
  shift(): T | undefined {
    for (const [key, items] of this.#byKey)
      for (const item of items) {
        items.delete(item);
        this.#byKey.delete(key);
        if (items.size > 0) this.#byKey.set(key, items);
        return item;
      }
    return undefined;
  }
}
