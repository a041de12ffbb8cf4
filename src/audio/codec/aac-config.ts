/** Reads the AudioSpecificConfig of AAC (ISO 14496-3 section 1.6.2.1). */
import { unsupportedAudio } from '../errors.ts';

const SBR = 5;
const PARAMETRIC_STEREO = 29;
const ESCAPE = 31;

/** Audio object types that the decoder has: Main, LC, LTP, with SBR, ER LC, ER LTP and LD. */
const DECODED: ReadonlySet<number> = new Set([1, 2, 4, SBR, 17, 19, 23]);

const NAMES: Readonly<Record<number, string>> = {
  3: 'AAC-SSR',
  6: 'AAC Scalable',
  20: 'AAC Scalable',
  32: 'MP4 with MP1',
  33: 'MP4 with MP2',
  34: 'MP4 with MP3',
  36: 'MPEG-4 ALS',
  39: 'AAC-ELD',
  42: 'xHE-AAC',
};

/** The audio object type: five bits, or six more where those are all set. */
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
export const decoderConfig = (config: Uint8Array): Uint8Array => {
  const type = objectTypeOf(config);
  if (DECODED.has(type)) return config;
  if (type !== PARAMETRIC_STEREO) throw unsupportedAudio(NAMES[type] ?? 'this kind of AAC');
  const plain = Uint8Array.from(config);
  plain[0] = (SBR << 3) | (config[0]! & 0x07);
  return plain;
};
