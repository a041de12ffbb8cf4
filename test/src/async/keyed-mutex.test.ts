import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createKeyedMutex } from '../../../src/async/keyed-mutex.ts';

describe('turns', () => {
  it('of one name follow each other, in the order in which they were asked for', async () => {
    const turns = createKeyedMutex();
    const begun: string[] = [];
    const take = async (who: string): Promise<Disposable> => {
      const turn = await turns.take('door');
      begun.push(who);
      return turn;
    };
    const [first, second] = [take('first'), take('second')];
    (await first)[Symbol.dispose]();
    const ofSecond = await second;
    const third = take('third');
    await setImmediate();
    expect(begun).toEqual(['first', 'second']);
    ofSecond[Symbol.dispose]();
    using _ = await third;
    expect(begun).toEqual(['first', 'second', 'third']);
  });

  it('end with the block that they were taken for, also when it throws', async () => {
    const turns = createKeyedMutex();
    const fail = async (): Promise<void> => {
      using _ = await turns.take('door');
      throw new Error('no');
    };
    await expect(fail()).rejects.toThrow('no');
    using _ = await turns.take('door');
  });

  it('of another name wait for nobody', async () => {
    const turns = createKeyedMutex();
    using _ = await turns.take('door');
    using other = await turns.take('window');
    expect(other).toBeDefined();
  });
});
