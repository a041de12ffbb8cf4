import type { SampleRate } from 'libopus-wasm';
import { createSemaphore } from '../../async/semaphore.ts';

/** The rates that Opus takes (RFC 6716 section 2), lowest first. */
export const OPUS_RATES: readonly number[] = [8_000, 12_000, 16_000, 24_000, 48_000];

/** The lowest rate of Opus that keeps all that sound at `sampleRateHz` can hold, up to 48 kHz. */
export const opusRateFor = (sampleRateHz: number): number =>
  OPUS_RATES.find((rate) => rate >= sampleRateHz) ?? 48_000;

/** Encoders for what is played that may be alive in the process; each takes some 100 KB. */
const MOST_ENCODERS = 16;

/** A permit for each encoder that is alive. */
export const encoderLimit = createSemaphore(MOST_ENCODERS);

const PACKETS_PER_SECOND = 50;
/** Without a bit rate libopus falls to 26 kbit/s and costs three times the CPU. */
const BITS_PER_SECOND = 64_000;
const COMPLEXITY = 5;

/** Makes mono Opus packets of 20 ms. */
export interface PacketEncoder {
  /** What comes out is so much later than what went in, at the encoder's rate. */
  readonly lookaheadSamples: number;
  /** Takes a slice of at most a quarter of a second; returns the packets that are complete by now. */
  push(samples: Float32Array): Uint8Array[];
  /** The rest: silence is added until the last sample is heard. */
  end(): Uint8Array[];
  /** Gives back the codec's memory; nothing may be called afterwards. */
  free(): void;
}

/** @param sampleRateHz one of `OPUS_RATES` */
export const createPacketEncoder = async (sampleRateHz: number): Promise<PacketEncoder> => {
  const frameSamples = sampleRateHz / PACKETS_PER_SECOND;
  const { Application, createEncoder } = await import('libopus-wasm');
  const encoder = await createEncoder({
    sampleRate: sampleRateHz as SampleRate,
    channels: 1,
    frameSize: frameSamples,
    application: Application.Audio,
    bitrate: BITS_PER_SECOND,
    complexity: COMPLEXITY,
  });
  const lookaheadSamples = encoder.getLookahead();
  const frame = new Float32Array(frameSamples);
  let filled = 0;
  let hasSound = false;

  const push = (samples: Float32Array): Uint8Array[] => {
    const packets: Uint8Array[] = [];
    for (let from = 0; from < samples.length;) {
      const part = samples.subarray(from, from + frameSamples - filled);
      frame.set(part, filled);
      filled += part.length;
      from += part.length;
      if (filled < frameSamples) continue;
      packets.push(encoder.encodeFloat(frame));
      filled = 0;
    }
    hasSound ||= samples.length > 0;
    return packets;
  };

  return {
    lookaheadSamples,
    push,
    end: () => {
      if (!hasSound) return [];
      const frames = Math.ceil((filled + lookaheadSamples) / frameSamples);
      return push(new Float32Array(frames * frameSamples - filled));
    },
    free: () => encoder.free(),
  };
};
