import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { goesRound, loops, withoutLoop } from '../../../../src/text/reply/repetition.ts';

describe('a translation goes round in a circle', () => {
  it.each([
    ['The bridge', 'puente puente puente puente'],
    ['The bridge', 'El puente, el puente, el puente, el puente.'],
    ['See you tomorrow.', `Nos vemos mañana${' mañana'.repeat(40)}.`],
    ['See you tomorrow.', `Nos vemos mañana. ${'Mañana, mañana! '.repeat(40)}Sí.`],
    ['I want to go home now.', 'Ahora quiero irme a mi casa. '.repeat(3)],
    ['Yes, it is.', 'はいそうです'.repeat(4)],
    ['bye bye', 'hasta luego '.repeat(5)],
  ])('where %j becomes %j', (source, reply) => {
    expect(loops(source, reply)).toBe(true);
  });

  it.each([
    ['no no no no no', 'nein nein nein nein nein'],
    ['jajajajaja', 'haha haha haha haha haha'],
    ['hahaha', 'ja ja ja ja ja'],
    ['我很很很好', 'I am very very very well'],
    ['| a | b |', '| --- | --- | --- | --- |'],
    ['blah blah blah', 'patati patata patati patata'],
    ['Row, row, row your boat', 'Reme, reme, reme su bote'],
  ])('not where %j becomes %j', (source, reply) => {
    expect(loops(source, reply)).toBe(false);
  });

  it('never where it says what its source says, as often', () => {
    const words = fc.array(fc.constantFrom('uno', 'dos', 'tres', 'casa', 'sí'), { minLength: 1 });
    fc.assert(
      fc.property(words, fc.integer({ min: 1, max: 12 }), (part, times) => {
        const text = Array.from({ length: times }, () => part.join(' ')).join(', ');
        expect(loops(text, text)).toBe(false);
      }),
    );
  });
});

describe('an answer', () => {
  it.each([
    [`See you tomorrow. ${'mañana '.repeat(40)}.`, 'See you tomorrow. mañana'],
    [
      `See you. ${'Until tomorrow, my friend! '.repeat(20)}Until`,
      'See you. Until tomorrow, my friend!',
    ],
  ])('is cut before it goes round: %j', (answer, kept) => {
    expect(goesRound(answer)).toBe(true);
    expect(withoutLoop(answer)).toBe(kept);
  });

  it.each([
    'ha ha ha ha ha ha',
    'Row, row, row your boat, gently down the stream. Merrily, merrily, merrily, merrily.',
    '| --- | --- | --- | --- | --- | --- |',
    `${'加油'.repeat(40)}。今天我们去公园散步，然后回家吃饭。`,
    `${'again '.repeat(12)}is what you said twelve times, and I have counted all of them.`,
  ])('may repeat itself: %j', (answer) => {
    expect(goesRound(answer)).toBe(false);
  });
});
