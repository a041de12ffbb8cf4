import { ascii, viewOf } from '../bytes.ts';

/** The head of an Opus stream, which says how to play it (RFC 7845 section 5.1); Matroska has the same bytes. */
export interface OpusHead {
  readonly channels: number;
  /** Samples of 48 kHz to drop at the start. */
  readonly preSkipSamples: number;
  /** The rate of the recording, for information; packets are always on a clock of 48 kHz. */
  readonly inputRateHz: number;
  /** Output gain in steps of 1/256 dB. */
  readonly gain: number;
  /** The channel mapping family; 0 is mono or stereo in one stream. */
  readonly mappingFamily: number;
  /** Counts of streams and of coupled ones, then the place of each channel; empty for family 0. */
  readonly mapping: Uint8Array;
}

const MAGIC = 'OpusHead';
const FIXED_BYTES = 19;

/** Parses a head; undefined if the bytes are none of a known version. */
export const parseOpusHead = (bytes: Uint8Array): OpusHead | undefined => {
  if (bytes.length < FIXED_BYTES || ascii(bytes, 0, MAGIC.length) !== MAGIC) return undefined;
  const view = viewOf(bytes);
  const channels = bytes[9]!;
  if (bytes[8]! > 15 || channels === 0) return undefined;
  return {
    channels,
    preSkipSamples: view.getUint16(10, true),
    inputRateHz: view.getUint32(12, true),
    gain: view.getInt16(16, true),
    mappingFamily: bytes[18]!,
    mapping: bytes.subarray(FIXED_BYTES),
  };
};

/** True for mono and stereo in one stream, the packets of which every player knows. */
export const isOneStream = ({ channels, mapping, mappingFamily }: OpusHead): boolean =>
  channels <= 2 && (mappingFamily === 0 || mapping[0] === 1);

export const writeOpusHead = (head: OpusHead): Uint8Array => {
  const bytes = new Uint8Array(FIXED_BYTES + head.mapping.length);
  const view = viewOf(bytes);
  bytes.set(new TextEncoder().encode(MAGIC));
  bytes[8] = 1;
  bytes[9] = head.channels;
  view.setUint16(10, head.preSkipSamples, true);
  view.setUint32(12, head.inputRateHz, true);
  view.setInt16(16, head.gain, true);
  bytes[18] = head.mappingFamily;
  bytes.set(head.mapping, FIXED_BYTES);
  return bytes;
};
