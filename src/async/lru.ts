/** A map of limited size; above it, the entry that was set the longest ago is dropped. */
export interface Lru<Key, Value> extends Iterable<[Key, Value]> {
  /** Reads a value without counting as a use; set it again to keep it. */
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): void;
  delete(key: Key): void;
}

/** Creates a map that holds at most `limit` entries. */
export const createLru = <Key, Value>(limit: number): Lru<Key, Value> => {
  const kept = new Map<Key, Value>();
  return {
    get: (key) => kept.get(key),
    set: (key, value) => {
      kept.delete(key);
      kept.set(key, value);
      if (kept.size > limit) kept.delete(kept.keys().next().value as Key);
    },
    delete: (key) => void kept.delete(key),
    [Symbol.iterator]: () => kept.entries(),
  };
};
