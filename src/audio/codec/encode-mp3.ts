import type { WasmMediaEncoder } from 'wasm-media-encoders';
import { type EncoderKind, NO_BYTES } from './encoder.ts';

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
