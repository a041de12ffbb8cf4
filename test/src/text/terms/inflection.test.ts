import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { prepareInflections, type InflectedTerms } from '../../../../src/text/terms/inflection.ts';

interface Word {
  readonly term: string;
}

const prepare = async (
  language: string,
  ...terms: readonly string[]
): Promise<InflectedTerms<Word> | undefined> => {
  const steps = prepareInflections(
    terms.map((term) => ({ term })),
    language,
  );
  for (;;) {
    const step = await steps.next();
    if (step.done) return step.value;
  }
};

const formsOf = async (language: string, term: string, text: string): Promise<readonly string[]> =>
  ((await prepare(language, term))?.(text) ?? []).map(({ start, end }) => text.slice(start, end));

describe('a term', () => {
  it.each([
    ['en', 'dragon', 'The Dragons and the dragon’s egg', ['Dragons', 'dragon’s']],
    ['en', 'shadow knife', 'two shadow knives', ['shadow knives']],
    ['en-GB', 'party', 'parties', ['parties']],
    ['es', 'dragón', 'los dragones', ['dragones']],
    ['pt-BR', 'poção', 'duas poções', ['poções']],
    ['fr', 'cheval', 'des chevaux', ['chevaux']],
    ['it', 'drago', 'i draghi', ['draghi']],
    ['de', 'Drache', 'den Drachen', ['Drachen']],
    ['ru', 'дракон', 'с драконами', ['драконами']],
    ['sv', 'drake', 'drakarna', ['drakarna']],
    ['tr', 'ejderha', 'ejderhalar', ['ejderhalar']],
  ])('is found in its other forms: %s %s', async (language, term, text, forms) => {
    expect(await formsOf(language, term, text)).toEqual(forms);
  });

  it.each([
    ['as it is written', 'en', 'dragon', 'a Dragon'],
    ['of another word with the same stem', 'en', 'university', 'universal'],
    ['of another gender', 'pt', 'porto', 'a porta'],
    ['of a verb', 'de', 'Heiler', 'das heilt'],
    ['of another kind of word', 'en', 'healer', 'healing'],
    ['in a language whose forms are not known', 'ja', 'dragon', 'dragons'],
    ['with signs', 'en', 'C++', 'C++s'],
    ['over the end of a sentence', 'en', 'dragon slayer', 'I like dragons. Slayers too'],
    ['over the end of a line', 'en', 'dragon slayer', 'dragons\nslayers'],
  ])('is not found %s', async (_, language, term, text) => {
    expect(await formsOf(language, term, text)).toEqual([]);
  });

  it('is never found where it is not, and takes linear time', async () => {
    const inflected = await prepare('en', 'dragon', 'healer', 'big red dragon', 'x');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('dragons ', 'big ', 'red ', 'x', '’s ', 'é')),
        async (parts) => {
          const text = parts.join('');
          for (const { start, end } of inflected?.(text) ?? [])
            expect(text.slice(start, end)).toContain('dragons');
        },
      ),
    );
    expect(inflected?.('dragons '.repeat(20_000))).toHaveLength(20_000);
  });
});
