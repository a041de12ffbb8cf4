import { ascii, viewOf } from '../bytes.ts';

/** Opus packets by their first byte (RFC 6716 section 3.1); durations are in samples of 48 kHz. */

export const OPUS_CLOCK_HZ = 48_000;

/** 20 ms of silence (CELT, mono), as voice clients send it. */
export const SILENCE_PACKET = Uint8Array.of(0xf8, 0xff, 0xfe);

/** Packets after which a decoder that begins inside a stream is within 23 dB of the audio. */
export const WARM_UP_PACKETS = 5;

/** Loudness that the voice bit adds where packets are compared by their bytes: more than any packet has. */
export const VOICE_WEIGHT = 1_500;

export const toMs = (samples: number): number => (samples * 1_000) / OPUS_CLOCK_HZ;

/** 20 ms of silence; a shorter packet of speech can be as small as what encoders make of it. */
const SILENCE_SAMPLES = 960;

/** True for a packet that is too small to hold anything but silence. */
export const isSilentPacket = (data: Uint8Array, samples: number): boolean =>
  samples >= SILENCE_SAMPLES && data.length <= SILENCE_PACKET.length;

/** The longest packet: 120 ms (RFC 6716 section 3.2.5). */
const LONGEST_PACKET_SAMPLES = 5_760;

/** Samples of a frame by mode, in the order of the configurations (RFC 6716 section 3.1, table 2). */
const FRAME_SAMPLES = {
  silk: [480, 960, 1_920, 2_880],
  hybrid: [480, 960],
  celt: [120, 240, 480, 960],
} as const;

export interface OpusToc {
  readonly mode: keyof typeof FRAME_SAMPLES;
  readonly frames: number;
  readonly frameSamples: number;
  /** The length of the whole packet. */
  readonly samples: number;
}

/** Parses the first byte alone; undefined for what is no Opus packet: empty, without frames, or over 120 ms. */
export const parseToc = (packet: Uint8Array): OpusToc | undefined => {
  const toc = packet[0];
  if (toc === undefined) return undefined;
  const config = toc >> 3;
  const code = toc & 3;
  const frames = code === 0 ? 1 : code < 3 ? 2 : (packet[1] ?? 0) & 0x3f;
  const mode = config < 12 ? 'silk' : config < 16 ? 'hybrid' : 'celt';
  const lengths = FRAME_SAMPLES[mode];
  const frameSamples = lengths[config % lengths.length]!;
  const samples = frames * frameSamples;
  if (samples === 0 || samples > LONGEST_PACKET_SAMPLES) return undefined;
  return { mode, frames, frameSamples, samples };
};

/**
 * The voice bit that the SILK layer writes for its first frame: the first bit after the TOC of a
 * packet with one frame (RFC 6716 section 4.2.3; the range coder keeps it in the top bit).
 * There is none (undefined) in CELT, and where a packet holds several frames.
 */
export const voiceBit = (packet: Uint8Array): boolean | undefined => {
  const toc = packet[0];
  const data = packet[1];
  if (toc === undefined || (toc & 0x80) !== 0 || (toc & 3) !== 0) return undefined;
  return data === undefined ? false : (data & 0x80) !== 0;
};

/** A packet without data of `like`'s kind: decoders conceal one lost frame with it. */
export const concealmentPacket = (like: Uint8Array): Uint8Array =>
  Uint8Array.of((like[0] ?? 0) & 0xfc);

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
