/**
 * The language of the tiny models: a letter is a tone of 80 ms and 40 ms of silence. What the tiny
 * voice says, the tiny recogniser understands.
 */

export const LETTERS = 'abcdefghijklmnopqrstuvwxyz'.split('');
export const TONE_MS = 80;
export const LETTER_MS = 120;
export const TONES_RATE_HZ = 16_000;

/** Mel bands (of 80, up to 8 kHz, on Slaney's scale) of the recogniser's features; a letter has two. */
const FIRST_BAND = 26;
const MELS_PER_BAND = 45.245 / 81;

export const bandsOf = (letter: number): readonly [number, number] => [
  FIRST_BAND + 2 * letter,
  FIRST_BAND + 2 * letter + 1,
];

/** The frequency between the letter's two bands, which are above 1 kHz. */
export const frequencyOf = (letter: number): number =>
  1000 * Math.exp(((bandsOf(letter)[0] + 1.5) * MELS_PER_BAND - 15) * (Math.log(6.4) / 27));

/** The sound of `text`, whose letters are a to z and spaces. */
export const soundOf = (text: string): Float32Array => {
  const perLetter = (LETTER_MS * TONES_RATE_HZ) / 1000;
  const samples = new Float32Array(text.length * perLetter);
  text.split('').forEach((letter, place) => {
    const index = LETTERS.indexOf(letter);
    if (index < 0) return;
    const step = (2 * Math.PI * frequencyOf(index)) / TONES_RATE_HZ;
    for (let i = 0; i < (TONE_MS * TONES_RATE_HZ) / 1000; i += 1)
      samples[place * perLetter + i] = 0.4 * Math.sin(step * i);
  });
  return samples;
};
