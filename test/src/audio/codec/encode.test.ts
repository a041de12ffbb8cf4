import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  encode,
  streamable,
  supportsRate,
  mp3,
  oggOpus,
} from '../../../../src/audio/codec/encode.ts';
import { flac as flacKind } from '../../../../src/audio/codec/encode-flac.ts';
import { pcm, wav as wavKind } from '../../../../src/audio/codec/encoder.ts';
import { AUDIO_FORMATS } from '../../../../src/model/message.ts';
import { chunked, concat, decodeAll, fixture, likeness, sourceOf, tone } from '../support.ts';
import { casesOf } from '../../../fakes/cases.ts';
import { encoderLibrary } from '../../../fakes/opus.ts';

const encodeAll = async (
  format: (typeof AUDIO_FORMATS)[number],
  sampleRateHz: number,
  samples: Float32Array,
): Promise<Uint8Array> =>
  concat(await Array.fromAsync(encode(format, sampleRateHz, chunked(samples))));

const view = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

describe('encoding', () => {
  it.each([
    ['mp3', 16_000],
    ['mp3', 22_050],
    ['mp3', 48_000],
    ['ogg', 16_000],
    ['ogg', 24_000],
    ['ogg', 48_000],
    ['wav', 16_000],
    ['wav', 44_100],
    ['flac', 16_000],
    ['flac', 22_050],
  ] as const)('makes %s at %i Hz that sounds like what went in', async (format, sampleRateHz) => {
    const speech = await decodeAll(sourceOf(fixture('speech.wav')), sampleRateHz);
    const heard = await decodeAll(sourceOf(await encodeAll(format, sampleRateHz, speech)));
    const original = await decodeAll(sourceOf(fixture('speech.wav')));
    expect(Math.abs(heard.length - original.length) / 16_000).toBeLessThan(0.15);
    const delay = format === 'mp3' ? Math.round((1_105 / sampleRateHz) * 16_000) : 0;
    expect(likeness(heard.subarray(delay), original)).toBeGreaterThan(0.95);
  });

  it('gives Opus back at exactly the length and place that it had', async () => {
    const samples = tone(48_000, 0.333);
    const heard = await decodeAll(sourceOf(await encodeAll('ogg', 48_000, samples)), 48_000);
    expect(heard.length).toBe(samples.length);
    let [product, power] = [0, 0];
    for (let i = 4_800; i < 9_600; i += 1) {
      product += samples[i]! * heard[i]!;
      power += samples[i]! ** 2;
    }
    expect(product / power).toBeGreaterThan(0.9);
  });

  it('is exact for WAV and FLAC', async () => {
    const samples = tone(16_000, 0.5).map((sample) => (Math.round(sample * 32_768) + 0) / 32_768);
    for (const format of ['wav', 'flac'] as const)
      expect(await decodeAll(sourceOf(await encodeAll(format, 16_000, samples)))).toEqual(samples);
  });

  it('writes the right lengths into the headers', async () => {
    const samples = tone(24_000, 1.5);
    const wav = await encodeAll('wav', 24_000, samples);
    expect(view(wav).getUint32(4, true)).toBe(wav.length - 8);
    expect(view(wav).getUint32(40, true)).toBe(samples.length * 2);
    const flac = await encodeAll('flac', 24_000, samples);
    expect(view(flac).getUint32(22)).toBe(samples.length);
    expect(flac.subarray(26, 42).some((byte) => byte !== 0)).toBe(true);
  });

  it('clips what is too loud and makes silence of what is no number', async () => {
    const bytes = await encodeAll('pcm', 16_000, Float32Array.of(2, -2, Number.NaN, 0.5));
    expect([...new Int16Array(bytes.buffer)]).toEqual([32_767, -32_768, 0, 16_384]);
  });

  it('makes valid files of no sound', async () => {
    const none = new Float32Array(0);
    expect((await encodeAll('wav', 16_000, none)).length).toBe(44);
    expect((await encodeAll('pcm', 16_000, none)).length).toBe(0);
    expect((await encodeAll('ogg', 16_000, none)).length).toBeGreaterThan(80);
    expect((await encodeAll('flac', 16_000, none)).length).toBeGreaterThan(41);
  });

  it.each(AUDIO_FORMATS)('gives %s as the sound comes if it says so', async (format) => {
    let given = 0;
    const source = async function* source() {
      for (; given < 8; given += 1) yield tone(24_000, 0.25);
    };
    const bytes = encode(format, 24_000, source());
    await bytes.next();
    expect(given < 8).toBe(streamable(format));
    await bytes.return();
  });

  it.each(AUDIO_FORMATS)('stops its source when nobody wants the %s any more', async (format) => {
    let stopped = false;
    const source = async function* source() {
      try {
        for (let i = 0; i < 20; i += 1) yield tone(24_000, 0.1);
      } finally {
        stopped = true;
      }
    };
    for await (const bytes of encode(format, 24_000, source())) if (bytes.length > 0) break;
    expect(stopped).toBe(true);
  });

  it('lets many encodings be broken off', async () => {
    const breakOff = async (format: (typeof AUDIO_FORMATS)[number]): Promise<void> => {
      const bytes = encode(format, 24_000, chunked(tone(24_000, 0.05)));
      await bytes.next();
      await bytes.return();
    };
    // More than there may be encoders of Opus at once.
    for (let i = 0; i < 20; i += 1) await breakOff('ogg');
    for (let i = 0; i < casesOf(300); i += 1)
      await breakOff(AUDIO_FORMATS[i % AUDIO_FORMATS.length]!);
    expect((await encodeAll('ogg', 24_000, tone(24_000, 0.1))).length).toBeGreaterThan(100);
  });

  it('refuses rates that a format does not have', async () => {
    expect(supportsRate('ogg', 44_100)).toBe(false);
    expect(supportsRate('mp3', 44_100)).toBe(true);
    expect(supportsRate('mp3', 96_000)).toBe(false);
    expect(supportsRate('wav', 0)).toBe(false);
    await expect(encodeAll('ogg', 44_100, tone(44_100, 0.1))).rejects.toMatchObject({
      code: 'bad-input',
      sentence: { key: 'errors.audio.sample-rate' },
    });
  });

  it.each(['wav', 'flac'] as const)('refuses over 20 minutes of %s', async (format) => {
    const minute = new Float32Array(8_000 * 60);
    const long = async function* long() {
      for (let i = 0; i < 21; i += 1) yield minute;
    };
    await expect(Array.fromAsync(encode(format, 8_000, long()))).rejects.toMatchObject({
      code: 'too-large',
    });
  });
});

