import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  readSpelt,
  readSpeltToken,
  spellTokens,
} from '../../../../service/engines/sherpa-onnx/whisper-tokens.ts';
import { wordTimes } from '../../../../service/engines/sherpa-onnx/word-times.ts';

/** The tokens of a file as the library joins them. */
const joined = (tokens: string): string =>
  spellTokens(tokens)
    .split('\n')
    .map((line) => Buffer.from(line.split(' ')[0] ?? '', 'base64').toString('utf8'))
    .join('');

const fileOf = (tokens: readonly Uint8Array[]): string =>
  tokens.map((token, id) => `${Buffer.from(token).toString('base64')} ${id}`).join('\n');

it('any text is whole again, wherever its tokens cut its characters', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', minLength: 1 }),
      fc.integer({ min: 1, max: 4 }),
      (text, size) => {
        const bytes = Buffer.from(text);
        const cuts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
          bytes.subarray(at * size, (at + 1) * size),
        );
        expect(readSpelt(joined(fileOf(cuts)))).toBe(bytes.toString().replaceAll('\uFFFD', ''));
      },
    ),
  );
});

it('a character whose end is missing is left out, and what is not spelt stays', () => {
  const cut = Buffer.from('树叶').subarray(0, -1);
  expect(readSpelt(joined(fileOf([cut])))).toBe('树');
  expect(readSpelt(`${joined(fileOf([Buffer.from('a')]))} b`)).toBe('a b');
});

it('numbers of tokens and ends of lines stay as they are', () => {
  expect(spellTokens('IQ== 0\r\nIg== 1\r\n')).toMatch(/^\S+ 0\r\n\S+ 1\r\n$/);
});

it('tokens have times wherever they cut the characters of a text', () => {
  const text = '你好 é😀 Λόμεν';
  const bytes = Buffer.from(text);
  for (const size of [1, 2, 3, 4]) {
    const cuts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      joined(fileOf([bytes.subarray(at * size, (at + 1) * size)])),
    );
    const timestamps = cuts.map((_, at) => at / 10);
    const words = wordTimes({ text, tokens: cuts.map(readSpeltToken), timestamps }, 10_000);
    const heard = words?.map((word) => word.text).join('');
    expect(heard?.replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
    expect(words?.[0]?.startMs).toBe(0);
  }
});
