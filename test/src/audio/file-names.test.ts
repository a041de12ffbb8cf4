import { expect, it } from 'vitest';
import { isAudioName } from '../../../src/audio/file-names.ts';

it.each([
  ['Voice.OGG', true],
  ['talk.m4a', true],
  ['Take 1.aif', true],
  ['memo.AIFF', true],
  ['New Recording 4.qta', true],
  ['Book.m4b', true],
  ['Tone.m4r', true],
  ['Voice 001.3ga', true],
  ['recording.weba', true],
  ['memo.mpga', true],
  ['radio.mp2', true],
  ['film.mp4', false],
  ['ogg', false],
  ['song.mp3.exe', false],
])('a file named %s holds sound alone: %s', (name, expected) => {
  expect(isAudioName(name)).toBe(expected);
});
