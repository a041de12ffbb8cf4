import { describe, expect, it } from 'vitest';
import { RECOGNITION_RATE_HZ } from '../../../../service/engine.ts';
import { decodeWhole } from '../../../../service/engines/sherpa-onnx/whisper-length.ts';

const WORD_SAMPLES = RECOGNITION_RATE_HZ / 10;
/** Each so many words there is a pause. */
const PHRASE_WORDS = 12;

/** Words of a tenth of a second, each a level of its own, with pauses of four of them. */
const soundOf = (words: number): Float32Array => {
  const levels = Array.from({ length: words }, (_, at) => [
    (at + 1) / 1_000,
    ...(at % PHRASE_WORDS === PHRASE_WORDS - 1 ? [0, 0, 0, 0] : []),
  ]).flat();
  return Float32Array.from(
    { length: levels.length * WORD_SAMPLES },
    (_, at) => levels[Math.floor(at / WORD_SAMPLES)] ?? 0,
  );
};

/** Words that do not look like each other. */
const wordOf = (number: number): string => ((number * 7_919) % 46_656).toString(36);

/** A library that has six tokens for a second, and needs some for a word. */
const libraryOf = (tokensOfWord: number, loopFrom = Infinity) => {
  const lengths: number[] = [];
  const decode = async (sound: Float32Array) => {
    const seconds = sound.length / RECOGNITION_RATE_HZ;
    lengths.push(Math.round(seconds));
    if (seconds >= loopFrom) {
      const tokens = Array.from({ length: Math.floor(6 * seconds) }, () => 'ha ');
      return { text: tokens.join(''), tokens };
    }
    const said = new Set([...sound].map((sample) => Math.round(sample * 1_000)).filter(Boolean));
    const needed = [...said].flatMap((word) =>
      Array.from({ length: tokensOfWord }, (_, part) => (part === 0 ? ` ${wordOf(word)}` : '')),
    );
    const tokens = needed.slice(0, Math.floor(6 * seconds));
    return { text: tokens.join(''), tokens };
  };
  return { decode, lengths };
};

const wordsUpTo = (count: number): string =>
  Array.from({ length: count }, (_, at) => wordOf(at + 1)).join(' ');

const heard = async (words: number, library: ReturnType<typeof libraryOf>): Promise<string> =>
  (await decodeWhole(soundOf(words), library.decode)).text.trim();

describe('a sound', () => {
  it('is decoded once where its tokens are few enough', async () => {
    const slow = libraryOf(0);
    expect(await heard(50, slow)).toBe('');
    expect(slow.lengths).toEqual([7]);
  });

  it('is made longer until all of its words are there', async () => {
    const fast = libraryOf(1);
    expect(await heard(50, fast)).toBe(wordsUpTo(50));
    expect(fast.lengths).toEqual([7, 13]);
    const hindi = libraryOf(3);
    expect(await heard(50, hindi)).toBe(wordsUpTo(50));
    expect(hindi.lengths).toEqual([7, 13, 26]);
  });

  it('is decoded in halves where the longest has too few tokens', async () => {
    expect(await heard(150, libraryOf(2))).toBe(wordsUpTo(150));
  });

  it('is no loop, which it becomes with more tokens', async () => {
    const noise = libraryOf(1, 8);
    expect(await heard(50, noise)).toBe(wordsUpTo(39));
    expect(noise.lengths).toEqual([7, 13]);
  });

  it('has an end, whatever it is', async () => {
    const endless = libraryOf(1_000);
    await heard(130, endless);
    expect(endless.lengths.length).toBeLessThan(20);
  });
});
