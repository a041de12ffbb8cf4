import { describe, expect, it } from 'vitest';
import { rankLanguages, priorOf } from '../../../../src/text/language/detect.ts';

const times = (count: number, language: string): string[] =>
  Array.from({ length: count }, () => language);

describe('priorOf', () => {
  it('says nothing of a writer who is not known', () => {
    const prior = priorOf({ own: [], place: [] });
    expect(prior('es')).toBe(0);
    expect(prior('sw')).toBe(0);
  });

  it('favours what the writer wrote lately, over what the others of the place wrote', () => {
    const prior = priorOf({ own: times(4, 'no'), place: times(10, 'da') });
    expect(prior('no')).toBeGreaterThan(prior('da'));
    expect(prior('da')).toBeGreaterThan(prior('sv'));
  });

  it('leaves the second language of a writer possible', () => {
    const prior = priorOf({ own: times(10, 'de'), place: times(10, 'de') });
    const [best] = rankLanguages('that was really nice of you, thanks a lot', prior);
    expect(best?.language).toBe('en');
    expect(best?.confidence).toBeGreaterThan(0.9);
  });

  it('tells what the words alone do not', () => {
    const text = 'hvor er du?';
    const told = (language: string): string | undefined =>
      rankLanguages(text, priorOf({ own: times(5, language), place: [] }))[0]?.language;
    expect(told('da')).toBe('da');
    expect(told('no')).toBe('no');
  });
});
