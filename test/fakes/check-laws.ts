import * as fc from 'fast-check';
import { it } from 'vitest';
import { anyRichText } from './any-rich-text.ts';
import type { Law } from './rich-text-laws.ts';

/** One test for each law. */
export const checkLaws = (laws: Readonly<Record<string, Law>>): void => {
  for (const [name, law] of Object.entries(laws))
    it(`${name}, whatever the tree`, () => {
      fc.assert(
        fc.property(anyRichText(), (tree) => {
          const fault = law(tree);
          if (fault !== undefined) throw new Error(fault);
        }),
      );
    });
};
