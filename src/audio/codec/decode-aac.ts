import type { AacFrame } from '../container/adts.ts';
import type { Mp4Edit } from '../container/mp4-box.ts';
import { type AudioKind, damagedAudio, unsupportedAudio, unsupportedForm } from '../bytes.ts';
import { concatSamples, yieldTurn, mixToMono, type Pcm, sliceSamples } from '../pcm.ts';

const SBR = 5;
const PARAMETRIC_STEREO = 29;
const ESCAPE = 31;

/** Audio object types that the decoder has: Main, LC, LTP, with SBR, ER LC, ER LTP and LD. */
const DECODED: ReadonlySet<number> = new Set([1, 2, 4, SBR, 17, 19, 23]);

const NAMES: Readonly<Record<number, AudioKind>> = {
  3: 'AAC-SSR',
  6: 'AAC Scalable',
  20: 'AAC Scalable',
  32: ['MP4', 'MP1'],
  33: ['MP4', 'MP2'],
  34: ['MP4', 'MP3'],
  36: 'MPEG-4 ALS',
  39: 'AAC-ELD',
  42: 'xHE-AAC',
};

/** The audio object type (ISO 14496-3, 1.6.2.1): five bits, or six more where those are all set. */
const objectTypeOf = (config: Uint8Array): number => {
  const [first = 0, second = 0] = config;
  const type = first >> 3;
  return type === ESCAPE ? 32 + (((first & 0x07) << 3) | (second >> 5)) : type;
};

/**
 * The configuration as the decoder takes it. HE-AAC v2 that is signalled explicitly becomes HE-AAC: the
 * rest of the bytes is the same, and the decoder finds parametric stereo by itself. Throws
 * `unsupported` for object types that the decoder does not have.
 */
const decoderConfig = (config: Uint8Array): Uint8Array => {
  const type = objectTypeOf(config);
  if (DECODED.has(type)) return config;
  if (type !== PARAMETRIC_STEREO) {
    const kind = NAMES[type];
    throw kind ? unsupportedAudio(kind) : unsupportedForm('AAC');
  }
  const plain = Uint8Array.from(config);
  plain[0] = (SBR << 3) | (config[0]! & 0x07);
  return plain;
};

/** The delay of the filter banks of SBR, in samples of its output (offset of Apple's HE-AAC to its source). */
const SBR_DELAY_SAMPLES = 962;
/** The most samples of a unit without SBR. */
const PLAIN_UNIT_SAMPLES = 1_024;

/** Creates the window of `edit` on a stream; without one everything is inside. */
const createAacWindow = (edit: Mp4Edit | undefined) => {
  let at: number | undefined;
  let end = Infinity;
  return {
    /** Takes the next unit's samples; returns those inside the window. */
    cut: (samples: Float32Array, sampleRateHz: number): Float32Array => {
      if (!edit) return samples;
      // The decoder keeps its first unit back, and so begins with the second.
      at ??= samples.length - (samples.length > PLAIN_UNIT_SAMPLES ? SBR_DELAY_SAMPLES : 0);
      const start = Math.round(edit.startSeconds * sampleRateHz);
      end = Math.round(edit.endSeconds * sampleRateHz);
      const heard = samples.subarray(Math.max(0, start - at), Math.max(0, end - at));
      at += samples.length;
      return heard;
    },
    /** True when everything that follows is outside the window. */
    isOver: (): boolean => at !== undefined && at >= end,
  };
};

type AacDecoder = Awaited<ReturnType<(typeof import('@audio/decode-aac'))['decoder']>>;

/** Loads the decoder, which is an optional package: see `docs/decisions/003-audio.md`. */
const createDecoder = async (config: Uint8Array): Promise<AacDecoder> => {
  const asc = decoderConfig(config);
  const library = await import('@audio/decode-aac').catch(() => undefined);
  if (!library) throw unsupportedAudio('AAC');
  try {
    return await library.decoder({ asc });
  } catch (cause) {
    throw damagedAudio('the AAC configuration', cause);
  }
};

/**
 * Access units in a row that may fail to decode: ten seconds are more than damage; each costs 0.2
 * ms.
 */
const MOST_FAILURES = 500;

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && a.every((byte, i) => byte === b[i]);

/**
 * Decodes AAC access units to mono, cut to `edit`; a unit that cannot be decoded is passed over.
 * Throws `bad-input` after many of those in a row.
 */
export async function* decodeAac(
  frames: AsyncIterable<AacFrame>,
  edit?: Mp4Edit,
): AsyncGenerator<Pcm, void, void> {
  const window = createAacWindow(edit);
  let decoder: AacDecoder | undefined;
  let config: Uint8Array | undefined;
  let batch: Float32Array[] = [];
  let batchSamples = 0;
  let sampleRateHz = 0;
  let failures = 0;
  const takeBatch = (): Pcm => {
    const samples = concatSamples(batch);
    batch = [];
    batchSamples = 0;
    return { samples, sampleRateHz };
  };
  const decodeUnit = (unit: Uint8Array): ReturnType<AacDecoder['decode']> | undefined => {
    try {
      return decoder?.decode(unit);
    } catch {
      return undefined;
    }
  };
  try {
    for await (const frame of frames) {
      if (!config || !sameBytes(config, frame.config)) {
        decoder?.free();
        decoder = undefined;
        decoder = await createDecoder(frame.config);
        ({ config } = frame);
      }
      const audio = decodeUnit(frame.unit);
      if (!audio || audio.channelData.length === 0) {
        failures += 1;
        if (failures > MOST_FAILURES) throw damagedAudio('AAC access units');
        await yieldTurn();
        continue;
      }
      failures = 0;
      if (audio.sampleRate !== sampleRateHz && batchSamples > 0) yield takeBatch();
      sampleRateHz = audio.sampleRate;
      const mono = window.cut(mixToMono(audio.channelData), sampleRateHz);
      batch.push(mono);
      batchSamples += mono.length;
      if (batchSamples >= sliceSamples(sampleRateHz)) yield takeBatch();
      if (window.isOver()) break;
    }
    if (batchSamples > 0) yield takeBatch();
  } finally {
    decoder?.free();
  }
}
