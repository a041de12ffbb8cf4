import { expect, test } from 'vitest';
import { plainText } from '../../../src/rich-text/walk.ts';
import { withoutSpoilers } from '../../../src/rich-text/reduce.ts';
import { hiddenText } from '../../fakes/hidden-text.ts';

test('a sign stands for each spoiler and hidden code block, also in quotes', () => {
  expect(plainText(withoutSpoilers(hiddenText(1)))).toBe(
    'A sentence of some length. █████\n█████\n█████\nThe end.',
  );
});
