import { afterEach, describe, expect, it, vi } from 'vitest';
import { encode } from '../../../../src/audio/codec/encode.ts';
import { createOggOpusWriter } from '../../../../src/audio/container/ogg-writer.ts';
import { parseToc } from '../../../../src/audio/opus/packet.ts';
import { speechPackets } from '../../../../src/voice/tts/speech-packets.ts';
import { encoderLimit } from '../../../../src/audio/opus/encoder.ts';
import { framesOf, packetOf } from '../../../../src/audio/opus/layout.ts';
import { toS16le } from '../../../../src/audio/pcm.ts';
import { AUDIO_FORMATS, type AudioFormat } from '../../../../src/model/message.ts';
import { watchEventLoop } from '../../../fakes/event-loop.ts';
import {
  APPLICATION,
  decoderMethods,
  encoderLibrary,
  encodePackets,
  type OpusEncoding,
  WIDEBAND,
} from '../../../fakes/opus.ts';
import {
  chunked,
  concat,
  decodeAll,
  fixture,
  HEARD_HZ,
  heardIn,
  never,
  shared,
  sourceOf,
  tone,
} from '../../audio/support.ts';

const given = (
  format: AudioFormat,
  bytes: Uint8Array,
  sampleRateHz = 24_000,
  chunkBytes = 777,
) => ({
  format,
  sampleRateHz,
  chunks: sourceOf(bytes, chunkBytes).open(),
});

const framesFrom = (format: AudioFormat, bytes: Uint8Array, rateHz?: number) =>
  Array.fromAsync(speechPackets(given(format, bytes, rateHz), never));

const speech = await decodeAll(sourceOf(fixture('speech.wav')), 48_000);
const compared = await decodeAll(sourceOf(fixture('speech.wav')), HEARD_HZ);

const speechAt = shared((rateHz: number) => decodeAll(sourceOf(fixture('speech.wav')), rateHz));

const ENCODED_HZ = 24_000;
const encodedAs = shared(async (format: AudioFormat) =>
  concat(await Array.fromAsync(encode(format, ENCODED_HZ, chunked(await speechAt(ENCODED_HZ))))),
);

const correlate = (
  late: Float32Array,
  early: Float32Array,
  lag: number,
  samples: number,
): number => {
  let [xy, xx, yy] = [0, 0, 0];
  const until = Math.min(samples, early.length, late.length - lag);
  for (let i = Math.max(0, -lag); i < until; i += 1) {
    const [x, y] = [late[i + lag]!, early[i]!];
    xy += x * y;
    xx += x * x;
    yy += y * y;
  }
  return xy / Math.sqrt(xx * yy || 1);
};

/** The best correlation of two sounds, and by how much the first one is then late. */
const match = (late: Float32Array, early: Float32Array) => {
  const best = (from: number, to: number, step: number, samples: number): number => {
    let found = from;
    let most = -1;
    for (let lag = from; lag <= to; lag += step) {
      const correlation = correlate(late, early, lag, samples);
      if (correlation > most) [found, most] = [lag, correlation];
    }
    return found;
  };
  const near = best(-400, 1_600, 3, HEARD_HZ / 2);
  const lag = best(near - 4, near + 4, 1, HEARD_HZ);
  return {
    correlation: correlate(late, early, lag, early.length),
    lateMs: lag / (HEARD_HZ / 1_000),
  };
};

/** That all of the speech is there, once, in packets of 20 ms. */
const expectSpeech = async (packets: readonly Uint8Array[], least = 0.9): Promise<void> => {
  expect(new Set(packets.map((packet) => parseToc(packet)?.samples))).toEqual(new Set([960]));
  const sound = await heardIn(packets);
  const { correlation, lateMs } = match(sound, compared);
  expect(correlation).toBeGreaterThan(least);
  const seconds = sound.length / HEARD_HZ;
  const wanted = compared.length / HEARD_HZ;
  expect(seconds).toBeGreaterThanOrEqual(wanted + lateMs / 1_000 - 0.001);
  expect(seconds).toBeLessThan(wanted + 0.13);
};

