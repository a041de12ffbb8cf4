import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nameRefused, sniff, SNIFF_BYTES } from '../../../../src/audio/container/sniff.ts';
import { concat, fixture } from '../support.ts';

const text = (value: string): Uint8Array => new TextEncoder().encode(value);

const id3 = (bodyBytes: number): Uint8Array => {
  const tag = new Uint8Array(10 + bodyBytes);
  tag.set([0x49, 0x44, 0x33, 4, 0, 0, 0, 0, bodyBytes >> 7, bodyBytes & 127]);
  return tag;
};

describe('the kind of a file', () => {
  it.each([
    ['speech.wav', 'wav'],
    ['adpcm.wav', 'wav-uncommon'],
    ['alaw.wav', 'wav-uncommon'],
    ['speech.aiff', 'aiff'],
    ['speech.opus', 'ogg-opus'],
    ['speech-vorbis.ogg', 'ogg-vorbis'],
    ['speech.mp3', 'mp3'],
    ['speech.flac', 'flac'],
    ['recorded.webm', 'webm'],
    ['video.webm', 'webm'],
    ['speech.m4a', 'mp4'],
    ['fragmented.mp4', 'mp4'],
    ['recorded.mp4', 'mp4'],
    ['speech.aac', 'adts'],
  ])('of %s is seen from its bytes: %s', (name, container) => {
    expect(sniff(fixture(name).subarray(0, SNIFF_BYTES))).toBe(container);
  });

  it('is seen behind an ID3 tag', () => {
    const tag = id3(300);
    expect(sniff(concat([tag, fixture('speech.flac').subarray(0, 100)]))).toBe('flac');
    expect(sniff(concat([tag, fixture('speech.aac').subarray(0, 4_000)]))).toBe('adts');
    expect(sniff(id3(16_000).subarray(0, 8_192))).toBe('mp3');
  });

  it('is seen behind other chunks of a WAV file', () => {
    const aLaw = fixture('alaw.wav');
    const list = Uint8Array.from(Buffer.from('4c4953540300000000000000', 'hex'));
    const later = concat([aLaw.subarray(0, 12), list, aLaw.subarray(12)]);
    expect(sniff(later)).toBe('wav-uncommon');
    expect(sniff(later.subarray(0, 30))).toBe('wav');
  });

  it('is MP3 behind a tag that is longer or shorter than it says', () => {
    const sound = fixture('speech-8k.mp3').subarray(0, 4_000);
    const name = Buffer.from('TIT2 a name that belongs to the tag');
    expect(sniff(concat([id3(0), name, sound]))).toBe('mp3');
    expect(sniff(concat([Uint8Array.of(0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 0, 200), sound]))).toBe(
      'mp3',
    );
  });

  it('is seen behind zeros', () => {
    const zeros = new Uint8Array(1_000);
    expect(sniff(concat([zeros, fixture('speech.mp3').subarray(2_000, 8_000)]))).toBe('mp3');
    expect(sniff(concat([zeros, fixture('speech.aac').subarray(0, 4_000)]))).toBe('adts');
  });

  it('is AAC for a recording that begins inside a frame', () => {
    expect(sniff(fixture('speech.aac').subarray(100, 4_000))).toBe('adts');
  });

  it('is WAV that few read for a big-endian one', () => {
    expect(sniff(text('RIFX\0\0\0\0WAVEfmt '))).toBe('wav-uncommon');
  });

  it('is MP3 for a recording that begins inside a frame', () => {
    const bare = fixture('speech.mp3').subarray(2_000);
    expect(sniff(bare.subarray(0, SNIFF_BYTES))).toBe('mp3');
  });

  it.each([
    ['nothing', new Uint8Array(0)],
    ['zeros', new Uint8Array(SNIFF_BYTES)],
    ['ones', new Uint8Array(SNIFF_BYTES).fill(0xff)],
    [
      'one MP3 header and text',
      concat([Uint8Array.of(0xff, 0xfb, 0x90, 0x64), text('a'.repeat(900))]),
    ],
    ['UTF-16', concat([Uint8Array.of(0xff, 0xfe), text('h\0e\0l\0l\0o\0'.repeat(99))])],
    ['text', text('RIFF is a name, OggS too')],
  ])('is unknown for %s', (_name, bytes) => {
    expect(sniff(bytes)).toBeUndefined();
  });

  it('is never guessed wildly: random bytes and every cut are looked at without a fault', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => void sniff(bytes)));
    const head = fixture('speech.mp3').subarray(0, 1_000);
    for (let cut = 0; cut < head.length; cut += 1) sniff(head.subarray(0, cut));
  });

  it('has a name for what is sent by mistake', () => {
    expect(nameRefused(text('%PDF-1.7'))).toBe('PDF');
    expect(nameRefused(text('#!AMR\n'))).toBe('AMR');
    expect(nameRefused(text('caff'))).toBe('CAF');
    expect(nameRefused(text('hello'))).toBeUndefined();
  });
});
