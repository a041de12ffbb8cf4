import { describe, expect, it } from 'vitest';
import { scriptParts } from '../../../../src/voice/captions/script-parts.ts';
import { line } from './fakes.ts';

const partsOf = (text: string, language = 'en') => {
  let lastId = 1_000;
  return scriptParts(line(1, { text, language }), () => (lastId += 1));
};

describe('the parts of a turn', () => {
  it('begin where a sentence in another script does, each in its language and at its time', () => {
    const parts = partsOf('Hello everybody. 大家好，我们现在开始吧。 Thank you all.');
    expect(parts.map(({ id, text, language }) => [id, text, language])).toEqual([
      [1, 'Hello everybody.', 'en'],
      [1_001, '大家好，我们现在开始吧。', 'zh'],
      [1_002, 'Thank you all.', 'en'],
    ]);
    const whole = line(1);
    expect(parts[0]!.startMs).toBe(whole.startMs);
    expect(parts.map(({ startMs }) => startMs).slice(1)).toEqual(
      parts.map(({ endMs }) => endMs).slice(0, -1),
    );
    expect(parts.at(-1)!.endMs).toBe(whole.endMs);
  });

  it('have the times of their words where these are known', () => {
    const { startMs } = line(1);
    const words = ['Hello', 'everybody.', '大家好，', '我们现在', '开始吧。'].map((text, at) => ({
      text,
      startMs: startMs + 1_000 * at,
      endMs: startMs + 1_000 * at + 400,
    }));
    const text = 'Hello everybody. 大家好，我们现在开始吧。';
    const whole = line(1, { text, words, endMs: startMs + 4_400 });
    const parts = scriptParts(whole, () => 2);
    expect(parts.map((part) => [part.startMs - startMs, part.endMs - startMs])).toEqual([
      [0, 1_400],
      [2_000, 4_400],
    ]);
    expect(parts.map((part) => part.words?.length)).toEqual([2, 3]);
  });

  it.each([
    ['我用 Visual Studio Code。 OK。 真的很方便。', 'zh'],
    ['She said 你好 and left.', 'en'],
    ['We meet. At nine.', 'en'],
    ['', 'en'],
  ])('are one for %j', (text, language) => {
    expect(partsOf(text, language)).toEqual([line(1, { text, language })]);
  });
});
