import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAnswerUpdates } from '../../../src/command/answer-updates.ts';
import { plainWords } from '../../../src/model/compose-rich-text.ts';
import { plainText } from '../../../src/model/walk-rich-text.ts';
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
