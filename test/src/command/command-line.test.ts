import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  checkValues,
  findCommand,
  formatLine,
  parseCommandLine,
  type Parsed,
  readValues,
  tokenise,
  unknownCommand,
  type TypedValues,
} from '../../../src/command/command-line.ts';
import { FAKE_COMMANDS } from '../../fakes/fake-commands.ts';
import { anyCharacter } from '../../fakes/any-character.ts';

const read = (line: string): Parsed<TypedValues> => {
  const found = findCommand(line, FAKE_COMMANDS);
  if (!found) throw new Error(`no command in ${line}`);
  return readValues(line, found);
};

const valuesOf = (line: string): TypedValues => {
  const parsed = read(line);
  if (!parsed.ok) throw new Error(parsed.fault.key);
  return parsed.value;
};

const faultOf = (line: string): string | undefined => {
  const parsed = read(line);
  return parsed.ok ? undefined : parsed.fault.key;
};

const checked = (line: string, files: readonly string[] = []) => {
  const found = findCommand(line, FAKE_COMMANDS)!;
  return checkValues(found.command, valuesOf(line), new Set(files));
};

describe('reading a line', () => {
  test('takes quoted and bare values', () => {
    expect(valuesOf('/translate text:"The quick brown fox" to:es')).toEqual({
      text: 'The quick brown fox',
      to: 'es',
    });
  });

  test.each([
    ['/say Hello there', { text: 'Hello there' }],
    ['/say "Hello there"', { text: 'Hello there' }],
    ['/say Hello "dear" friend', { text: 'Hello "dear" friend' }],
    ['/say  two   gaps\nand a line', { text: 'two   gaps\nand a line' }],
    ['/translate Hello there to:es', { text: 'Hello there', to: 'es' }],
    ['/translate to:es Hello there', { text: 'Hello there', to: 'es' }],
    ['/say see https://example.org/a:b now', { text: 'see https://example.org/a:b now' }],
    ['/say it is 12:30', { text: 'it is 12:30' }],
    ['/say well: it depends', undefined],
  ])('gives free text of %j to the first required text option', (line, values) => {
    if (values) expect(valuesOf(line)).toEqual(values);
    else expect(faultOf(line)).toBe('line.unknown-option');
  });

  test('lets unquoted text go on behind its option', () => {
    expect(valuesOf('/translate text:The quick brown fox to:es')).toEqual({
      text: 'The quick brown fox',
      to: 'es',
    });
    expect(valuesOf('/say text: note: this')).toEqual({ text: 'note: this' });
  });

  test.each([
    ['/translate text:“Hello there” to:es', { text: 'Hello there', to: 'es' }],
    ['/translate text:”Hello there” to:“es“', { text: 'Hello there', to: 'es' }],
    ['/translate text:“say \\“so\\”” to:es', { text: 'say “so”', to: 'es' }],
    ['/translate text:"a “b” c" to:es', { text: 'a “b” c', to: 'es' }],
    ['/translate text:“a "b" c” to:es', { text: 'a "b" c', to: 'es' }],
    ['/translate text:„Hallo zusammen“ to:„es”', { text: 'Hallo zusammen', to: 'es' }],
    ['/translate text:«Hola a todos» to:‹es›', { text: 'Hola a todos', to: 'es' }],
    [
      '/translate text:« Salut à tous » to:\u2039\u202fes\u202f\u203a',
      { text: 'Salut à tous', to: 'es' },
    ],
    ['/translate text:「皆さん こんにちは」 to:「es」', { text: '皆さん こんにちは', to: 'es' }],
    ['/translate text:„sag «so»“ to:es', { text: 'sag «so»', to: 'es' }],
    ['/translate text:«a \\» b» to:es', { text: 'a » b', to: 'es' }],
    ['/say 「はい」と言った', { text: '「はい」と言った' }],
    ["/say l’heure d'été", { text: "l’heure d'été" }],
    ['/say ‘so’ he said', { text: '‘so’ he said' }],
    ['/say 3 » 2', { text: '3 » 2' }],
    ['/say a 5” screen', { text: 'a 5” screen' }],
    ['/say “Hello” she said', { text: '“Hello” she said' }],
  ])('takes the quotation marks of phones in %j', (line, values) => {
    expect(valuesOf(line)).toEqual(values);
  });

  test('takes the word behind an empty option as its value', () => {
    expect(valuesOf('/translate text: Hello to: es')).toEqual({ text: 'Hello', to: 'es' });
  });

  test.each([
    ['/translate text:"open', 'line.unclosed'],
    ['/translate text:“open', 'line.unclosed'],
    ['/translate text:„open', 'line.unclosed'],
    ['/translate text:« open', 'line.unclosed'],
    ['/translate text:「open”', 'line.unclosed'],
    ['/translate text:"a" text:"b"', 'line.twice'],
    ['/translate text:"a" to:es extra', 'line.left-over'],
    ['/translate colour:red', 'line.unknown-option'],
    ['/fail loudly:yes', 'line.no-options'],
    ['/fail now', 'line.left-over'],
  ])('says what is wrong with %j', (line, key) => {
    expect(faultOf(line)).toBe(key);
  });

  test('finds commands of two words, whatever their letters', () => {
    expect(findCommand('/Glossary  ADD term:x', FAKE_COMMANDS)?.command.name).toBe('glossary add');
    expect(findCommand('/glossary', FAKE_COMMANDS)).toBeUndefined();
    expect(findCommand('hello', FAKE_COMMANDS)).toBeUndefined();
  });

  test('finds the action that the first word alone runs, and no other one', () => {
    const commands = FAKE_COMMANDS.map((command) =>
      command.name === 'glossary add' ? { ...command, alone: true as const } : command,
    );
    expect(findCommand('/glossary', commands)?.command.name).toBe('glossary add');
    expect(findCommand('/glossary nonsense', commands)).toBeUndefined();
  });

  test('tells an unknown command from half a command', () => {
    expect(unknownCommand('/nothing', FAKE_COMMANDS).key).toBe('line.unknown-command');
    expect(unknownCommand('/trnaslate hi', FAKE_COMMANDS)).toEqual({
      key: 'line.did-you-mean',
      params: { command: 'trnaslate', guess: 'translate' },
    });
    expect(unknownCommand('/glosary add', FAKE_COMMANDS).params).toMatchObject({
      guess: 'glossary',
    });
    expect(unknownCommand('/WHY', FAKE_COMMANDS, ['why'])).toEqual({
      key: 'line.elsewhere',
      params: { command: 'why' },
    });
    expect(unknownCommand(`/${'x'.repeat(99)}`, FAKE_COMMANDS).key).toBe('line.unknown-command');
    expect(unknownCommand('/glossary', FAKE_COMMANDS)).toEqual({
      key: 'line.subcommand',
      params: { command: 'glossary', commands: '/glossary add, /glossary import' },
    });
  });
});

