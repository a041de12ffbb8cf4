import { describe, expect, it } from 'vitest';
import { decode } from '../../../../src/audio/codec/decode.ts';
import { encode } from '../../../../src/audio/codec/encode.ts';
import { createOggOpusWriter } from '../../../../src/audio/container/ogg-writer.ts';
import { type AudioChunk, chunkAudio } from '../../../../src/audio/chunk/chunk-audio.ts';
import { sniff, SNIFF_BYTES } from '../../../../src/audio/container/sniff.ts';
import type { AudioFormat, ByteSource } from '../../../../src/model/message.ts';
import { concat, decodeAll, fixture, likeness, never, shared, sourceOf } from '../support.ts';

const cut = (source: ByteSource, longestMs?: number): Promise<AudioChunk[]> =>
  Array.fromAsync(chunkAudio(source, longestMs === undefined ? {} : { longestMs }, never));

const containerOf = async ({ audio }: AudioChunk) =>
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
    ['alaw.wav', 'flac'],
    ['speech.aiff', 'flac'],
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

it('of MP3 with anything else before its first frame is not passed on as it is', async () => {
  const source = sourceOf(concat([new Uint8Array(500), fixture('speech.mp3')]));
  const [piece] = await cut(source);
  expect(await containerOf(piece!)).toBe('flac');
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
      const before = await decodeAll(source);
      const heard = new Float32Array(before.length + 160);
      let endMs = 0;
      for (const piece of found) {
        expect(piece.startMs).toBeGreaterThan(endMs - 0.001);
        expect(piece.durationMs).toBeLessThanOrEqual(1_000);
        expect(piece.durationMs / 1_000).toBeCloseTo(await secondsOf(piece.audio), 3);
        endMs = piece.startMs + piece.durationMs;
        heard.set(await decodeAll(piece.audio), Math.round(piece.startMs * 16));
      }
      expect(likeness(heard.subarray(0, before.length), before)).toBeGreaterThan(0.95);
    },
  );

  const RATE_HZ = 16_000;
  const silence = new Float32Array(3 * RATE_HZ);
  const loud = Float32Array.from({ length: 2 * RATE_HZ }, (_, at) => Math.sin(at / 5) / 2);
  const encoded = async (format: AudioFormat, sounds: readonly Float32Array[]) => {
    const parts = (async function* () {
      yield* sounds;
    })();
    return concat(await Array.fromAsync(encode(format, RATE_HZ, parts)));
  };
  const filesAs = shared(async (format: AudioFormat) => ({
    quiet: await encoded(format, [silence]),
    mixed: await encoded(format, [silence, loud, silence]),
  }));

  it.each([1_000, 60_000])(
    'is not sent where it is silent (pieces of %i ms)',
    async (longestMs) => {
      for (const format of ['flac', 'ogg', 'wav'] as const) {
        const { quiet, mixed } = await filesAs(format);
        expect(await cut(sourceOf(quiet), longestMs)).toEqual([]);
        const found = await cut(sourceOf(mixed), longestMs);
        const heardMs = found.reduce((sum, { durationMs }) => sum + durationMs, 0);
        expect(heardMs).toBeGreaterThanOrEqual(2_000);
        if (longestMs === 1_000) expect(heardMs).toBeLessThan(5_000);
      }
    },
  );

  it('is sent though its packets are small, when they are short', async () => {
    const writer = createOggOpusWriter({ channels: 1, inputRateHz: 48_000, preSkipSamples: 312 });
    // CELT, 2.5 ms, one frame a packet: 3 bytes of it are 9.6 kbit/s.
    const pages = Array.from({ length: 2_000 }, () => writer.push(Uint8Array.of(0xe0, 1, 2)));
    const bytes = concat([...pages, writer.end()]);
    expect((await cut(sourceOf(bytes))).length).toBeGreaterThan(0);
  });

  it('comes piece by piece, as it is read', async () => {
    const chained = concat(Array.from({ length: 5 }, () => fixture('speech.opus')));
    for (const bytes of [fixture('speech.wav'), chained]) {
      const source = sourceOf(bytes, 100);
      const found = chunkAudio(source, { longestMs: 1_000 }, never);
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
      for await (const piece of chunkAudio(long, { longestMs: 600_000 }, never))
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
    const found = chunkAudio(sourceOf(fixture('speech.opus')), {}, controller.signal);
    await expect(found.next()).rejects.toMatchObject({ code: 'cancelled' });
  });
});
