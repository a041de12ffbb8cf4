import { describe, expect, it } from 'vitest';
import { listedWords } from '../../../../src/text/language/features.ts';
import words from '../../../../src/text/language/words.json' with { type: 'json' };

const listsOf = (word: string): string[] => [...listedWords([word]).byLanguage.keys()];

describe('listedWords', () => {
  it('finds words as they are written, without their accents and stretched', () => {
    expect(listsOf('dzięki')).toContain('pl');
    expect(listsOf('dzieki')).toContain('pl');
    expect(listsOf('dziękiiii')).toContain('pl');
    expect(listsOf('xyzzy')).toEqual([]);
  });

  it('counts a word for less that several languages have', () => {
    const { byLanguage, unlisted } = listedWords(['gracias', 'no', 'xyzzy']);
    expect(unlisted).toBe(1);
    const spanish = byLanguage.get('es');
    expect(spanish?.count).toBe(2);
    expect(spanish?.rarity).toBeLessThan(2);
    expect(byLanguage.get('it')?.rarity).toBeLessThan(1);
  });

  it('has lists of single words in lower case, without repetition', () => {
    for (const [language, list] of Object.entries(words)) {
      const each = list.split(' ');
      expect(new Set(each).size, language).toBe(each.length);
      expect(list, language).toBe(list.toLowerCase());
    }
  });
});
