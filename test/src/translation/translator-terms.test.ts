import { describe, expect, it } from 'vitest';
import { useTranslator } from './translator-support.ts';

const { script, translate } = useTranslator();

describe('what must not be translated', () => {
  it('keeps links, mentions and code out of the engine’s reach, and puts them back', async () => {
    const text = 'hello <@123>, run `npm ci` from https://example.org/read-me please';
    const { text: translated } = await translate({ text, from: 'en' });
    expect(translated).toBe(`¡${text}!`);
    expect(script.asked[0]?.text).not.toContain('123');
  });

  it('forces the glossary’s translations', async () => {
    script.terms = [{ term: 'blue mage', language: 'ja', translation: '青魔道士' }];
    script.engine = (text) => text.replace('The', 'その');
    const { text } = await translate({ text: 'The blue mage wins', from: 'en' });
    expect(text).toContain('青魔道士');
  });

  it('prefers the entry of the language to that of every language', async () => {
    script.terms = [
      { term: 'mage', language: undefined, translation: 'MAGE' },
      { term: 'mage', language: 'ja', translation: '魔道士' },
      { term: 'mage', language: 'de', translation: 'Magier' },
    ];
    expect((await translate({ text: 'the mage wins', from: 'en' })).text).toContain('魔道士');
    expect((await translate({ text: 'the mage wins', from: 'en', to: 'fr' })).text).toContain(
      'MAGE',
    );
  });

  it('sends kept terms as keywords, and asks again with them protected when they got lost', async () => {
    script.terms = [{ term: 'Dragoman', language: undefined, translation: undefined }];
    script.engine = (text) => text.replace('Dragoman', 'Dolmetscher');
    const { text } = await translate({ text: 'ask Dragoman about it', from: 'en' });
    expect(script.asked[0]?.keywords).toEqual(['Dragoman']);
    expect(script.asked).toHaveLength(2);
    expect(text).toContain('Dragoman');
  });

  it('sends kept terms in the order in which the glossary gives them, stems as they stand', async () => {
    script.terms = ['rare', 'dragon*', 'often', 'absent'].map((term) => ({
      term,
      language: undefined,
      translation: undefined,
    }));
    script.engine = (text) => `¡${text}!`;
    await translate({ text: 'often dragons and a Dragoner are rare', from: 'en', to: 'es' });
    expect(script.asked).toHaveLength(1);
    expect(script.asked[0]?.keywords).toEqual(['rare', 'dragons', 'Dragoner', 'often']);
  });

  it('does not take a term inside of another word for the term', async () => {
    script.terms = [{ term: 'art', language: undefined, translation: undefined }];
    script.engine = () => 'commence maintenant';
    await translate({ text: 'start right now please', from: 'en', to: 'fr' });
    expect(script.asked).toHaveLength(1);
    expect(script.asked[0]?.keywords).toEqual([]);
  });

  it('asks once more when a token was lost, and never loses what it stood for', async () => {
    script.engine = () => 'the link is gone';
    const { text } = await translate({ text: 'look at https://example.org now', from: 'en' });
    expect(script.asked).toHaveLength(2);
    expect(text).toContain('https://example.org');
  });
});