describe('checking options', () => {
  test('makes numbers, switches and choices of what was typed', () => {
    expect(checked('/repeat times:3 loud:yes')).toEqual({
      ok: true,
      value: { times: 3, loud: true },
    });
    expect(checked('/say Hello format:WAV speed:1.5')).toEqual({
      ok: true,
      value: { text: 'Hello', format: 'wav', speed: 1.5 },
    });
  });

  test('is content with a held file, and asks for a missing one', () => {
    expect(checked('/transcribe', ['audio'])).toEqual({ ok: true, value: {} });
    expect(checked('/transcribe')).toMatchObject({ fault: { key: 'line.attach' } });
    expect(checked('/transcribe audio:a.wav')).toMatchObject({ fault: { key: 'line.attach' } });
  });

  test.each([
    ['/translate to:es', 'line.missing'],
    ['/repeat times:many', 'line.not-integer'],
    ['/repeat times:1.5', 'line.not-integer'],
    ['/repeat times:0', 'line.too-small'],
    ['/repeat times:9', 'line.too-big'],
    ['/repeat times:1 loud:perhaps', 'line.not-boolean'],
    ['/say Hello speed:fast', 'line.not-number'],
    ['/say Hello format:doc', 'line.not-a-choice'],
    [`/say ${'a'.repeat(501)}`, 'line.too-long'],
  ])('refuses %j', (line, key) => {
    expect(checked(line)).toMatchObject({ ok: false, fault: { key } });
  });
});

describe('a whole line', () => {
  test('becomes a command and what it takes', () => {
    expect(parseCommandLine('/repeat loud:on times:“3”', FAKE_COMMANDS)).toMatchObject({
      ok: true,
      value: { command: { name: 'repeat' }, options: { times: 3, loud: true } },
    });
  });

  test.each([
    ['/nothing', 'line.unknown-command'],
    ['/say text:"open', 'line.unclosed'],
    ['/repeat times:9', 'line.too-big'],
    ['/transcribe', 'line.attach'],
  ])('%s is refused with one sentence', (line, key) => {
    expect(parseCommandLine(line, FAKE_COMMANDS)).toMatchObject({ ok: false, fault: { key } });
  });
});

describe('any text', () => {
  const MARKS = '"“”„«»‹›「」';
  const anyText = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 40 }),
    fc.string({ unit: fc.constantFrom(...Array.from(`ab: \\${MARKS}`)), maxLength: 40 }),
  );
  const filled = anyText.filter((text) => text !== '');

  test('comes back from a written line as it was', () => {
    const { command } = findCommand('/translate', FAKE_COMMANDS)!;
    fc.assert(
      fc.property(filled, filled, anyText, (text, to, from) => {
        const values = { text, to, ...(from === '' ? {} : { from }) };
        expect(valuesOf(formatLine(command, values))).toEqual(values);
      }),
    );
  });

  test('is the same in any language’s quotation marks', () => {
    const unquoted = filled.filter(
      (text) => !/[\\"“”„«»‹›「」]/.test(text) && text.trim() === text,
    );
    fc.assert(
      fc.property(
        unquoted,
        fc.constantFrom('""', '“”', '””', '„“', '„”', '«»', '‹›', '「」'),
        (text, marks) => {
          const [begin = '', end = ''] = marks;
          expect(valuesOf(`/translate to:es text:${begin}${text}${end}`)).toEqual({
            text,
            to: 'es',
          });
        },
      ),
    );
  });

  test('is covered by tokens that lie in order and never overlap', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...Array.from(`ab: \\\n1/é${MARKS}`)) }),
        (line) => {
          let end = 0;
          for (const token of tokenise(line, 0)) {
            expect(line.slice(end, token.start).trim()).toBe('');
            expect(token.end).toBeGreaterThan(token.start);
            end = token.end;
          }
          expect(line.slice(end).trim()).toBe('');
        },
      ),
    );
  });

  test('is either read or refused with a sentence, never thrown over', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...Array.from(`text to:\\ \n${MARKS}`)) }),
        (rest) => {
          const parsed = read(`/translate ${rest}`);
          expect(parsed.ok || parsed.fault.key.startsWith('line.')).toBe(true);
        },
      ),
    );
  });
});