describe('the memory of an encoder', () => {
  afterEach(() => void vi.restoreAllMocks());

  const KINDS = { mp3, ogg: oggOpus, pcm, wav: wavKind, flac: flacKind };

  /** Counts the encoders of a format that were made and not given back. */
  const countLive = (format: (typeof AUDIO_FORMATS)[number]) => {
    const kind = KINDS[format];
    const create = kind.create.bind(kind);
    const count = { made: 0, live: 0 };
    vi.spyOn(kind, 'create').mockImplementation(async (sampleRateHz) => {
      const encoder = await create(sampleRateHz);
      count.made += 1;
      count.live += 1;
      const free = (): void => {
        count.live -= 1;
        encoder.free();
      };
      return { ...encoder, free };
    });
    return count;
  };

  it.each(AUDIO_FORMATS)('is given back at the end, and when %s is broken off', async (format) => {
    const count = countLive(format);
    await encodeAll(format, 24_000, tone(24_000, 0.3));
    const broken = async function* broken() {
      yield tone(24_000, 0.3);
      throw new Error('no more');
    };
    await expect(Array.fromAsync(encode(format, 24_000, broken()))).rejects.toThrow('no more');
    const left = encode(format, 24_000, chunked(tone(24_000, 0.5)));
    await left.next();
    await left.return();
    expect(count).toEqual({ made: 3, live: 0 });
  });

  it('goes back to libopus and libFLAC', async () => {
    const { default: libflac } = await import('libflacjs/dist/libflac.js');
    const freeOpus = vi.spyOn(encoderLibrary().prototype, 'delete');
    const freeFlac = vi.spyOn(libflac, 'FLAC__stream_encoder_delete');
    await encodeAll('ogg', 24_000, tone(24_000, 0.1));
    await encodeAll('flac', 24_000, tone(24_000, 0.1));
    expect(freeOpus).toHaveBeenCalledTimes(1);
    expect(freeFlac).toHaveBeenCalledTimes(1);
  });
});
