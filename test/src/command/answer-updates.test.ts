import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAnswerUpdates, showGrowing } from '../../../src/command/answer-updates.ts';
import { plainWords } from '../../../src/rich-text/compose.ts';
import { plainText } from '../../../src/rich-text/walk.ts';
import { createProbes } from '../../fakes/probes.ts';

const signal = new AbortController().signal;

/** No words are trimmed away. */
const tree = (words: string) => plainWords(`<${words}>`);

const open = (updates?: number) => {
  const shown: string[] = [];
  const answer = createAnswerUpdates({
    signal,
    answer: {
      show: async (content) => void shown.push(plainText(content.text).slice(1, -1)),
      paceMs: 0,
      ...(updates === undefined ? {} : { updates }),
    },
  });
  return { shown, answer };
};

const growing = async function* (texts: readonly string[]) {
  for (const text of texts) {
    yield text;
    await new Promise(setImmediate);
  }
};

describe('an answer', () => {
  it('is shown each time where updates are not counted, but never twice alike', async () => {
    const { shown, answer } = open();
    for (const words of ['a', 'b', 'b', 'c']) await answer.show({ text: tree(words) });
    await answer.finish();
    expect(shown).toEqual(['a', 'b', 'c']);
  });

  it('keeps its last update for what stands in the end', async () => {
    const { shown, answer } = open(2);
    for (const words of ['a', 'b', 'c']) await answer.show({ text: tree(words) });
    expect(shown).toEqual(['a']);
    expect(answer.newest()).toEqual({ text: tree('c') });
    await answer.finish();
    expect(shown).toEqual(['a', 'c']);
  });

  it('holds what is to stand below it where nothing else can', async () => {
    for (const updates of [undefined, 1]) {
      const { shown, answer } = open(updates);
      await answer.show({ text: tree('a') });
      await answer.showBelow({ text: tree('b') });
      await answer.finish();
      expect(shown.at(-1)).toBe('a>\n\n<b');
    }
  });

  it('makes a text of those states alone that it shows', async () => {
    const { shown, answer } = open(6);
    const made: string[] = [];
    const states = Array.from({ length: 500 }, (_, index) => String(index));
    await answer.stream(growing(states), (state) => {
      made.push(state);
      return tree(state);
    });
    expect(made).toEqual(shown);
    expect(made.at(-1)).toBe('499');
  });

  it('leaves updates for what comes after a stream', async () => {
    const { shown, answer } = open(5);
    await answer.stream(growing(['1', '12', '123', '1234', '12345']), tree);
    await answer.stream(growing(['2', '21', '213']), tree);
    await answer.show({ text: tree('done') });
    await answer.finish();
    expect(shown.length).toBeLessThanOrEqual(5);
    expect(shown).toEqual(expect.arrayContaining(['12345', '213']));
    expect(shown.at(-1)).toBe('done');
  });

  it('ends with its last state within any number of updates, whatever a command shows', async () => {
    const texts = fc.array(fc.string({ maxLength: 2 }), { minLength: 1, maxLength: 6 });
    const steps = fc.array(fc.tuple(fc.boolean(), texts), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 6 }), steps, async (updates, all) => {
        const { shown, answer } = open(updates);
        for (const [isStream, given] of all)
          if (isStream) await answer.stream(growing(given), tree);
          else for (const words of given) await answer.show({ text: tree(words) });
        await answer.finish();
        expect(shown.length).toBeLessThanOrEqual(updates);
        expect(shown.at(-1)).toBe(all.at(-1)?.[1].at(-1));
      }),
    );
  });
});

describe('a command with one update', () => {
  it.each([
    ['ok', 'whole'],
    ['same', 'half'],
    ['break', 'half\n\n'],
  ])('shows the end of %j alone', async (text, expected) => {
    const probes = createProbes();
    const shown: string[] = [];
    await probes.run(
      'probe',
      { text },
      {
        answer: {
          show: async (content) => void shown.push(plainText(content.text)),
          paceMs: 0,
          updates: 1,
        },
      },
    );
    expect(shown).toEqual([expect.stringMatching(new RegExp(`^${expected}`))]);
  });
});

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
          const paused = async function* () {
            for (const [index, pause] of pauses.entries()) {
              yield String(index);
              await wait(pause);
            }
          };
          await showGrowing(
            paused(),
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
