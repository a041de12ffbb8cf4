import { describe, expect, it } from 'vitest';
import { decode } from '../../../src/audio/decode.ts';
import { createOggOpusWriter } from '../../../src/audio/ogg-writer.ts';
import { type Piece, pieces } from '../../../src/audio/pieces.ts';
import { sniff, SNIFF_BYTES } from '../../../src/audio/sniff.ts';
import type { ByteSource } from '../../../src/model.ts';
import { concat, decodeAll, fixture, joinSamples, likeness, never, sourceOf } from './support.ts';

const cut = (source: ByteSource, longestMs?: number): Promise<Piece[]> =>
  Array.fromAsync(pieces(source, longestMs === undefined ? {} : { longestMs }, never));

const containerOf = async ({ audio }: Piece) =>
  sniff(concat(await Array.fromAsync(audio.open())).subarray(0, SNIFF_BYTES));

const secondsOf = async (source: ByteSource): Promise<number> => {
  let seconds = 0;
  for await (const { samples, sampleRateHz } of decode(source, never))
    seconds += samples.length / sampleRateHz;
  return seconds;
};

describe('a short file', () => {
  it.each(['speech.wav', 'speech.mp3', 'speech.flac', 'speech.opus', 'speech-vorbis.ogg'])(
    'of a kind that the recogniser takes stays as it is: %s',
    async (name) => {
      const source = sourceOf(fixture(name));
      const [piece, ...others] = await cut(source);
      expect(others).toEqual([]);
      expect(piece!.audio).toBe(source);
      expect(piece!.startMs).toBe(0);
      expect(piece!.durationMs / 1_000).toBeCloseTo(await secondsOf(source), 2);
    },
  );

  it.each([
    ['recorded.webm', 'ogg-opus'],
    ['live.webm', 'ogg-opus'],
    ['opus.mp4', 'ogg-opus'],
    ['recorded.mp4', 'ogg-opus'],
    ['speech.m4a', 'flac'],
    ['fragmented.mp4', 'flac'],
    ['speech.aac', 'flac'],
  ])('of another kind becomes one: %s becomes %s', async (name, container) => {
    const source = sourceOf(fixture(name));
    const [piece, ...others] = await cut(source);
    expect(others).toEqual([]);
    expect(await containerOf(piece!)).toBe(container);
    const [heard, before] = [await decodeAll(piece!.audio), await decodeAll(source)];
    expect(likeness(heard, before)).toBeGreaterThan(0.97);
    expect(piece!.durationMs / 1_000).toBeCloseTo(heard.length / 16_000, 2);
  });
});

describe('a long file', () => {
  it.each([
    ['speech.opus', 'ogg-opus'],
    ['live.webm', 'ogg-opus'],
    ['speech.wav', 'flac'],
    ['speech.mp3', 'flac'],
    ['speech.m4a', 'flac'],
  ])('is cut in the pause between sentences: %s', async (name, container) => {
    const source = sourceOf(fixture(name));
    const found = await cut(source, 2_500);
    expect(found.length).toBe(2);
    expect(found[1]!.startMs).toBeGreaterThan(1_250);
    expect(found[1]!.startMs).toBeLessThan(1_850);
    expect(await containerOf(found[1]!)).toBe(container);
  });

  it.each(['speech.opus', 'recorded.webm', 'speech.wav'])(
    'loses nothing at the cuts: %s',
    async (name) => {
      const source = sourceOf(fixture(name));
      const found = await cut(source, 1_000);
      let endMs = 0;
      for (const piece of found) {
        expect(piece.startMs).toBeCloseTo(endMs, 6);
        expect(piece.durationMs).toBeLessThanOrEqual(1_000);
        expect(piece.durationMs / 1_000).toBeCloseTo(await secondsOf(piece.audio), 3);
        endMs = piece.startMs + piece.durationMs;
      }
      const parts: Float32Array[] = [];
      for (const piece of found) parts.push(await decodeAll(piece.audio));
      const [heard, before] = [joinSamples(parts), await decodeAll(source)];
      expect(Math.abs(heard.length - before.length)).toBeLessThan(16_000 * 0.01);
      expect(likeness(heard, before)).toBeGreaterThan(0.95);
    },
  );

  it('comes piece by piece, as it is read', async () => {
    const chained = concat(Array.from({ length: 5 }, () => fixture('speech.opus')));
    for (const bytes of [fixture('speech.wav'), chained]) {
      const source = sourceOf(bytes, 100);
      const found = pieces(source, { longestMs: 1_000 }, never);
      await found.next();
      expect(source.readBytes).toBeLessThan(source.sizeBytes * 0.6);
      await found.return();
    }
  });

  it('is refused over 4 hours', async () => {
    const writer = createOggOpusWriter();
    const packet = new Uint8Array(50);
    packet.set([0xfb, 6]);
    const pages = Array.from({ length: 4.01 * 3_600 * (1_000 / 120) }, () => writer.push(packet));
    const long = sourceOf(concat([...pages, writer.end()]), 65_536);
    let heardMs = 0;
    const listen = async () => {
      for await (const piece of pieces(long, { longestMs: 600_000 }, never))
        heardMs += piece.durationMs;
    };
    await expect(listen()).rejects.toMatchObject({ code: 'too-large' });
    expect(heardMs / 3_600_000).toBeGreaterThan(3.8);
  });
});

describe('pieces', () => {
  it.each([
    ['an empty file', new Uint8Array(0), 'bad-input'],
    ['an Ogg file without packets', createOggOpusWriter().end(), 'bad-input'],
    ['a text', new TextEncoder().encode('hello'), 'unsupported'],
    ['another codec', fixture('alac.m4a'), 'unsupported'],
  ])('are refused of %s', async (_name, bytes, code) => {
    await expect(cut(sourceOf(bytes))).rejects.toMatchObject({ name: 'AppError', code });
  });

  it('end when they are told to', async () => {
    const controller = new AbortController();
    controller.abort();
    const found = pieces(sourceOf(fixture('speech.opus')), {}, controller.signal);
    await expect(found.next()).rejects.toMatchObject({ code: 'cancelled' });
  });
});
