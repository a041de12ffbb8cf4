import { describe, expect, it } from 'vitest';
import { createStreamPlaces } from '../../service/stream-places.ts';

/** Takes places for a key until there is none for it. */
const takeAll = (places: ReturnType<typeof createStreamPlaces>, key: string, most: number) => {
  const taken: Disposable[] = [];
  for (let one = places.take(key, most); one; one = places.take(key, most)) taken.push(one);
  return taken;
};

describe('the streams that a machine keeps up with', () => {
  it('are all for a key that is alone', () => {
    expect(takeAll(createStreamPlaces(), 'a', 4)).toHaveLength(4);
  });

  it('are shared with a key that found none, as they are given back', () => {
    const places = createStreamPlaces();
    const first = takeAll(places, 'a', 4);
    expect(places.take('b', 4)).toBeUndefined();
    for (const one of first.slice(0, 3)) one[Symbol.dispose]();
    expect(takeAll(places, 'a', 4)).toHaveLength(1);
    expect(takeAll(places, 'b', 4)).toHaveLength(2);
  });

  it('are all for a key again when the others have asked for none in some time', () => {
    const places = createStreamPlaces();
    const own = takeAll(places, 'a', 4);
    expect(places.take('b', 4)).toBeUndefined();
    for (const one of own.splice(2)) one[Symbol.dispose]();
    expect(takeAll(places, 'a', 4)).toEqual([]);
    for (let turn = 0; turn < 8; turn += 1) {
      own.pop()?.[Symbol.dispose]();
      own.push(...takeAll(places, 'a', 4));
    }
    expect(own).toHaveLength(4);
  });

  it('are all for a key that comes when all are free', () => {
    const places = createStreamPlaces();
    places.take('b', 4)?.[Symbol.dispose]();
    expect(takeAll(places, 'a', 4)).toHaveLength(4);
  });

  it('give a place back once', () => {
    const places = createStreamPlaces();
    const [one] = takeAll(places, 'a', 1);
    one?.[Symbol.dispose]();
    one?.[Symbol.dispose]();
    expect(takeAll(places, 'a', 1)).toHaveLength(1);
  });
});
