import { describe, expect, it } from 'vitest';
import {
  spokenTranscript,
  isCommonPhrase,
  stockPhraseMs,
  withoutSounds,
  longestLoop,
} from '../../../src/speech/hallucinations.ts';

describe('what recognisers invent', () => {
  it.each([
    ['[Applause]', ''],
    ['*laughs*', ''],
    ['(speaking in foreign language) yes', 'yes'],
    ['[BLANK_AUDIO]', ''],
    ['(wind) Where are you? [static]', 'Where are you?'],
    ['♪ 🎵', ''],
    ['音楽が好き', '音楽が好き'],
    ['[Вася] привет', '[Вася] привет'],
  ])('%j is heard as %j', (text, heard) => {
    expect(withoutSounds(text)).toBe(heard);
  });

  it.each([
    ['Thanks for watching!', 'stock'],
    ['Don’t forget to subscribe.', 'stock'],
    ['Sous-titrage ST’ 501', 'stock'],
    ['Untertitel der Amara.org-Community', 'stock'],
    ['Продолжение следует...', 'stock'],
    ['ご視聴ありがとうございました。', 'stock'],
    ['请不吝点赞 订阅 转发 打赏支持明镜与点点栏目', 'stock'],
    ['Thank you.', 'common'],
    ['you', 'common'],
    ['Thanks for watching the kids.', undefined],
    ['', undefined],
  ] as const)('%j is known as %s', (text, kind) => {
    expect(stockPhraseMs(text) !== undefined).toBe(kind === 'stock');
    expect(isCommonPhrase(text)).toBe(kind === 'common');
  });

  it('leaves out what hardly anybody says where it is not sure, and nothing that people say', () => {
    expect(spokenTranscript({ text: 'Please like and subscribe.', confidence: 0.4 })).toBe('');
    expect(spokenTranscript({ text: 'Thank you.', confidence: 0.1 })).toBe('Thank you.');
  });
});

describe('a loop', () => {
  it.each([
    ['one two three', 1],
    ['you you you', 3],
    ['okay you you you you', 4],
    ['one two one two one two', 3],
    ['はいはいはい', 3],
    ['', 1],
    ['the cat and the dog and the bird sat there the whole day long', 1],
  ])('of %j is %i', (bare, times) => {
    expect(longestLoop(bare)).toBe(times);
  });
});

it.each([
  [`Nos vemos mañana. ${'mañana '.repeat(40)}`, 'Nos vemos mañana'],
  ['puente '.repeat(40), 'puente'],
  ['Yes. Yes. Yes. Yes.', 'Yes. Yes. Yes. Yes.'],
])('a recording is written down without what a recogniser repeats endlessly: %j', (text, kept) => {
  expect(spokenTranscript({ text })).toBe(kept);
});
