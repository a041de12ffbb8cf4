import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createKeyedMutex } from '../../../src/async/keyed-mutex.ts';

describe('a keyed mutex', () => {
  it('gives turns of one key one after another, in the order in which they were asked for', async () => {
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

  it('ends a turn with the block that it was taken for, also when that throws', async () => {
    const turns = createKeyedMutex();
    const fail = async (): Promise<void> => {
      using _ = await turns.take('door');
      throw new Error('no');
    };
    await expect(fail()).rejects.toThrow('no');
    using _ = await turns.take('door');
  });

  it('keeps no other key waiting', async () => {
    const turns = createKeyedMutex();
    using _ = await turns.take('door');
    using other = await turns.take('window');
    expect(other).toBeDefined();
  });

  it('lets nobody pass whom it waited for longer when one gives up waiting', async () => {
    const turns = createKeyedMutex();
    const stop = new AbortController();
    const begun: string[] = [];
    const first = await turns.take('door');
    const second = turns.take('door', stop.signal);
    const third = turns.take('door').then((turn) => {
      begun.push('third');
      return turn;
    });
    stop.abort(new Error('stopped'));
    await expect(second).rejects.toThrow('stopped');
    await setImmediate();
    expect(begun).toEqual([]);
    first[Symbol.dispose]();
    using _ = await third;
    expect(begun).toEqual(['third']);
  });
});
