import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainWords } from '../../../src/rich-text/compose.ts';
import { protect } from '../../../src/text/protect/protect.ts';
import { pseudoLocalise } from '../../../service/engines/pseudo.ts';
import { anyText } from '../../src/text/any-text.ts';

describe('pseudoLocalise', () => {
  it('accents, brackets and lengthens by about a third', () => {
    const text = 'The quick brown fox jumps over the lazy dog.';
    const pseudo = pseudoLocalise(text);
    expect(pseudo).toMatch(/^\[Ţĥéé .*\]$/);
    expect(pseudo).not.toMatch(/[A-Za-z]/);
    expect(pseudo.length / text.length).toBeGreaterThan(1.3);
    expect(pseudo.length / text.length).toBeLessThan(1.45);
  });

  it.each([
    '⟦12⟧',
    '{name}',
    '{{count}}',
    '%d',
    '%1$s',
    '${x}',
    '<b>',
    '2026',
    'https://a.b/c',
    '<@1>',
  ])('keeps %s', (kept) => {
    expect(pseudoLocalise(`see ${kept} here`)).toContain(` ${kept} `);
  });

  it('leaves blank text alone, and white space outside the brackets', () => {
    expect(pseudoLocalise('')).toBe('');
    expect(pseudoLocalise(' \u200B')).toBe(' \u200B');
    expect(pseudoLocalise(' hi\n')).toMatch(/^ \[.*\]\n$/);
  });

  it('keeps every token, whatever the text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const guarded = protect(plainWords(text));
        expect(guarded.restore(pseudoLocalise(guarded.text)).ok).toBe(true);
      }),
    );
  });
});