const packetsOf = (settings: OpusEncoding & { frameSize: number }) =>
  packetsOfSettings(JSON.stringify(settings));
const packetsOfSettings = shared((json: string) => {
  const settings = JSON.parse(json) as OpusEncoding & { frameSize: number };
  const frames = Math.ceil((speech.length + 312) / settings.frameSize);
  const padded = new Float32Array(frames * settings.frameSize);
  padded.set(speech);
  return encodePackets(padded, settings);
});

const oggOf = (packets: readonly Uint8Array[], options = {}): Uint8Array => {
  const writer = createOggOpusWriter(options);
  return concat([...packets.map((packet) => writer.push(packet)), writer.end()]);
};

/** Packets put together, `count` in each. */
const bundled = (packets: readonly Uint8Array[], count: number, padding = 0): Uint8Array[] =>
  Array.from({ length: Math.floor(packets.length / count) }, (_, i) => {
    const group = packets.slice(i * count, (i + 1) * count);
    const packet = packetOf(
      group[0]![0]!,
      group.flatMap((one) => framesOf(one) ?? []),
    );
    if (padding === 0 || (packet[0]! & 3) !== 3) return packet;
    const head = Uint8Array.of(packet[0]!, packet[1]! | 0x40, padding);
    return concat([head, packet.subarray(2), new Uint8Array(padding)]);
  });

const { lowDelay: CELT, audio: AUDIO, voip: VOIP } = APPLICATION;
/** What makes libopus choose SILK alone. */
const SILK = { application: VOIP, bitrate: 20_000, maxBandwidth: WIDEBAND } as const;

describe('speech as packets of 20 ms', () => {
  it.each([8_000, 12_000, 16_000, 24_000, 48_000])(
    'encodes PCM of %i Hz at its own rate',
    async (rateHz) => {
      const bytes = toS16le(await speechAt(rateHz));
      await expectSpeech(await framesFrom('pcm', bytes, rateHz));
    },
  );

  it.each([22_050, 44_100, 11_025, 32_000])('resamples PCM of %i Hz', async (rateHz) => {
    await expectSpeech(await framesFrom('pcm', toS16le(await speechAt(rateHz)), rateHz));
  });

  it.each(AUDIO_FORMATS)('plays %s as the encoders here make it', async (format) => {
    await expectSpeech(await framesFrom(format, await encodedAs(format)));
  });

  it.each(['speech.mp3', 'speech.flac', 'speech-vorbis.ogg', 'speech.opus', 'speech.wav'])(
    'plays %s, whatever format was promised',
    async (name) => {
      await expectSpeech(await framesFrom('mp3', fixture(name)), 0.75);
    },
  );

  it('gives the first packet once 20 ms of PCM are there, wherever chunks end', async () => {
    const bytes = toS16le(tone(24_000, 0.02));
    const asked: number[] = [];
    const frames = speechPackets(
      {
        format: 'pcm',
        sampleRateHz: 24_000,
        chunks: (async function* () {
          for (let at = 0; at < bytes.length; at += 321) {
            asked.push(at);
            yield bytes.subarray(at, at + 321);
          }
          asked.push(-1);
        })(),
      },
      never,
    );
    expect((await frames.next()).done).toBe(false);
    expect(asked).toEqual([0, 321, 642]);
    await frames.return();
  });

  it('lets the end of speech be heard, however it falls into packets', async () => {
    for (const ms of [20, 33, 39, 40, 1]) {
      const loud = new Float32Array(24 * ms).fill(0);
      loud.set(
        tone(24_000, 0.001, 2_000).map((x) => x * 1.9),
        loud.length - 24,
      );
      const sound = await heardIn(await framesFrom('pcm', toS16le(loud)));
      const peak = sound.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
      expect(peak, `${ms} ms`).toBeGreaterThan(0.3);
    }
  });

  it('works off long speech in slices', async () => {
    const bytes = toS16le(tone(48_000, 20));
    const { turns, result } = await watchEventLoop(async () => {
      const frames = speechPackets(given('pcm', bytes, 48_000, bytes.length), never);
      return (await Array.fromAsync(frames)).length;
    });
    expect(result).toBe(1_001);
    expect(turns).toBeGreaterThan(70);
  });
});

