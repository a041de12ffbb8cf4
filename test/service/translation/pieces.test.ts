import { describe, expect, it } from 'vitest';
import type { TranslationEngine, TranslationPiece } from '../../../service/engine.ts';
import { createEngine } from '../../../service/engines/pseudo.ts';
import { translateInPieces, translateKeeping } from '../../../service/translation/pieces.ts';
import { silentLog } from '../../fakes/silent-log.ts';
import { engineConfig } from '../support.ts';

const signal = new AbortController().signal;

const pieces = async (
  part: TranslationEngine,
  text: string,
  keywords: readonly string[],
): Promise<TranslationPiece[]> => {
  const all: TranslationPiece[] = [];
  const request = { text, from: 'en', to: 'en-XA', tokens: new Map(), keywords, context: '' };
  for await (const piece of translateKeeping(part, request, signal))
    if (piece.text !== '') all.push(piece);
  return all;
};

describe('keywords', () => {
  const upper: TranslationEngine = {
    translates: () => true,
    translate: async function* ({ text }) {
      const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
      const said = text.toUpperCase().replace(/(?<![⟦\d])\d+(?![\d⟧])/g, 'NUMBER');
      const [first = '', ...rest] = said.split(/(?<=⟦)/);
      yield { text: first, model: 'm', usage };
      for (const piece of rest) yield { text: piece, model: 'm' };
    },
  };

  it('come through an engine that knows none, tokens of the client too', async () => {
    const [piece, ...others] = await pieces(upper, 'a big House ⟦1⟧ in ⟦12⟧', ['house', 'none']);
    expect(others).toEqual([]);
    expect(piece).toMatchObject({
      text: 'A BIG House ⟦1⟧ IN ⟦12⟧',
      model: 'm',
      usage: { total_tokens: 2 },
    });
  });

  it('are left to an engine that knows them', async () => {
    let seen: readonly string[] = [];
    const own: TranslationEngine = {
      ...upper,
      keepsKeywords: () => true,
      translate: async function* ({ text, keywords }) {
        seen = keywords;
        yield { text, model: 'm' };
      },
    };
    expect(await pieces(own, 'a house', ['house'])).toEqual([{ text: 'a house', model: 'm' }]);
    expect(seen).toEqual(['house']);
  });

  it.each([
    '%1$s',
    '%(x)d',
    '${total}',
    '{{ user.name }}',
    '<a href="/x" title="Big house">',
    'C:\\Program Files (x86)\\Steam',
    '/usr/local/bin',
    'steam://run/440',
    'tel:+49-30-1234',
    'magnet:?xt=urn:btih:ab12&dn=a_b',
  ])('are not the only words that every engine keeps: %s', async (code) => {
    for (const engine of [upper, { ...upper, keepsKeywords: () => true }]) {
      const translated = await pieces(engine, `see ${code} now`, []);
      expect(translated.map(({ text }) => text).join('')).toBe(`SEE ${code} NOW`);
    }
  });

  it('change nothing where there are none', async () => {
    expect((await pieces(upper, 'a ⟦1⟧ b', [])).map(({ text }) => text)).toEqual(['A ⟦', '1⟧ B']);
  });

  it('are kept in the pseudo-locale', async () => {
    await using engine = createEngine({ config: engineConfig(), log: silentLog });
    const { translation } = await engine.abilities();
    const [piece] = await pieces(translation!, 'The big house', ['house']);
    expect(piece?.text).toMatch(/^\[(?!The).* house/);
  });
});

describe('a text that is translated line by line', () => {
  it('keeps its lines, though the engine breaks one', async () => {
    const broken = async (line: string): Promise<string> => `${line.toUpperCase()} \n\n and more\n`;
    const asked = { text: 'a fox\n\ntwo foxes ', from: 'en', to: 'es' };
    const translated = await Array.fromAsync(translateInPieces(asked, 100, broken));
    expect(translated.join('')).toBe('A FOX and more\n\nTWO FOXES and more ');
  });
});
