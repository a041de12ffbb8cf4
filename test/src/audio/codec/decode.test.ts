import * as fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { decode, decodeTo, createAudioLimit } from '../../../../src/audio/codec/decode.ts';
import { chunkAudio } from '../../../../src/audio/chunk/chunk-audio.ts';
import { AppError } from '../../../../src/errors.ts';
import { casesOf } from '../../../fakes/cases.ts';
import { decoderMethods } from '../../../fakes/opus.ts';
import { concat, decodeAll, fixture, likeness, never, sourceOf } from '../support.ts';

const SPEECH = [
  'speech.wav',
  'speech.opus',
  'speech-vorbis.ogg',
  'speech.mp3',
  'speech.flac',
  'live.webm',
  'speech.m4a',
  'faststart.m4a',
  'fragmented.mp4',
  'opus.mp4',
  'speech.aac',
];
const RECORDINGS = ['video.webm', 'recorded.webm', 'recorded.mp4'];

const secondsOf = async (bytes: Uint8Array): Promise<number> => {
  let seconds = 0;
  for await (const { samples, sampleRateHz } of decode(sourceOf(bytes), never))
    seconds += samples.length / sampleRateHz;
  return seconds;
};

describe('decoding', () => {
  it.each(SPEECH)('hears the speech in %s', async (name) => {
    const original = await decodeAll(sourceOf(fixture('speech.wav')));
    const heard = await decodeAll(sourceOf(fixture(name), 777));
    expect(heard.length / 16_000).toBeCloseTo(3.52, 0.9);
    // Encoders put up to 70 ms before the sound.
    const best = [0, 320, 640, 960].map((at) => likeness(heard.subarray(at), original));
    expect(Math.max(...best)).toBeGreaterThan(0.93);
  });

  const id3 = (claimedBytes: number): Uint8Array =>
    Uint8Array.of(
      0x49,
      0x44,
      0x33,
      4,
      0,
      0,
      0,
      claimedBytes >> 14,
      claimedBytes >> 7,
      claimedBytes,
    );
  const NAME = Buffer.from('TIT2 a name that belongs to the tag');

  it.each<[string, string, readonly Uint8Array[], number]>([
    ['MP3', 'a tag that says less than it has', [id3(5), NAME], 0],
    ['MP3', 'a tag that says more than the file has', [id3(90_000)], 0],
    ['MP3', 'a tag that says more than it has', [id3(1_234), NAME], 0],
    ['MP3', 'a tag without a valid size', [id3(200), NAME], 0],
    ['MP3', 'padding behind its tag', [id3(NAME.length), NAME, new Uint8Array(20_000)], 0],
    ['MP3', 'zeros', [new Uint8Array(9_000)], 0],
    ['AAC', 'zeros', [new Uint8Array(9_000)], 0],
    ['AAC', 'half a frame', [], 12],
  ])('hears %s behind %s', async (kind, _what, before, from) => {
    const name = kind === 'MP3' ? 'speech.mp3' : 'speech.aac';
    const [bytes, original] = [fixture(name), await decodeAll(sourceOf(fixture(name)))];
    const tagBytes = kind === 'MP3' ? 45 : 0;
    const heard = await decodeAll(
      sourceOf(concat([...before, bytes.subarray(tagBytes + from)]), 777),
    );
    expect(Math.abs(heard.length - original.length)).toBeLessThan(1_600);
    const offsets = [0, original.length - heard.length];
    const best = offsets.map((at) => likeness(heard, original.subarray(Math.max(0, at))));
    expect(Math.max(...best)).toBeGreaterThan(0.98);
  });

  it.each(RECORDINGS)('hears 3 s of %s', async (name) => {
    expect(await secondsOf(fixture(name))).toBeCloseTo(3, 0.7);
  });

  const TABLES_AT_END = ['speech.m4a', 'opus.mp4'];

  it.each([...SPEECH, ...RECORDINGS].filter((name) => !TABLES_AT_END.includes(name)))(
    'hears what there is of %s when it is cut off',
    async (name) => {
      const bytes = fixture(name);
      const whole = await secondsOf(bytes);
      const half = await secondsOf(bytes.subarray(0, Math.ceil(bytes.length * 0.6)));
      expect(half).toBeGreaterThan(whole * 0.2);
      expect(half).toBeLessThan(whole);
    },
  );

  const unsupported = (kind: string) => ({ key: 'errors.audio.unsupported', params: { kind } });
  const withCodec = (container: string, codec: string) => ({
    key: 'errors.audio.unsupported-codec',
    params: { container, codec },
  });

  it.each([
    ['alac.m4a', unsupported('Apple Lossless')],
    ['alac.mov', unsupported('Apple Lossless')],
    ['ac3.mka', withCodec('Matroska', 'AC-3')],
    ['speex.ogg', unsupported('Ogg Speex')],
    ['vorbis.webm', withCodec('WebM', 'Vorbis')],
  ])('says what %s is', async (name, sentence) => {
    await expect(secondsOf(fixture(name))).rejects.toMatchObject({ code: 'unsupported', sentence });
  });

  /** A file with other bytes in place of the first ones like these. */
  const changed = (name: string, from: string, to: string): Uint8Array => {
    const bytes = Buffer.from(fixture(name));
    bytes.write(to, bytes.indexOf(from, 0, 'latin1'), 'latin1');
    return new Uint8Array(bytes);
  };

  it.each([
    ['a codec of MP4', changed('speech.m4a', 'mp4a', 'zzzz'), 'unsupported-form'],
    ['a protected MP4', changed('speech.m4a', 'mp4a', 'enca'), 'protected'],
    ['a film without sound', changed('speech.m4a', 'soun', 'vide'), 'empty'],
    ['a codec of WebM', changed('vorbis.webm', 'A_VORBIS', 'A_VORTEX'), 'unsupported-form'],
    [
      'a codec of WAV',
      changed('speech.wav', 'fmt \x10\0\0\0\x01', 'fmt \x10\0\0\0\x77'),
      'unsupported-form',
    ],
    ['a picture', Uint8Array.from(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')), 'picture'],
  ])(
    'says of %s in the language of whoever reads it that it is not read',
    async (_what, bytes, key) => {
      await expect(secondsOf(bytes)).rejects.toMatchObject({
        code: 'unsupported',
        sentence: { key: `errors.audio.${key}` },
      });
    },
  );

  it.each([
    ['an empty file', new Uint8Array(0), 'bad-input', 'errors.audio.empty'],
    ['a text', new TextEncoder().encode('hello there'), 'unsupported', 'errors.audio.unknown'],
    ['a PDF', new TextEncoder().encode('%PDF-1.4 x'), 'unsupported', 'errors.audio.unsupported'],
    ['a header alone', fixture('speech.flac').subarray(0, 60), 'bad-input', 'errors.audio.damaged'],
    [
      'a WAV head alone',
      fixture('speech.wav').subarray(0, 44),
      'bad-input',
      'errors.audio.damaged',
    ],
    [
      'an M4A without tables',
      fixture('speech.m4a').subarray(0, 9_000),
      'bad-input',
      'errors.audio.damaged',
    ],
  ])('says of %s what is wrong', async (_name, bytes, code, key) => {
    await expect(secondsOf(bytes)).rejects.toMatchObject({ code, sentence: { key } });
  });

  it('reads sound without holding the file', async () => {
    const source = sourceOf(fixture('speech.wav'), 512);
    for await (const slice of decode(source, never)) if (slice.samples.length > 0) break;
    expect(source.readBytes).toBeLessThan(source.sizeBytes / 4);
  });

  it('reads a file with its tables at the end twice, and one with them before once', async () => {
    const [end, start] = [sourceOf(fixture('speech.m4a')), sourceOf(fixture('faststart.m4a'))];
    expect(await decodeAll(end)).toEqual(await decodeAll(start));
    expect([end.opened, start.opened]).toEqual([2, 1]);
  });

  it('stops when it is told to', async () => {
    const controller = new AbortController();
    const heard = decodeTo(sourceOf(fixture('speech.wav'), 512), 16_000, controller.signal);
    await heard.next();
    controller.abort();
    await expect(heard.next()).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('passes on what its source throws', async () => {
    const broken = {
      sizeBytes: undefined,
      async *open() {
        yield fixture('speech.wav').subarray(0, 20_000);
        throw new AppError('unavailable', 'gone');
      },
    };
    await expect(Array.fromAsync(decode(broken, never))).rejects.toMatchObject({
      code: 'unavailable',
    });
  });

  it('refuses a file that unpacks to more than its bytes can honestly hold', async () => {
    await expect(secondsOf(fixture('bomb.flac'))).rejects.toMatchObject({
      code: 'too-large',
      sentence: { key: 'errors.audio.too-long' },
    });
  });
});

describe('the memory of the codecs', () => {
  afterEach(() => void vi.restoreAllMocks());

  const OPUS_STREAMS = concat([fixture('speech.opus'), fixture('speech.opus')]);

  /** Where the codec takes the call that frees a decoder. */
  const freeOf = async (codec: 'opus' | 'flac') => {
    if (codec === 'flac') {
      const { FLACDecoder } = await import('@wasm-audio-decoders/flac');
      return vi.spyOn(FLACDecoder.prototype, 'free');
    }
    return vi.spyOn(await decoderMethods(), 'free');
  };

  it.each([
    ['opus', OPUS_STREAMS, 2],
    ['flac', fixture('speech.flac'), 1],
  ] as const)('is given back at the end of each %s stream', async (codec, bytes, streams) => {
    const free = await freeOf(codec);
    await secondsOf(bytes);
    expect(free).toHaveBeenCalledTimes(streams);
  });

  it.each([
    ['opus', OPUS_STREAMS],
    ['flac', fixture('speech.flac')],
  ] as const)('is given back when %s is broken off', async (codec, bytes) => {
    const free = await freeOf(codec);
    for await (const slice of decode(sourceOf(bytes), never)) if (slice.samples.length > 0) break;
    expect(free).toHaveBeenCalledTimes(1);
  });
});

describe('broken files', () => {
  const damage = fc.record({
    name: fc.constantFrom(...SPEECH, ...RECORDINGS),
    cutAt: fc.double({ min: 0.02, max: 1, noNaN: true }),
    dropAt: fc.double({ min: 0, max: 1, noNaN: true }),
    dropBytes: fc.oneof(fc.constant(0), fc.nat(2_000)),
    flips: fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(255)), {
      maxLength: 30,
    }),
    cut: fc.boolean(),
  });

  it('end in sound or in an AppError, never otherwise and never without end', async () => {
    await fc.assert(
      fc.asyncProperty(damage, async ({ name, cutAt, cut, dropAt, dropBytes, flips }) => {
        const whole = fixture(name);
        const at = Math.floor(dropAt * whole.length);
        const bytes = concat([whole.subarray(0, at), whole.subarray(at + dropBytes)]);
        for (const [place, value] of flips)
          if (bytes.length > 0) bytes[Math.floor(place * (bytes.length - 1))] = value;
        const end = cut ? Math.ceil(cutAt * bytes.length) : bytes.length;
        try {
          expect(await secondsOf(bytes.subarray(0, end))).toBeGreaterThan(0);
        } catch (error) {
          expect(error).toBeInstanceOf(AppError);
          expect(['unsupported', 'bad-input', 'too-large']).toContain((error as AppError).code);
        }
      }),
      { numRuns: casesOf(60) },
    );
  });

  const MAGICS = ['RIFF....WAVE', 'OggS\0', 'fLaC', '\x1a\x45\xdf\xa3', '....ftyp', 'ID3\x04\0'];

  it('of random bytes behind any magic are refused with an AppError', async () => {
    const random = fc.tuple(fc.constantFrom(...MAGICS), fc.uint8Array({ maxLength: 3_000 }));
    await fc.assert(
      fc.asyncProperty(random, async ([magic, body]) => {
        const bytes = concat([Uint8Array.from(magic, (letter) => letter.charCodeAt(0)), body]);
        const error = await Array.fromAsync(chunkAudio(sourceOf(bytes, 100), {}, never)).catch(
          (thrown: unknown) => thrown,
        );
        expect(error).toBeInstanceOf(AppError);
      }),
      { numRuns: casesOf(60) },
    );
  });
});

const HOUR_S = 3_600;
const MANY = 1e12;

/** The check of a file of this rate, by seconds. */
const limitAt = (sampleRateHz: number) => {
  const count = createAudioLimit();
  return (seconds: number, readBytes = MANY): void =>
    count({ samples: seconds * sampleRateHz, sampleRateHz, readBytes });
};

const refusedFor = (key: 'too-long' | 'too-large') =>
  expect.objectContaining({
    code: 'too-large',
    sentence: expect.objectContaining({ key: `errors.audio.${key}` }),
  });

describe('the limit of a file', () => {
  it.each([1, 8_000, 48_000, 96_000])(
    'is four hours, however many its bytes: %d Hz',
    (sampleRateHz) => {
      const hear = limitAt(sampleRateHz);
      for (let hour = 0; hour < 4; hour += 1) hear(HOUR_S);
      expect(() => hear(1)).toThrow(refusedFor('too-long'));
    },
  );

  it('is as many samples as four hours of 96 kHz have', () => {
    const hear = limitAt(384_000);
    hear(HOUR_S);
    expect(() => hear(1)).toThrow(refusedFor('too-large'));
  });

  it.each([
    [8_000, 16],
    [48_000, 16],
    [96_000, 32],
    [384_000, 128],
  ])('at %d Hz is a second for each %d bytes, once it is long', (sampleRateHz, bytes) => {
    const hear = limitAt(sampleRateHz);
    hear((120 * 16) / bytes, 1);
    const seconds = (120 * 16) / bytes + 1;
    expect(() => hear(1, seconds * bytes)).not.toThrow();
    expect(() => hear(1, (seconds + 1) * bytes - 1)).toThrow(refusedFor('too-long'));
  });

  it('holds where a part has no rate', () => {
    const part = { samples: 1, sampleRateHz: 0, readBytes: MANY };
    expect(() => createAudioLimit()(part)).toThrow(refusedFor('too-long'));
  });
});
