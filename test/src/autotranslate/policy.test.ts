import { describe, expect, it } from 'vitest';
import { plainWords } from '../../../src/rich-text/compose.ts';
import type { Message, MessageFile } from '../../../src/model/message.ts';
import { isQuiet } from '../../../src/model/space.ts';
import { claimsAudio, languageOfReaction, skipReason } from '../../../src/autotranslate/policy.ts';
import { channel, person } from '../../fakes/channel-feed.ts';
import { watchOf } from '../../fakes/autotranslate.ts';
import { audio, GENERAL } from './support.ts';

const nobody = { quietChannels: [], rules: {} };
const messageOf = (part: Partial<Message>): Message => ({
  ref: { channel: GENERAL, id: '1' },
  position: '1',
  author: person('ada'),
  text: [],
  files: [],
  stickers: [],
  ...part,
});
const fileOf = (name: string, mediaType: string): MessageFile => ({
  ...audio('x'),
  name,
  mediaType,
});
const STICKERS = [{ name: 'duck', url: 'https://a.example/duck.png' }];

describe('what is left alone', () => {
  it('is what bots say, unless their words are wanted', () => {
    const message = messageOf({
      text: plainWords('beep'),
      author: { ...person('b'), kind: 'bot' },
    });
    expect(skipReason(message, watchOf(GENERAL), nobody, false, 0)).toBe('bot');
    expect(skipReason(message, watchOf(GENERAL, { bots: true }), nobody, false, 0)).toBeUndefined();
  });

  it('is what has no words, but in linked channels only what shows nothing', () => {
    const mirror = watchOf(GENERAL, { mode: 'mirror', group: 'g' });
    for (const part of [
      { stickers: STICKERS },
      { text: plainWords('😀') },
      { files: [fileOf('a.png', 'image/png')] },
    ]) {
      expect(skipReason(messageOf(part), watchOf(GENERAL), nobody, false, 0)).toBe('no-words');
      expect(skipReason(messageOf(part), mirror, nobody, false, 0)).toBeUndefined();
    }
    expect(skipReason(messageOf({ text: plainWords(' ') }), mirror, nobody, false, 0)).toBe(
      'no-words',
    );
  });

  it('is sound where nothing is to be heard', () => {
    const message = messageOf({ files: [audio('hello')] });
    expect(skipReason(message, watchOf(GENERAL), nobody, false, 0)).toBeUndefined();
    const deaf = watchOf(GENERAL, { transcribes: false });
    expect(skipReason(message, deaf, nobody, false, 0)).toBe('no-words');
  });

  it('is all in a quiet channel and in its threads', () => {
    const quiet = { quietChannels: [GENERAL.id] };
    expect(isQuiet(GENERAL, quiet)).toBe(true);
    expect(isQuiet(channel('thread', GENERAL.id), quiet)).toBe(true);
    expect(isQuiet(channel('other'), quiet)).toBe(false);
  });
});

describe('a file is audio', () => {
  it.each([
    ['talk.bin', 'audio/ogg', true],
    ['talk.mp3', 'application/octet-stream', true],
    ['TALK.WAV', 'application/octet-stream', true],
    ['talk.mp3', 'text/plain', false],
    ['New Recording 4.qta', 'video/quicktime', true],
    ['Voice 001.3ga', 'video/3gpp', true],
    ['screen.webm', 'video/webm', false],
    ['talk.mp3.txt', 'application/octet-stream', false],
    ['picture.png', 'image/png', false],
  ])('by what it says of itself: %s as %s', (name, mediaType, expected) => {
    expect(claimsAudio(fileOf(name, mediaType))).toBe(expected);
  });

  it('when it is a voice message, whatever it is called', () => {
    const voice = { durationMs: 1, loudness: [] };
    expect(claimsAudio({ ...fileOf('x', 'video/mp4'), voice })).toBe(true);
  });
});

it('takes no emoji that people named like something of JavaScript for a language', () => {
  const flags = { on: true, languages: { party: 'es' } };
  expect(languageOfReaction('party', { flags })).toBe('es');
  for (const name of ['constructor', '__proto__', 'toString'])
    expect(languageOfReaction(name, { flags })).toBeUndefined();
});
