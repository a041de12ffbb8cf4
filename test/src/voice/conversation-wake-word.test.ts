import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { questionAfter } from '../../../src/voice/conversation.ts';
import { anyCharacter } from '../../fakes/any-character.ts';

const ask = (text: string): string | undefined => questionAfter(text, ['Dragoman']);

describe('the bot’s name, said aloud', () => {
  it.each([
    ['Dragoman, what is the time?', 'what is the time?'],
    ['dragoman what is the time', 'what is the time'],
    ['Hey Dragoman! What is up?', 'What is up?'],
    ['OK, DRAGOMAN: sing.', 'sing.'],
    ['  Drágoman … sing', 'sing'],
    ['Dragoman、今何時？', '今何時？'],
    ['¡Oye, Dragoman! ¿Qué hora es?', '¿Qué hora es?'],
    ['¿Dragoman, qué hora es?', 'qué hora es?'],
    ['“Dragoman, sing.”', 'sing.”'],
    ['- Dragoman, sing', 'sing'],
    ['Dragoman - sing', 'sing'],
    ['하이 Dragoman, 지금 몇 시야?', '지금 몇 시야?'],
    ['ねえ、Dragoman、今何時？', '今何時？'],
  ])('begins a question: %s', (text, question) => {
    expect(ask(text)).toBe(question);
  });

  it.each(['Dragoman.', 'Hey Dragoman', 'dragoman!?'])('alone waits for one: %s', (text) => {
    expect(ask(text)).toBe('');
  });

  it.each([
    'Dragomans are interpreters',
    'Dragoman’s voice is nice',
    "dragoman's voice is nice",
    'Dragoman-like bots',
    'I like Dragoman',
    'The dragoman said',
    'Heydragoman, sing',
    '',
    'Hey',
  ])('is not meant where it is another word, or does not come first: %s', (text) => {
    expect(ask(text)).toBeUndefined();
  });

  it('may hold any signs, and may be in any writing', () => {
    expect(questionAfter('R2-D2 (beta), come here', ['R2-D2 (beta)'])).toBe('come here');
    expect(questionAfter('通訳さん、これは何？', ['通訳さん'])).toBe('これは何？');
    expect(questionAfter('Dragoman, come here', ['🤖 Dragoman ✨'])).toBe('come here');
  });

  it('is not listened for where the bot has none, or one too short to be distinct', () => {
    expect(questionAfter('Al, what is up?', ['Al', ''])).toBeUndefined();
  });

  it('gives the end of what was said, whatever was said', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: anyCharacter }),
        fc.string({ unit: anyCharacter }),
        (text, name) => {
          const question = questionAfter(text, [name]);
          if (question) expect(text).toContain(question);
        },
      ),
    );
  });
});
