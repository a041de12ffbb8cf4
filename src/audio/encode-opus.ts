import type { SampleRate } from 'libopus-wasm';
import { concatBytes } from './bytes.ts';
import type { EncoderKind } from './encoder.ts';
import { createOggOpusWriter } from './ogg-writer.ts';
import { OPUS_CLOCK_HZ } from './opus.ts';

const RATES: readonly number[] = [8_000, 12_000, 16_000, 24_000, 48_000];
const PACKETS_PER_SECOND = 50;
/** Without a bit rate libopus falls to 26 kbit/s and costs three times the CPU. */
const BITS_PER_SECOND = 64_000;
const COMPLEXITY = 5;
/** A page of 0.2 s: a listener starts that much sooner than with the usual second. */
const PACKETS_PER_PAGE = 10;

export const oggOpus: EncoderKind = {
  streamable: true,
  supportsRate: (sampleRateHz) => RATES.includes(sampleRateHz),
  create: async (sampleRateHz) => {
    const frameSamples = sampleRateHz / PACKETS_PER_SECOND;
    const clocks = OPUS_CLOCK_HZ / sampleRateHz;
    const { Application, createEncoder } = await import('libopus-wasm');
    const encoder = await createEncoder({
      sampleRate: sampleRateHz as SampleRate,
      channels: 1,
      frameSize: frameSamples,
      application: Application.Audio,
      bitrate: BITS_PER_SECOND,
      complexity: COMPLEXITY,
    });
    const lookahead = encoder.getLookahead();
    const writer = createOggOpusWriter({
      inputRateHz: sampleRateHz,
      preSkipSamples: lookahead * clocks,
      packetsPerPage: PACKETS_PER_PAGE,
    });
    const frame = new Float32Array(frameSamples);
    let filled = 0;
    let given = 0;

    const push = (samples: Float32Array): Uint8Array => {
      const out: Uint8Array[] = [];
      for (let from = 0; from < samples.length;) {
        const part = samples.subarray(from, from + frameSamples - filled);
        frame.set(part, filled);
        filled += part.length;
        from += part.length;
        if (filled < frameSamples) continue;
        out.push(writer.push(encoder.encodeFloat(frame)));
        filled = 0;
      }
      given += samples.length;
      return concatBytes(out);
    };

    return {
      push,
      end: () => {
        const heard = given;
        // The codec gives each sample back `lookahead` later; what then is too much is cut off.
        const missing = Math.ceil((heard + lookahead) / frameSamples) * frameSamples - heard;
        const rest = heard > 0 ? push(new Float32Array(missing)) : new Uint8Array(0);
        return [rest, writer.end(heard * clocks)];
      },
      free: () => encoder.free(),
    };
  },
};
