import { createLru } from './lru.ts';

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
