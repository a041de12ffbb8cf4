import { describe, expect, it } from 'vitest';
import { type TimedTokens, wordTimes } from '../../../../service/engines/sherpa-onnx/word-times.ts';

const of = (heard: TimedTokens, endMs = 10_000) =>
  wordTimes(heard, endMs)?.map(({ text, startMs, endMs: until }) => [text, startMs, until]);

describe('the times of words', () => {
  it('are those of their pieces, joined', () => {
    const heard = {
      text: 'Ask not, what',
      tokens: [' As', 'k', ' not', ',', '▁what'],
      timestamps: [0.32, 0.48, 0.8, 1.04, 1.2],
    };
    expect(of(heard)).toEqual([
      ['Ask', 320, 800],
      ['not,', 800, 1_200],
      ['what', 1_200, 1_700],
    ]);
  });

  it('end where the recogniser says that a token does, and with the sound', () => {
    const heard = { text: 'a b', tokens: [' a', ' b'], timestamps: [0.1, 0.9] };
    expect(of({ ...heard, durations: [0.2, 0.4] }, 1_000)).toEqual([
      ['a', 100, 300],
      ['b', 900, 1_000],
    ]);
  });

  it('are those of tokens where a script has no spaces', () => {
    const heard = {
      text: '你好。Hello 吗',
      tokens: ['你', '好', '。', 'Hel@@', 'lo', '吗'],
      timestamps: [0, 0.2, 0.4, 0.6, 0.8, 1],
    };
    expect(of(heard)?.map(([text]) => text)).toEqual(['你', '好。', 'Hello', '吗']);
  });

  it('are known for characters that are in several tokens', () => {
    const tokens = ['<0xC3>', '<0xA9>', ' ', '<0xE5><0xA5>', '<0xBD>'];
    const timestamps = [0, 0.1, 0.2, 0.3, 0.4];
    expect(of({ text: ' é 好', tokens, timestamps })).toEqual([
      ['é', 0, 300],
      ['好', 300, 900],
    ]);
  });

  it.each<[string, TimedTokens]>([
    ['no tokens', { text: 'a' }],
    ['no times, as most of Whisper', { text: 'a', tokens: ['a'], timestamps: [] }],
    ['tokens of another text', { text: 'a', tokens: ['b'], timestamps: [0] }],
    ['half of the tokens', { text: 'a b', tokens: ['a'], timestamps: [0] }],
  ])('are not known with %s', (_, heard) => {
    expect(wordTimes(heard, 1_000)).toBeUndefined();
  });
});
