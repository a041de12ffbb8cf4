import { addTo } from './count.ts';

/** Openings, as a multiple of the places, for which a key counts after it has asked for one. */
const REMEMBERED_TIMES = 2;

/**
 * Creates the places of streams that are open at the same time. A key that is alone may have all of them; those
 * that have asked of late share them, so that none waits until another leaves one by chance.
 */
export const createStreamPlaces = () => {
  const held = new Map<string, number>();
  /** The number of openings when a key asked last. */
  const askedAt = new Map<string, number>();
  let open = 0;
  let opened = 0;
  return {
    get open(): number {
      return open;
    },
    /** Takes one of `most` places, until the result is disposed of; undefined where there is none for a key. */
    take: (key: string, most: number): Disposable | undefined => {
      if (open === 0) askedAt.clear();
      askedAt.set(key, opened);
      for (const [other, at] of askedAt)
        if (!held.has(other) && opened - at >= REMEMBERED_TIMES * most) askedAt.delete(other);
      const share = Math.ceil(most / askedAt.size);
      if (open >= most || (held.get(key) ?? 0) >= share) return undefined;
      const change = (by: number): void => {
        open += by;
        addTo(held, key, by);
      };
      change(1);
      opened += 1;
      const place = new DisposableStack();
      place.defer(() => change(-1));
      return place;
    },
  };
};
