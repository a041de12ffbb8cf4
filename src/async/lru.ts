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

/** A cache of values that are read elsewhere. */
export interface Cache<Key, Value> {
  readonly of: (key: Key) => Promise<Value>;
  /** Drops the entry of a key. Call it once a change is committed or has failed. */
  readonly forget: (key: Key) => void;
}

/**
 * Creates a cache.
 *
 * @param most number of entries; the least recently used one is dropped first
 */
export const createCache = <Key, Value>(
  read: (key: Key) => Promise<Value>,
  { keyOf, most }: { readonly keyOf: (key: Key) => string; readonly most: number },
): Cache<Key, Value> => {
  const known = createLru<string, Promise<Value>>(most);
  const readAnew = (asked: Key, key: string): Promise<Value> => {
    const found = read(asked);
    found.catch(() => {
      if (known.get(key) === found) known.delete(key);
    });
    return found;
  };
  return {
    of: (asked) => {
      const key = keyOf(asked);
      const found = known.get(key) ?? readAnew(asked, key);
      known.set(key, found);
      return found;
    },
    forget: (key) => known.delete(keyOf(key)),
  };
};
