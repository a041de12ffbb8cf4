import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/config.ts';
import { engineSection } from '../../service/config.ts';
import { inPreferredOrder } from '../../service/engine-order.ts';

const ENGINES = [{ name: 'openai' }, { name: 'apertium' }, { name: 'another' }];

const ordersOf = (text: string) =>
  parseConfig({ SERVICE_ENGINE_ORDER: text }, { engines: engineSection }).engines
    .SERVICE_ENGINE_ORDER;

const namesFor = (text: string, from: string, to: string): string[] =>
  inPreferredOrder(ENGINES, ordersOf(text), 'translation', { from, to }).map(({ name }) => name);

describe('the order of engines', () => {
  it('is that of a language pair, or of the ability; others follow', () => {
    const text = 'translation=another,translation:en:es=apertium>openai,chat=another';
    expect(namesFor(text, 'en', 'es')).toEqual(['apertium', 'openai', 'another']);
    expect(namesFor(text, 'en-GB', 'es-MX')).toEqual(['apertium', 'openai', 'another']);
    expect(namesFor(text, 'es', 'en')).toEqual(['another', 'openai', 'apertium']);
  });

  it('is their own without a setting', () => {
    expect(namesFor('recognition=another', 'en', 'es')).toEqual(ENGINES.map(({ name }) => name));
  });

  it.each([
    'translation',
    'translation=',
    'cooking=openai',
    'chat:en:es=openai',
    'translation:en=x',
  ])('cannot be %s', (text) => {
    expect(() => ordersOf(text)).toThrow(
      /must be like .*\(chat, translation, recognition, speech\)/,
    );
  });
});
