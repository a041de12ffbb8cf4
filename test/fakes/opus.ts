/** Opus packets made and decoded by the libraries alone, one stream at a time. */
import { createRequire } from 'node:module';
import { createDecoder, type OpusDecoderHandle } from 'libopus-wasm';
import type OpusScript from 'opusscript';
import { concatSamples, toS16le } from '../../src/audio/pcm.ts';

const requireCommonJs = createRequire(import.meta.url);

/** The module of all encoders; after one of them failed it is another one. */
export const encoderLibrary = (): typeof OpusScript =>
  requireCommonJs('opusscript') as typeof OpusScript;

/** The methods of all decoders, whose class their module keeps to itself. */
export const decoderMethods = async (): Promise<OpusDecoderHandle> => {
  using decoder = await createDecoder();
  return Object.getPrototypeOf(decoder) as OpusDecoderHandle;
};

/** The names of `opus_defines.h`. */
export const APPLICATION = { voip: 2048, audio: 2049, lowDelay: 2051 } as const;
export const WIDEBAND = 1103;
const SET_MAX_BANDWIDTH = 4004;
const SET_VBR = 4006;
const SET_COMPLEXITY = 4010;

export interface OpusEncoding {
  readonly application?: number;
  readonly bitrate?: number;
  readonly channels?: 1 | 2;
  /** Samples of 48 kHz in a packet; default 960. */
  readonly frameSize?: number;
  readonly maxBandwidth?: number;
  readonly vbr?: boolean;
}

const interleaved = (samples: Float32Array, channels: number): Float32Array =>
  channels === 1
    ? samples
    : new Float32Array(samples.length * channels).map(
        (_, at) => samples[Math.floor(at / channels)]!,
      );

/** Packets of mono samples at 48 kHz, equal in all channels. A rest shorter than a packet is left out. */
export const encodePackets = (samples: Float32Array, options: OpusEncoding = {}): Uint8Array[] => {
  const { application = APPLICATION.audio, bitrate = 64_000, channels = 1 } = options;
  const { frameSize = 960, maxBandwidth, vbr } = options;
  const encoder = new (encoderLibrary())(48_000, channels, application);
  encoder.setBitrate(bitrate);
  encoder.encoderCTL(SET_COMPLEXITY, 10);
  if (maxBandwidth !== undefined) encoder.encoderCTL(SET_MAX_BANDWIDTH, maxBandwidth);
  if (vbr !== undefined) encoder.encoderCTL(SET_VBR, vbr ? 1 : 0);
  try {
    return Array.from({ length: Math.floor(samples.length / frameSize) }, (_, frame) => {
      const mono = samples.subarray(frame * frameSize, (frame + 1) * frameSize);
      const bytes = Buffer.from(toS16le(interleaved(mono, channels)).buffer);
      return new Uint8Array(encoder.encode(bytes, frameSize));
    });
  } finally {
    encoder.delete();
  }
};

/** Mono samples of the packets of one stream. */
export const decodePackets = async (
  packets: readonly Uint8Array[],
  sampleRate: 8_000 | 12_000 | 16_000 | 24_000 | 48_000,
): Promise<Float32Array> => {
  using decoder = await createDecoder({ sampleRate, channels: 1 });
  // Each is decoded into the same memory.
  const parts = packets.map((packet) => decoder.decodeFloat(packet).slice());
  return concatSamples(parts);
};
