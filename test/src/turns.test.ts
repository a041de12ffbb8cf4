import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createTurns } from '../../src/turns.ts';

describe('turns', () => {
  it('of one name follow each other, in the order in which they were asked for', async () => {
    const turns = createTurns();
    const begun: string[] = [];
    const take = async (who: string): Promise<() => void> => {
      const done = await turns.take('door');
      begun.push(who);
      return done;
    };
    const [first, second] = [take('first'), take('second')];
    (await first)();
    const endSecond = await second;
    const third = take('third');
    await setImmediate();
    expect(begun).toEqual(['first', 'second']);
    endSecond();
    (await third)();
    expect(begun).toEqual(['first', 'second', 'third']);
  });

  it('of another name wait for nobody', async () => {
    const turns = createTurns();
    await turns.take('door');
    const done = await turns.take('window');
    done();
  });
});