describe('Ogg Opus', () => {
  it('passes packets of 20 ms through as they are', async () => {
    const packets = packetsOf({ frameSize: 960 });
    expect(await framesFrom('ogg', oggOf(packets))).toEqual(packets);
  });

  it.each([2, 3, 4, 5, 6])('splits packets of %i frames of 20 ms exactly', async (count) => {
    for (const vbr of [true, false]) {
      const packets = packetsOf({ frameSize: 960, vbr, application: CELT });
      const split = await framesFrom('ogg', oggOf(bundled(packets, count, 3)));
      expect(split).toEqual(packets.slice(0, split.length));
      expect(split.length).toBe(Math.floor(packets.length / count) * count);
    }
  });

  it.each([
    [120, CELT],
    [240, CELT],
    [480, CELT],
    [480, VOIP],
  ] as const)(
    'puts packets of %i samples together without a change of the sound',
    async (frameSize, application) => {
      // Enough for the encoder never to change the bandwidth, and with it the kind of frames.
      const packets = packetsOf({ frameSize, application, bitrate: 128_000 });
      const frames = await framesFrom('ogg', oggOf(packets));
      await expectSpeech(frames);
      const before = await heardIn(packets);
      expect((await heardIn(frames)).subarray(0, before.length)).toEqual(before);
    },
  );

  it.each([1_920, 2_880])('encodes frames of %i samples anew', async (frameSize) => {
    const packets = packetsOf({
      frameSize,
      ...SILK,
    });
    expect(parseToc(packets[5]!)).toMatchObject({ mode: 'silk', frameSamples: frameSize });
    await expectSpeech(await framesFrom('ogg', oggOf(packets)), 0.8);
  });

  it('encodes from where frames can no longer be put together, and loses nothing there', async () => {
    const short = packetsOf({ frameSize: 480, application: AUDIO, bitrate: 64_000 });
    const long = packetsOf({ frameSize: 2_880, ...SILK });
    // The first is left out, so that half a packet is held when the kind of frames changes.
    const begun = short.slice(1, 60);
    const frames = await framesFrom('ogg', oggOf([...begun, ...long.slice(10)]));
    expect(frames.slice(0, 29)).toEqual(bundled(begun, 2));
    await expectSpeech(frames, 0.75);
  });

  it('applies the gain of the file', async () => {
    const packets = packetsOf({ frameSize: 960 });
    const level = (sound: Float32Array) => Math.sqrt(sound.reduce((sum, x) => sum + x * x, 0));
    const plain = level(await heardIn(await framesFrom('ogg', oggOf(packets))));
    const quiet = level(await heardIn(await framesFrom('ogg', oggOf(packets, { gain: -6 * 256 }))));
    expect(quiet / plain).toBeCloseTo(10 ** (-6 / 20), 1);
  });

  it('goes on through chained files, and gives what is left of damaged ones', async () => {
    const packets = packetsOf({ frameSize: 960 });
    const one = oggOf(packets);
    expect((await framesFrom('ogg', concat([one, one]))).length).toBe(2 * packets.length);
    const cut = await framesFrom('ogg', one.subarray(0, one.length * 0.6));
    expect(cut).toEqual(packets.slice(0, cut.length));
    expect(cut.length).toBeGreaterThan(49);
  });
});

describe('what cannot be played', () => {
  it.each(AUDIO_FORMATS)('is told where %s is empty or nonsense', async (format) => {
    await expect(framesFrom(format, new Uint8Array(0))).rejects.toMatchObject({ name: 'AppError' });
    if (format === 'pcm') return;
    const nonsense = new Uint8Array(5_000).fill(7);
    await expect(framesFrom(format, nonsense)).rejects.toMatchObject({ name: 'AppError' });
  });

  it.each(AUDIO_FORMATS)('is left out at the end of %s that breaks off', async (format) => {
    const bytes = await encodedAs(format);
    const frames = await framesFrom(format, bytes.subarray(0, bytes.length * 0.7));
    expect(frames.length).toBeGreaterThan(20);
  });

  it('passes on the error of a stream that breaks, after what came before', async () => {
    const bytes = toS16le(tone(24_000, 0.1));
    const frames = speechPackets(
      {
        format: 'pcm',
        sampleRateHz: 24_000,
        chunks: (async function* () {
          yield bytes;
          throw new Error('reset');
        })(),
      },
      never,
    );
    let count = 0;
    const all = async () => {
      for await (const _ of frames) count += 1;
    };
    await expect(all()).rejects.toThrow('reset');
    expect(count).toBe(5);
  });
});

