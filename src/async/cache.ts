import { createLru } from './lru.ts';

/** Holds in memory what was read elsewhere, until it is forgotten. */
export interface Cache<Key, Value> {
  readonly of: (key: Key) => Promise<Value>;
  /** Drops the entry of a key: to be called once a change was committed, or failed. */
  readonly forget: (key: Key) => void;
}

/** @param most entries that are held; those that were not asked for longest go first */
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
