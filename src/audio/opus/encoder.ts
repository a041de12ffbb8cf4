import { createSemaphore } from '../../async/locks.ts';
import { createRequire } from 'node:module';
import type OpusScript from 'opusscript';
import { AppError } from '../../errors.ts';
import { toS16le } from '../pcm.ts';

type Library = typeof OpusScript;
type Instance = InstanceType<Library>;

/** The bit rate: without one libopus falls to 26 kbit/s and costs three times the CPU. */
const BITS_PER_SECOND = 64_000;
/** `OPUS_SET_COMPLEXITY_REQUEST` of `opus_defines.h`. */
const SET_COMPLEXITY = 4010;
const COMPLEXITY = 5;

const requireCommonJs = createRequire(import.meta.url);

/** The one WebAssembly module of all encoders, loaded when it is first needed. */
let loaded: Library | undefined;

const load = (): Library => (loaded ??= requireCommonJs('opusscript') as Library);

/**
 * Runs a step of the codec; a failure becomes an `AppError`. A module in which something failed may
 * have corrupt memory, so the next encoder gets a fresh one.
 */
const run = <Result>(library: Library, step: () => Result): Result => {
  try {
    return step();
  } catch (cause) {
    if (loaded === library) {
      loaded = undefined;
      delete requireCommonJs.cache[requireCommonJs.resolve('opusscript')];
    }
    throw new AppError('internal', 'the Opus encoder failed', { cause });
  }
};

/** The library's buffer for 16-bit samples; each of their bytes takes a word of its own. */
interface InputBuffer {
  inPCM: Uint16Array;
  readonly inPCMPointer: number;
  readonly inPCMLength: number;
}

/**
 * Points the input buffer at the memory that was allocated for it: opusscript 0.1.1 takes the
 * address for an index of 16-bit words, and so writes to twice the address, into memory of other
 * buffers.
 */
const correctInputBuffer = (instance: Instance): void => {
  const input = instance as unknown as InputBuffer;
  input.inPCM = new Uint16Array(input.inPCM.buffer, input.inPCMPointer, input.inPCMLength / 2);
};

const createInstance = (library: Library, sampleRateHz: number): Instance => {
  const instance = new library(sampleRateHz as 48_000, 1, library.Application.AUDIO);
  try {
    correctInputBuffer(instance);
    instance.setBitrate(BITS_PER_SECOND);
    instance.encoderCTL(SET_COMPLEXITY, COMPLEXITY);
    return instance;
  } catch (error) {
    instance.delete();
    throw error;
  }
};

export type FrameEncoder = ReturnType<typeof createFrameEncoder>;

/**
 * Creates an encoder of one frame of 20 ms after the other into mono Opus packets, with opusscript.
 * Throws `AppError` `internal`.
 *
 * @param sampleRateHz one of the rates of Opus
 */
export const createFrameEncoder = (sampleRateHz: number) => {
  const library = load();
  const instance = run(library, () => createInstance(library, sampleRateHz));
  let isFreed = false;
  return {
    /**
     * Encodes a frame. Throws `AppError` `internal` if the codec fails; the encoder must then be
     * freed.
     */
    encode: (frame: Float32Array): Uint8Array => {
      const samples = Buffer.from(toS16le(frame).buffer);
      return run(library, () => instance.encode(samples, frame.length));
    },
    /** Gives back the codec's memory; nothing may be called afterwards. Never throws. */
    free: (): void => {
      if (isFreed) return;
      isFreed = true;
      try {
        run(library, () => instance.delete());
      } catch {
        // The failed module is abandoned with all its memory.
      }
    },
  };
};

/** The rates that Opus takes (RFC 6716 section 2), lowest first. */
export const OPUS_RATES: readonly number[] = [8_000, 12_000, 16_000, 24_000, 48_000];

/** The lowest rate of Opus that keeps all that audio at `sampleRateHz` can hold, up to 48 kHz. */
export const opusRateFor = (sampleRateHz: number): number =>
  OPUS_RATES.find((rate) => rate >= sampleRateHz) ?? 48_000;

/** Encoders that may be alive in the process; each takes some 100 KB. */
const MOST_ENCODERS = 16;

/** A permit for each encoder that is alive. */
export const encoderLimit = createSemaphore(MOST_ENCODERS);

const PACKETS_PER_SECOND = 50;
/** `OPUS_GET_LOOKAHEAD`: 6.5 ms at every rate with `OPUS_APPLICATION_AUDIO`; opusscript cannot ask. */
const LOOKAHEAD_MS = 6.5;

type PacketEncoder = ReturnType<typeof createEncoder>;

/** Makes mono Opus packets of 20 ms. */
const createEncoder = (sampleRateHz: number, permit: Disposable) => {
  using owned = new DisposableStack();
  owned.use(permit);
  const encoder = createFrameEncoder(sampleRateHz);
  owned.defer(() => encoder.free());
  const frameSamples = sampleRateHz / PACKETS_PER_SECOND;
  const lookaheadSamples = (sampleRateHz * LOOKAHEAD_MS) / 1_000;
  const frame = new Float32Array(frameSamples);
  let filled = 0;
  let hasAudio = false;

  /**
   * Takes a slice of at most a quarter of a second; returns the packets that are complete by now.
   * Throws `AppError` `internal` if the codec fails.
   */
  const push = (samples: Float32Array): Uint8Array[] => {
    const packets: Uint8Array[] = [];
    for (let from = 0; from < samples.length;) {
      const part = samples.subarray(from, from + frameSamples - filled);
      frame.set(part, filled);
      filled += part.length;
      from += part.length;
      if (filled < frameSamples) continue;
      packets.push(encoder.encode(frame));
      filled = 0;
    }
    hasAudio ||= samples.length > 0;
    return packets;
  };

  const resources = owned.move();
  return {
    /** The delay from input to output, at the encoder's rate. */
    lookaheadSamples,
    push,
    /** The rest: silence is added until the last sample is heard. Throws as `push`. */
    end: (): Uint8Array[] => {
      if (!hasAudio) return [];
      const frames = Math.ceil((filled + lookaheadSamples) / frameSamples);
      return push(new Float32Array(frames * frameSamples - filled));
    },
    /** Gives back the codec's memory and the permit; nothing may be called afterwards. Never throws. */
    free: (): void => resources.dispose(),
  };
};

/**
 * Creates an encoder once fewer than 16 are alive. Throws the reason of `signal`, and `AppError`
 * `internal` if the codec cannot be started.
 *
 * @param sampleRateHz one of `OPUS_RATES`
 */
export const createPacketEncoder = async (
  sampleRateHz: number,
  signal?: AbortSignal,
): Promise<PacketEncoder> => createEncoder(sampleRateHz, await encoderLimit.acquire(signal));

/** An encoder, or undefined where 16 are alive. Throws as `createPacketEncoder`. */
export const tryCreatePacketEncoder = (sampleRateHz: number): PacketEncoder | undefined => {
  const permit = encoderLimit.tryAcquire();
  return permit && createEncoder(sampleRateHz, permit);
};
