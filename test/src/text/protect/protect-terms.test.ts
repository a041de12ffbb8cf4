import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { protectTerms } from '../../../../src/text/protect/protect-terms.ts';
import { anyText } from '../any-text.ts';

describe('protectTerms', () => {
  it('hides terms, addresses and the tokens of others, and puts them back', () => {
    const terms = [{ term: 'Dragoman' }, { term: '⟦1⟧' }];
    const guarded = protectTerms('ask Dragoman at https://a.b ⟦1⟧ now', terms);
    expect(guarded.text).toBe('ask ⟦1⟧ at ⟦2⟧ ⟦3⟧ now');
    expect(guarded.restore('pregunta a ⟦1⟧ en ⟦2⟧ ⟦3⟧')).toBe(
      'pregunta a Dragoman en https://a.b ⟦1⟧',
    );
  });

  it('keeps at the end what a translation lost', () => {
    expect(protectTerms('ask Dragoman', [{ term: 'Dragoman' }]).restore('pregunta')).toBe(
      'pregunta Dragoman',
    );
  });

  it('changes nothing by itself, whatever the text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const guarded = protectTerms(text, [{ term: 'hello' }, { term: '漢字' }]);
        expect(guarded.restore(guarded.text)).toBe(text);
      }),
      { numRuns: 500 },
    );
  });
});
