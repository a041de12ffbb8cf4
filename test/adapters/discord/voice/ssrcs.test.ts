import { describe, expect, it } from 'vitest';
import { createSsrcs } from '../../../../adapters/discord/voice/ssrcs.ts';

const start = () => {
  const time = { ms: 0 };
  return { time, ssrcs: createSsrcs(() => time.ms) };
};

describe('whose packets are whose', () => {
  it('is what the gateway says, the newest number of each', () => {
    const { ssrcs } = start();
    ssrcs.assign(1, 'ann');
    ssrcs.assign(2, 'ann');
    expect([ssrcs.ownerOf(1), ssrcs.ownerOf(2)]).toEqual([undefined, 'ann']);
    ssrcs.clear();
    expect(ssrcs.ownerOf(2)).toBeUndefined();
  });

  it('is guessed where only one is without a number, after a few packets', () => {
    const { ssrcs } = start();
    ssrcs.assign(1, 'ann');
    const guesses = [1, 2, 3].map(() => ssrcs.guess(9, ['ann', 'bob']));
    expect(guesses).toEqual([undefined, undefined, 'bob']);
    expect(ssrcs.ownerOf(9)).toBe('bob');
  });

  it('is not guessed where two could be it', () => {
    const { ssrcs } = start();
    for (let packet = 0; packet < 200; packet += 1)
      expect(ssrcs.guess(9, ['ann', 'bob'])).toBeUndefined();
  });

  it('is not guessed where two numbers are nobody’s', () => {
    const { ssrcs } = start();
    for (let packet = 0; packet < 200; packet += 1) {
      expect(ssrcs.guess(8, ['ann'])).toBeUndefined();
      expect(ssrcs.guess(9, ['ann'])).toBeUndefined();
    }
  });

  it('takes what still comes of somebody who left for nobody else’s', () => {
    const { ssrcs } = start();
    ssrcs.assign(1, 'ann');
    ssrcs.remove('ann');
    for (let packet = 0; packet < 50; packet += 1) expect(ssrcs.guess(1, ['bob'])).toBeUndefined();
  });

  it('takes what still comes of somebody who left unnamed for nobody else’s', () => {
    const { ssrcs } = start();
    ssrcs.guess(1, ['ann', 'bob']);
    ssrcs.remove('ann');
    for (let packet = 0; packet < 50; packet += 1) expect(ssrcs.guess(1, ['bob'])).toBeUndefined();
  });

  it('forgets numbers that fell silent', () => {
    const { ssrcs, time } = start();
    ssrcs.guess(8, ['ann']);
    time.ms = 2_001;
    expect([1, 2, 3].map(() => ssrcs.guess(9, ['ann']))).toEqual([undefined, undefined, 'ann']);
  });

  it('tells for how long somebody unknown has spoken', () => {
    const { ssrcs, time } = start();
    expect(ssrcs.unknownForMs()).toBe(0);
    for (; time.ms < 3_000; time.ms += 20) ssrcs.guess(9, ['ann', 'bob']);
    expect(ssrcs.unknownForMs()).toBe(3_000);
    time.ms += 2_001;
    expect(ssrcs.unknownForMs()).toBe(0);
  });
});
