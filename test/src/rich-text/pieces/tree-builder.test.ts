import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalise } from '../../../../src/rich-text/normalise.ts';
import type { RichText } from '../../../../src/rich-text/rich-text.ts';
import { toPieces } from '../../../../src/rich-text/pieces/pieces.ts';
import { TreeBuilder } from '../../../../src/rich-text/pieces/tree-builder.ts';
import { casesOf } from '../../../fakes/cases.ts';
import { anyRichText } from '../../../fakes/any-rich-text.ts';

const rebuilt = (tree: RichText): RichText => {
  const { pieces, pairs } = toPieces(tree);
  const builder = new TreeBuilder(pairs);
  for (const piece of pieces) builder.piece(piece);
  return builder.build();
};

describe('a tree as pieces', () => {
  it('is built again as it was, whatever the tree', () => {
    fc.assert(
      fc.property(anyRichText(), (any) => {
        const tree = normalise(any);
        expect(rebuilt(tree)).toEqual(tree);
      }),
      { numRuns: casesOf(2_000) },
    );
  });
});
