import { expect, test } from 'vitest';
import { plainText } from '../../../src/model/walk-rich-text.ts';
import { withoutSpoilers } from '../../../src/model/without-spoilers.ts';
import { hiddenText } from '../../fakes/hidden-text.ts';

test('a sign stands for each spoiler and hidden code block, also in quotes', () => {
  expect(plainText(withoutSpoilers(hiddenText(1)))).toBe(
    'A sentence of some length. █████\n█████\n█████\nThe end.',
  );
});
