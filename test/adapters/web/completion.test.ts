import { describe, expect, test } from 'vitest';
import {
  accept,
  commandSuggestions,
  completingAt,
  knownChoices,
  optionSuggestions,
  valueSuggestions,
} from '../../../adapters/web/page/completion.ts';
import { FAKE_COMMANDS } from '../../fakes/fake-commands.ts';

/** The caret stands at `|`. */
const at = (marked: string) => {
  const caret = marked.indexOf('|');
  return completingAt(marked.replace('|', ''), caret, FAKE_COMMANDS);
};

describe('what is completed', () => {
  test.each(['/|', '/tr|', '/translate|', '/glossary a|'])('a command in %s', (line) => {
    expect(at(line)?.kind).toBe('command');
  });

  test.each(['hello|', '|/say', '/translate text:"a b"| to:es', '/translate text:hel|lo'])(
    'nothing in %s',
    (line) => {
      expect(at(line)).toBeUndefined();
    },
  );

  test('the options that are left, files excepted', () => {
    const completing = at('/translate text:"a" |');
    expect(completing).toMatchObject({ kind: 'option', typed: '' });
    expect(completing?.kind === 'option' && completing.remaining.map(({ name }) => name)).toEqual([
      'to',
      'from',
    ]);
    expect(at('/transcribe |')).toMatchObject({ remaining: [{ name: 'language' }] });
  });

  test('the value that is being typed, quoted or not', () => {
    expect(at('/translate text:"a" to:sp|')).toMatchObject({ kind: 'value', typed: 'sp' });
    expect(at('/translate text:"a" to:"so me|')).toMatchObject({ kind: 'value', typed: 'so me' });
    expect(at('/translate text:"a" to:|')).toMatchObject({ kind: 'value', typed: '' });
  });
});

describe('suggestions', () => {
  test('put commands that begin with what was typed before those that speak of it', () => {
    const names = commandSuggestions('la', FAKE_COMMANDS).map(({ value }) => value);
    expect(names).toEqual(['language', 'translate', 'ask']);
  });

  test('know choices and switches without the server', () => {
    const say = FAKE_COMMANDS.find(({ name }) => name === 'say')!;
    const repeat = FAKE_COMMANDS.find(({ name }) => name === 'repeat')!;
    expect(knownChoices(say.options[1]!, 'w')).toEqual([{ value: 'wav', label: 'wav' }]);
    expect(knownChoices(repeat.options[1]!, '')).toHaveLength(2);
    expect(knownChoices(say.options[0]!, '')).toBeUndefined();
  });

  test('take the place of what was typed, and leave what follows', () => {
    const completing = at('/translate text:"a" to:sp| from:en')!;
    const [spanish] = valueSuggestions([{ value: 'es', label: 'Spanish' }]);
    expect(accept('/translate text:"a" to:sp from:en', completing, spanish!)).toEqual({
      line: '/translate text:"a" to:es from:en',
      caret: 26,
    });
  });

  test('quote values that need it', () => {
    expect(valueSuggestions([{ value: 'a b', label: 'A' }])[0]?.insert).toBe('"a b" ');
  });

  test('name the options that fit', () => {
    const { options } = FAKE_COMMANDS[0]!;
    expect(optionSuggestions('t', options).map(({ insert }) => insert)).toEqual(['text:', 'to:']);
  });
});
