import { AppError } from '../../errors.ts';
import type { AudioFormat } from '../../model/message.ts';
import { flac } from './encode-flac.ts';
import { pcm as rawPcm, wav, type EncoderKind, NO_BYTES } from './encoder.ts';
import { inSlices, sliceSamples } from '../pcm.ts';
import type { WasmMediaEncoder } from 'wasm-media-encoders';
import { concatBytes } from '../bytes.ts';
import { createOggOpusWriter } from '../container/ogg-writer.ts';
import { OPUS_CLOCK_HZ } from '../opus/packet.ts';
import { createPacketEncoder, OPUS_RATES } from '../opus/encoder.ts';

/** The rates of MPEG-1, 2 and 2.5, with a bit rate that keeps speech clear in each. */
const BITRATES = {
  8_000: 32,
  11_025: 32,
  12_000: 32,
  16_000: 48,
  22_050: 64,
  24_000: 64,
  32_000: 96,
  44_100: 96,
  48_000: 96,
} as const;
type Mp3Rate = keyof typeof BITRATES;

const isMp3Rate = (sampleRateHz: number): sampleRateHz is Mp3Rate => sampleRateHz in BITRATES;

/** Idle encoders for reuse: each is a WebAssembly instance, and the library cannot free one. */
const idle: WasmMediaEncoder<'audio/mpeg'>[] = [];
const MOST_IDLE = 4;

export const mp3: EncoderKind = {
  streamable: true,
  supportsRate: isMp3Rate,
  create: async (sampleRateHz) => {
    const rate = sampleRateHz as Mp3Rate;
    const { createMp3Encoder } = await import('wasm-media-encoders');
    const encoder = idle.pop() ?? (await createMp3Encoder());
    encoder.configure({
      sampleRate: rate,
      channels: 1,
      bitrate: BITRATES[rate],
      outputSampleRate: rate,
    });
    return {
      push: (samples) => (samples.length > 0 ? encoder.encode([samples]).slice() : NO_BYTES),
      end: () => [encoder.finalize().slice()],
      free: () => {
        if (idle.length < MOST_IDLE) idle.push(encoder);
      },
    };
  },
};

/** Packets of a page: with 0.2 s a listener starts that much sooner than with the usual second. */
const PACKETS_PER_PAGE = 10;

export const oggOpus: EncoderKind = {
  streamable: true,
  supportsRate: (sampleRateHz) => OPUS_RATES.includes(sampleRateHz),
  create: async (sampleRateHz) => {
    const clocks = OPUS_CLOCK_HZ / sampleRateHz;
    const encoder = await createPacketEncoder(sampleRateHz);
    const writer = createOggOpusWriter({
      inputRateHz: sampleRateHz,
      preSkipSamples: encoder.lookaheadSamples * clocks,
      packetsPerPage: PACKETS_PER_PAGE,
    });
    let inputSamples = 0;
    const write = (packets: readonly Uint8Array[]): Uint8Array =>
      concatBytes(packets.map((packet) => writer.push(packet)));

    return {
      push: (samples) => {
        inputSamples += samples.length;
        return write(encoder.push(samples));
      },
      // Samples that the codec's delay adds at the end are cut off.
      end: () => [write(encoder.end()), writer.end(inputSamples * clocks)],
      free: () => encoder.free(),
    };
  },
};

const KINDS: Readonly<Record<AudioFormat, EncoderKind>> = {
  mp3,
  ogg: oggOpus,
  pcm: rawPcm,
  wav,
  flac,
};

/** True for a format whose bytes come while PCM is still going in. */
export const streamable = (format: AudioFormat): boolean => KINDS[format].streamable;

export const supportsRate = (format: AudioFormat, sampleRateHz: number): boolean =>
  KINDS[format].supportsRate(sampleRateHz);

/**
 * Encodes `pcm` (mono, -1 to 1, at `sampleRateHz`) as one file. A `streamable` format is yielded as
 * the PCM arrives, any other at the end, for its header holds the length. Throws `AppError`:
 * `bad-input` for a rate that the format does not have, `too-large` for over 20 minutes in a format
 * that is not streamable.
 */
export async function* encode(
  format: AudioFormat,
  sampleRateHz: number,
  pcm: AsyncIterable<Float32Array>,
): AsyncGenerator<Uint8Array, void, void> {
  if (!supportsRate(format, sampleRateHz))
    throw new AppError('bad-input', `${format} has no sample rate of ${sampleRateHz} Hz`, {
      sentence: { key: 'errors.audio.sample-rate', params: { format, rateHz: sampleRateHz } },
    });
  const encoder = await KINDS[format].create(sampleRateHz);
  try {
    for await (const slice of inSlices(pcm, sliceSamples(sampleRateHz))) {
      const bytes = encoder.push(slice);
      if (bytes.length > 0) yield bytes;
    }
    for (const bytes of encoder.end()) if (bytes.length > 0) yield bytes;
  } finally {
    encoder.free();
  }
}
