import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { showGrowing } from '../../../src/command/answer-updates.ts';

const states = async function* (texts: readonly string[]) {
  for (const text of texts) yield text;
  return 'result';
};

describe('a growing answer', () => {
  it('passes over what came faster than the platform takes, and always shows the last', async () => {
    const shown: string[] = [];
    const pause = Promise.withResolvers<void>();
    const result = await showGrowing(
      states(['a', 'ab', 'abc', 'abcd']),
      async (text) => void shown.push(text),
      { paceMs: 1_000, sleep: async () => pause.promise },
    );
    expect(result).toBe('result');
    expect(shown).toEqual(['a', 'abcd']);
  });

  it('shows nothing when nothing came', async () => {
    const shown: string[] = [];
    await showGrowing(states([]), async (text) => void shown.push(text), { paceMs: 0 });
    expect(shown).toEqual([]);
  });

  it('shows nothing any more once its source has failed', async () => {
    const events: string[] = [];
    const breaking = async function* () {
      yield 'a';
      await new Promise(setImmediate);
      yield 'ab';
      throw new Error('broken');
    };
    const slow = async (text: string): Promise<void> => {
      for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
      events.push(text);
    };
    await expect(showGrowing(breaking(), slow, { paceMs: 0 })).rejects.toThrow('broken');
    events.push('failure told');
    for (let turn = 0; turn < 30; turn += 1) await new Promise(setImmediate);
    expect(events).toEqual(['a', 'failure told']);
  });

  it('does not wait for a silent source when showing fails', async () => {
    const gate = Promise.withResolvers<void>();
    const silent = async function* () {
      yield 'a';
      await gate.promise;
    };
    const gone = async (): Promise<void> => {
      setImmediate(gate.resolve);
      throw new Error('the message is gone');
    };
    await expect(showGrowing(silent(), gone, { paceMs: 0 })).rejects.toThrow('gone');
  });

  it('tells a failed showing though the source has ended', async () => {
    const gone = async (): Promise<void> => {
      await Promise.resolve();
      throw new Error('the message is gone');
    };
    await expect(showGrowing(states(['a']), gone, { paceMs: 0 })).rejects.toThrow('gone');
  });

  it('closes its source when showing fails', async () => {
    let closed = false;
    const endless = async function* () {
      try {
        for (;;) {
          yield 'more';
          await new Promise(setImmediate);
        }
      } finally {
        closed = true;
      }
    };
    const gone = async (): Promise<void> => {
      throw new Error('the message is gone');
    };
    await expect(showGrowing(endless(), gone, { paceMs: 0 })).rejects.toThrow('gone');
    expect(closed).toBe(true);
  });

  it('waits twice as long before each further update where these are counted', async () => {
    const shown: string[] = [];
    const waits: number[] = [];
    const slowly = async function* () {
      for (const text of ['a', 'ab', 'abc', 'abcd', 'abcde']) {
        yield text;
        await new Promise(setImmediate);
      }
    };
    await showGrowing(slowly(), async (text) => void shown.push(text), {
      paceMs: 100,
      updates: 4,
      sleep: async (ms) => void waits.push(ms),
    });
    expect(shown).toEqual(['a', 'ab', 'abc', 'abcde']);
    expect(waits.slice(0, 3)).toEqual([100, 200, 400]);
  });

  it('keeps within any number of updates, and shows the last state with the last of them', async () => {
    const turns = fc.array(fc.nat(3), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(
        turns,
        fc.integer({ min: 1, max: 5 }),
        fc.nat(3),
        async (pauses, updates, slow) => {
          const wait = async (count: number): Promise<void> => {
            for (let turn = 0; turn < count; turn += 1) await new Promise(setImmediate);
          };
          const shown: number[] = [];
          const growing = async function* () {
            for (const [index, pause] of pauses.entries()) {
              yield String(index);
              await wait(pause);
            }
          };
          await showGrowing(
            growing(),
            async (text) => {
              await wait(slow);
              shown.push(Number(text));
            },
            { paceMs: 1, updates, sleep: async () => wait(1) },
          );
          expect(shown.length).toBeLessThanOrEqual(updates);
          expect(shown).toEqual(shown.toSorted((a, b) => a - b));
          expect(shown.at(-1)).toBe(pauses.length - 1);
        },
      ),
    );
  });
});
