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

  it('is guessed where only one is without a number, after a few packets over some time', () => {
    const { ssrcs, time } = start();
    ssrcs.assign(1, 'ann');
    expect([1, 2, 3].map(() => ssrcs.guess(9, ['ann', 'bob']))).toEqual(Array(3).fill(undefined));
    time.ms = 499;
    expect(ssrcs.guess(9, ['ann', 'bob'])).toBeUndefined();
    time.ms = 500;
    expect(ssrcs.guess(9, ['ann', 'bob'])).toBe('bob');
    expect(ssrcs.ownerOf(9)).toBe('bob');
  });

  it('is not guessed of two packets that came by', () => {
    const { ssrcs, time } = start();
    ssrcs.guess(9, ['bob']);
    time.ms = 1_000;
    expect(ssrcs.guess(9, ['bob'])).toBeUndefined();
    expect(ssrcs.guess(9, ['bob'])).toBe('bob');
  });

  it('is not guessed where two could be it, or nobody', () => {
    const { ssrcs, time } = start();
    for (; time.ms < 4_000; time.ms += 20) {
      expect(ssrcs.guess(9, ['ann', 'bob'])).toBeUndefined();
      expect(ssrcs.guess(9, [])).toBeUndefined();
    }
  });

  it('is not guessed where two numbers are nobody’s', () => {
    const { ssrcs, time } = start();
    for (; time.ms < 4_000; time.ms += 20) {
      expect(ssrcs.guess(8, ['ann'])).toBeUndefined();
      if (time.ms > 0) expect(ssrcs.guess(9, ['ann'])).toBeUndefined();
      else ssrcs.guess(9, ['ann']);
    }
  });

  it('takes what still comes of somebody who left for nobody else’s', () => {
    const { ssrcs, time } = start();
    ssrcs.assign(1, 'ann');
    ssrcs.remove('ann');
    for (let packet = 0; packet < 50; packet += 1, time.ms += 20)
      expect(ssrcs.guess(1, ['bob'])).toBeUndefined();
  });

  it('takes what still comes of somebody who left unnamed for nobody else’s', () => {
    const { ssrcs, time } = start();
    ssrcs.guess(1, ['ann', 'bob']);
    ssrcs.remove('ann');
    for (let packet = 0; packet < 50; packet += 1, time.ms += 20)
      expect(ssrcs.guess(1, ['bob'])).toBeUndefined();
  });

  it('forgets numbers that fell silent', () => {
    const { ssrcs, time } = start();
    ssrcs.guess(8, ['ann']);
    time.ms = 2_001;
    ssrcs.guess(9, ['ann']);
    time.ms += 500;
    expect([1, 2].map(() => ssrcs.guess(9, ['ann']))).toEqual([undefined, 'ann']);
  });

  it('remembers 32 numbers that nobody has, and not more', () => {
    const { ssrcs, time } = start();
    for (let ssrc = 0; ssrc < 1_000; ssrc += 1) ssrcs.guess(ssrc, ['ann']);
    expect(ssrcs.unknownForMs()).toBe(0);
    time.ms = 2_000;
    ssrcs.guess(1_000, ['ann']);
    // The oldest one went for it; those that stay are of the same age.
    expect(ssrcs.unknownForMs()).toBe(2_000);
    time.ms = 2_001;
    expect(ssrcs.unknownForMs()).toBe(1);
  });

  it('remembers the numbers of a thousand people, the newest ones', () => {
    const { ssrcs } = start();
    for (let at = 1; at <= 5_000; at += 1) ssrcs.assign(at, `${at}`);
    expect([ssrcs.ownerOf(4_000), ssrcs.ownerOf(4_001)]).toEqual([undefined, '4001']);
  });

  it('tells for how long somebody unknown has spoken', () => {
    const { ssrcs, time } = start();
    expect(ssrcs.unknownForMs()).toBe(0);
    for (; time.ms < 3_000; time.ms += 20) ssrcs.guess(9, ['ann', 'bob']);
    expect(ssrcs.unknownForMs()).toBe(3_000);
    time.ms += 2_001;
    expect(ssrcs.unknownForMs()).toBe(0);
  });

  it('may be of those without a number, or else of those whose number is silent', () => {
    const { ssrcs, time } = start();
    const here = ['ann', 'bob', 'cid'];
    ssrcs.assign(1, 'ann');
    ssrcs.assign(2, 'bob');
    expect(ssrcs.suspects(here)).toEqual(['cid']);
    ssrcs.assign(3, 'cid');
    expect(ssrcs.suspects(here)).toEqual([]);
    time.ms = 2_001;
    ssrcs.ownerOf(2);
    expect(ssrcs.suspects(here)).toEqual(['ann', 'cid']);
    ssrcs.remove('bob');
    expect(ssrcs.suspects(here)).toEqual(['bob']);
  });
});
