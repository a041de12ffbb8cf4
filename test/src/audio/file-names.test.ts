import { expect, it } from 'vitest';
import { isAudioName } from '../../../src/audio/file-names.ts';

it.each([
  ['Voice.OGG', true],
  ['talk.m4a', true],
  ['Take 1.aif', true],
  ['memo.AIFF', true],
  ['film.mp4', false],
  ['ogg', false],
  ['song.mp3.exe', false],
])('a file named %s holds sound alone: %s', (name, expected) => {
  expect(isAudioName(name)).toBe(expected);
});
