import { describe, expect, it } from 'vitest';
import { hasGrown } from '../../../../src/text/reply/growth.ts';

describe('a reply that comes in pieces', () => {
  it('is judged at its first piece, and when it has grown by some words', () => {
    expect(hasGrown(0, 1)).toBe(true);
    expect(hasGrown(50, 3)).toBe(false);
    expect(hasGrown(50, 60)).toBe(false);
    expect(hasGrown(50, 66)).toBe(true);
    expect(hasGrown(5_000, 5_066)).toBe(false);
  });

  it('is judged a few hundred times, however long it is and however small its pieces', () => {
    let judgedChars = 0;
    let judgements = 0;
    let readChars = 0;
    const longest = 100_000;
    for (let chars = 1; chars <= longest; chars += 1)
      if (hasGrown(judgedChars, chars)) {
        judgedChars = chars;
        judgements += 1;
        readChars += chars;
      }
    expect(judgements).toBeLessThan(400);
    expect(readChars).toBeLessThan(60 * longest);
  });
});
