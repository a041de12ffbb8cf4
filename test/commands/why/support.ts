import type { Explained, Explanation } from '../../../src/autotranslate/explain.ts';
import { messageOf } from '../../fakes/command-harness.ts';
import { EVE, useCommandHarness } from '../support.ts';

/** A message of Eve's, on which `/why` is used. */
export const ON = {
  ...messageOf('hello'),
  author: { id: 'eve', name: 'Eve', kind: 'person' },
} as const;
export const ELSEWHERE = { space: { platform: 'test', id: 'elsewhere' }, id: '900' };

export const by = (id: string) => ({ platform: 'test', id });

/** Commands of each test, what is explained of Eve's message, and `/why` on it. */
export const useWhy = () => {
  const harness = useCommandHarness();
  return {
    harness,
    explain: (part: Explanation, author = by('eve')): void => {
      const told: Explained = { ref: ON.ref, author, parts: [part] };
      harness().script.explained = [told];
    },
    ask: async (member: object = EVE) => harness().run('why', {}, { member, on: ON }),
  };
};
