import type { Clock } from './clock.ts';

/** A map of limited weight; above it, the entries that were set the longest ago are dropped. */
export interface Lru<Key, Value> extends Iterable<[Key, Value]> {
  /** Reads a value without counting as a use; set it again to keep it. */
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): void;
  delete(key: Key): void;
  readonly clear: () => void;
}

/**
 * Creates a map whose entries weigh at most `limit`; the newest one stays, whatever its weight.
 *
 * @param weightOf the weight of a value when it is set; default: 1
 */
export const createLru = <Key, Value>(
  limit: number,
  weightOf: (value: Value) => number = () => 1,
): Lru<Key, Value> => {
  const entries = new Map<Key, { readonly value: Value; readonly weight: number }>();
  let total = 0;
  const remove = (key: Key): void => {
    total -= entries.get(key)?.weight ?? 0;
    entries.delete(key);
  };
  return {
    get: (key) => entries.get(key)?.value,
    set: (key, value) => {
      remove(key);
      const weight = weightOf(value);
      total += weight;
      entries.set(key, { value, weight });
      // An iterator that finds nothing to drop has passed all that was deleted, and one that is kept keeps what was deleted.
      if (total <= limit) return;
      for (const oldest of entries.keys()) {
        if (total <= limit || entries.size === 1) return;
        remove(oldest);
      }
    },
    delete: remove,
    clear: () => {
      entries.clear();
      total = 0;
    },
    *[Symbol.iterator]() {
      for (const [key, { value }] of entries) yield [key, value];
    },
  };
};

/** A cache of values that are read elsewhere. */
export interface Cache<Key, Value> {
  readonly of: (key: Key) => Promise<Value>;
  /** Drops the entry of a key; all of them without one. Call it once a change is committed or has failed. */
  readonly forget: (key: Key | undefined) => void;
  /** Drops the entries of all keys that are meant. */
  readonly forgetWhere: (isMeant: (key: Key) => boolean) => void;
}

/**
 * Creates a cache.
 *
 * @param most number of entries, or their weight; the least recently used are dropped first
 * @param weightOf the weight of a value; default: 1
 * @param lifeMs time for which a value counts; default: never
 * @param lifeOf time for which this value counts, where that is less
 * @param now ms, of any clock; needed for `lifeMs`
 * @param isCurrent false while changes may be missed, so that values are read anew. Default: always true
 */
export const createCache = <Key, Value>(
  read: (key: Key) => Promise<Value>,
  {
    keyOf,
    most,
    weightOf = () => 1,
    lifeMs = Infinity,
    lifeOf = () => lifeMs,
    now = () => 0,
    isCurrent = () => true,
  }: {
    readonly keyOf: (key: Key) => string;
    readonly most: number;
    readonly weightOf?: (value: Value) => number;
    readonly lifeMs?: number;
    readonly lifeOf?: (value: Value) => number;
    readonly now?: () => number;
    readonly isCurrent?: () => boolean;
  },
): Cache<Key, Value> => {
  interface Entry {
    readonly asked: Key;
    readonly found: Promise<Value>;
    untilMs: number;
  }
  const weights = new WeakMap<Promise<Value>, number>();
  const known = createLru<string, Entry>(most, ({ found }) => weights.get(found) ?? 1);
  const weigh = async (key: string, entry: Entry): Promise<void> => {
    try {
      const value = await entry.found;
      entry.untilMs = Math.min(entry.untilMs, now() + lifeOf(value));
      weights.set(entry.found, weightOf(value));
      if (known.get(key)?.found === entry.found) known.set(key, entry);
    } catch {
      if (known.get(key)?.found === entry.found) known.delete(key);
    }
  };
  const readAnew = (asked: Key, key: string): Entry => {
    const entry = { asked, found: read(asked), untilMs: now() + lifeMs };
    void weigh(key, entry);
    return entry;
  };
  return {
    of: (asked) => {
      const key = keyOf(asked);
      const held = known.get(key);
      const leftMs = held ? held.untilMs - now() : 0;
      // More than it had at first is left where the clock was set back.
      const isFresh = held && leftMs > 0 && leftMs <= lifeMs && isCurrent();
      const entry = isFresh ? held : readAnew(asked, key);
      known.set(key, entry);
      return entry.found;
    },
    forget: (key) => {
      if (key !== undefined) return known.delete(keyOf(key));
      known.clear();
    },
    forgetWhere: (isMeant) => {
      for (const [key, { asked }] of known) if (isMeant(asked)) known.delete(key);
    },
  };
};

/**
 * Creates a look at something slow: taken once at a time, its result counts for a while, also where it
 * rejects.
 */
export const createCachedLook = <T>(
  look: () => Promise<T>,
  lifeMs: number,
  { nowMs }: Pick<Clock, 'nowMs'>,
): (() => Promise<T>) => {
  let last: { readonly atMs: number; readonly result: Promise<T> } | undefined;
  let isUnderWay = false;
  const begin = async (): Promise<T> => {
    isUnderWay = true;
    try {
      return await look();
    } finally {
      isUnderWay = false;
    }
  };
  return () => {
    if (!last || (!isUnderWay && nowMs() - last.atMs >= lifeMs))
      last = { atMs: nowMs(), result: begin() };
    return last.result;
  };
};