describe('encoders and decoders', () => {
  afterEach(() => void vi.restoreAllMocks());

  const countCodecs = async () => ({
    made: vi.spyOn(encoderLibrary().prototype, 'setBitrate'),
    freed: vi.spyOn(encoderLibrary().prototype, 'delete'),
    decodersFreed: vi.spyOn(await decoderMethods(), 'free'),
  });

  const endless = async function* () {
    for (;;) yield toS16le(tone(24_000, 0.1));
  };
  const hanging = async function* () {
    yield toS16le(tone(24_000, 0.1));
    await new Promise(() => {});
  };
  const pcm = (chunks: AsyncIterable<Uint8Array>) => ({
    format: 'pcm' as const,
    sampleRateHz: 24_000,
    chunks,
  });
  /** All places of the gate, given back at once: as many as are free. */
  const freePlaces = (): number => {
    const places: Disposable[] = [];
    for (let place = encoderLimit.tryAcquire(); place; place = encoderLimit.tryAcquire())
      places.push(place);
    for (const place of places) place[Symbol.dispose]();
    return places.length;
  };

  it('are freed at the end, on an error, on an abort of a stream that hangs, and when left', async () => {
    const { made, freed } = await countCodecs();
    await framesFrom('pcm', toS16le(tone(24_000, 0.1)));
    const left = speechPackets(pcm(endless()), never);
    await left.next();
    await left.return();
    const abort = new AbortController();
    const stuck = Array.fromAsync(speechPackets(pcm(hanging()), abort.signal));
    while (made.mock.calls.length < 3) await new Promise(setImmediate);
    abort.abort();
    await expect(stuck).rejects.toMatchObject({ code: 'cancelled' });
    const broken = async function* () {
      yield toS16le(tone(24_000, 0.1));
      throw new Error('reset');
    };
    await expect(Array.fromAsync(speechPackets(pcm(broken()), never))).rejects.toThrow('reset');
    expect([made.mock.calls.length, freed.mock.calls.length]).toEqual([4, 4]);
    expect(freePlaces()).toBe(16);
  });

  it('are freed with the decoder where Opus is encoded anew', async () => {
    const packets = packetsOf({ frameSize: 2_880, ...SILK });
    const { made, freed, decodersFreed } = await countCodecs();
    const frames = speechPackets(given('ogg', oggOf(packets)), never);
    await frames.next();
    await frames.return();
    expect([made.mock.calls.length, freed.mock.calls.length]).toEqual([1, 1]);
    expect(decodersFreed).toHaveBeenCalledTimes(1);
  });

  it('are sixteen at most; one more waits, and may give up', async () => {
    const { made, freed } = await countCodecs();
    const busy = Array.from({ length: 16 }, () => speechPackets(pcm(endless()), never));
    await Promise.all(busy.map((frames) => frames.next()));
    const abort = new AbortController();
    const impatient = speechPackets(pcm(endless()), abort.signal).next();
    const waiting = speechPackets(pcm(endless()), never);
    const next = waiting.next();
    await new Promise(setImmediate);
    expect(made).toHaveBeenCalledTimes(16);
    abort.abort();
    await expect(impatient).rejects.toMatchObject({ code: 'cancelled' });
    await busy[0]!.return();
    expect((await next).done).toBe(false);
    expect(made).toHaveBeenCalledTimes(17);
    await Promise.all([...busy, waiting].map((frames) => frames.return()));
    expect(freed).toHaveBeenCalledTimes(17);
    expect(freePlaces()).toBe(16);
  });
});
