import { describe, expect, it } from 'vitest';
import type { TranslationPiece } from '../../service/engine.ts';
import { judged } from '../../service/judged-translation.ts';

const SOURCE =
  'Tom & Jerry are my friends, I love them both, and we meet each day at five in the evening. They are always late, but nobody minds, and we talk about everything until midnight.';
const BEGINNING =
  'Tom y Jerry son mis amigos, los quiero mucho a los dos, y nos vemos cada día a las cinco de la tarde. Siempre llegan tarde, pero a nadie le importa, y hablamos de todo hasta la medianoche';

async function* inPieces(...pieces: readonly string[]): AsyncGenerator<TranslationPiece> {
  for (const text of pieces) yield { text, model: 'model' };
}

const passedOn = async (source: string, ...pieces: readonly string[]): Promise<string> => {
  let passed = '';
  const task = { source, from: 'en', to: 'es' };
  for await (const { text } of judged(inPieces(...pieces), task, () => {})) passed += text;
  return passed;
};

describe('a translation that is judged while it passes', () => {
  it('loses nothing where an entity, a mark or a character comes in pieces', async () => {
    const pieces = [
      '. Y también Tom &am',
      'p; Jerry, los dos \uD83D',
      '\uDE00, que me quieren <',
      '3',
    ];
    expect(await passedOn(SOURCE, BEGINNING, ...pieces)).toBe(
      `${BEGINNING}. Y también Tom & Jerry, los dos 😀, que me quieren <3`,
    );
  });

  it('is a bad reply where its beginning, which was passed on, turns out to be none of it', async () => {
    const thought = BEGINNING.replace('Tom y Jerry', 'Hay que decir que ellos');
    await expect(
      passedOn(SOURCE, thought, `, sí.</think>${BEGINNING.replace('Tom y Jerry', 'Jerry y Tom')}.`),
    ).rejects.toThrow('not what it began as');
  });

  it('is not judged again at each piece of a long thought', async () => {
    let judgements = 0;
    const task = {
      from: 'en',
      to: 'es',
      get source(): string {
        judgements += 1;
        return 'Hello';
      },
    };
    const thought = Array.from({ length: 10_000 }, () => 'hm, ');
    const pieces = inPieces('<think>', ...thought, '</think>', 'Hola');
    let passed = '';
    for await (const { text } of judged(pieces, task, () => {})) passed += text;
    expect(passed).toBe('Hola');
    expect(judgements).toBeLessThan(2_000);
  });
});
