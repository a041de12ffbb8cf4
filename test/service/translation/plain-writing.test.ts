import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainParts } from '../../../service/translation/plain-writing.ts';
import { translateInPieces } from '../../../service/translation/pieces.ts';

const written = (line: string, from: string): string =>
  plainParts(line, { from, to: 'en' })
    .map(({ text }) => text)
    .join('');

const through = async (
  text: string,
  pair: { from: string; to: string },
  engine: (core: string) => string,
): Promise<string> => {
  let whole = '';
  for await (const piece of translateInPieces({ text, ...pair }, 1_000, async (core) =>
    engine(core),
  ))
    whole += piece;
  return whole;
};

describe('a text for an engine that knows well-edited texts', () => {
  it.each([
    ['WHERE ARE YOU GOING?', 'en', 'Where are you going?'],
    ['I LOVE NASA AND MY PS5', 'en', 'I love NASA and my PS5'],
    ['AND I SAID NO', 'en', 'And I said no'],
    ['HELP', 'en', 'Help.'],
    ['FELIZ ANIVERSÁRIO, JOÃO', 'pt', 'Feliz aniversário, João'],
    ['WHO SAID I’M LATE', 'en', 'Who said I’m late'],
    ['STOP! I’M HERE', 'en', 'Stop! I’m here'],
    ['NÃO FAÇA ISSO', 'pt', 'Não faça isso'],
    ['IŞIK VAR MI', 'tr', 'Işık var mı'],
    ['ПРИВЕТ ВСЕМ', 'ru', 'Привет всем'],
    ['See the NASA page', 'en', 'See the NASA page'],
    ['NASA', 'en', 'NASA.'],
    ['THE NEW iPhone IS OUT', 'en', 'The new iPhone is out'],
    ['my iPhone', 'en', 'my iPhone'],
    ['USB HDMI', 'en', 'USB HDMI'],
    ['東京', 'ja', '東京'],
  ])('has %j in %s as %j', (text, from, plain) => {
    expect(written(text, from)).toBe(plain);
  });

  it.each([
    ['r u coming tmrw?', 'en', 'are you coming tomorrow?'],
    ['Thx, c u l8r', 'en', 'Thanks, c you later'],
    ['THX, NOOOOO', 'en', 'Thanks, no'],
    ['vcs nao vem hj pq?', 'pt', 'vocês não vem hoje porque?'],
    ['Vc tb?', 'pt', 'Você também?'],
    ['jsp, demande à qqn', 'fr', 'je ne sais pas, demande à quelqu’un'],
    ['U and I, my-u, u.s.', 'en', 'U and I, my-u, u.s.'],
    ['I saw ⟦1⟧ u', 'en', 'I saw ⟦1⟧ you'],
  ])('has %j in %s as %j', (text, from, plain) => {
    expect(written(text, from)).toBe(plain);
  });

  it('has a full stop where it is one word, which its translation has not', async () => {
    const seen: string[] = [];
    const text = 'valeu \nOK\n⟦1⟧ thanks⟦2⟧ ⟦3⟧';
    const translated = await through(text, { from: 'pt', to: 'ja' }, (core) => {
      seen.push(core);
      return core.replace(/\.$/, '。').replace('⟦2⟧ ⟦3⟧。', '。⟦2⟧ ⟦3⟧');
    });
    expect(seen).toEqual(['valeu.', 'OK.', '⟦1⟧ thanks⟦2⟧ ⟦3⟧.']);
    expect(translated).toBe('valeu \nOK\n⟦1⟧ thanks⟦2⟧ ⟦3⟧');
  });

  it('becomes capitals again where it was in capitals', async () => {
    const text = 'I am home. WHERE ARE YOU, ⟦1⟧?\n  LOOK AT ME!  ok';
    const seen: string[] = [];
    const translated = await through(text, { from: 'en', to: 'pt' }, (core) => {
      seen.push(core);
      return `${core} é`;
    });
    expect(seen).toEqual(['I am home.', 'Where are you, ⟦1⟧?', 'Look at me!', 'ok.']);
    expect(translated).toBe('I am home. é WHERE ARE YOU, ⟦1⟧? É\n  LOOK AT ME! É  ok. é');
  });

  it('keeps tokens, line breaks and white space, whatever it holds', async () => {
    const word = fc.constantFrom(
      '⟦1⟧',
      '⟦12⟧',
      'HELLO',
      'u',
      'Now',
      'NÃO',
      'vc',
      'noooo',
      'ß',
      '9',
      '東京',
    );
    const between = fc.constantFrom(' ', '  ', '\n', '\n\n- ', '. ', '! ', '\t', ', ', '');
    const texts = fc.array(fc.tuple(word, between)).map((all) => all.flat().join(''));
    const skeleton = (text: string): string =>
      text.replaceAll(/[\p{L}\p{M}\p{N}]+/gu, (found, at: number) =>
        text[at - 1] === '⟦' ? found : 'x',
      );
    await fc.assert(
      fc.asyncProperty(texts, fc.constantFrom('en', 'pt', 'ja'), async (text, from) => {
        const same = await through(text, { from, to: 'de' }, (core) => core);
        expect(skeleton(same).match(/⟦\d+⟧|\s/g)).toEqual(skeleton(text).match(/⟦\d+⟧|\s/g));
      }),
    );
  });
});
