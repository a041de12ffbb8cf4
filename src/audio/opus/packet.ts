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

const SILK_FRAMES = [480, 960, 1_920, 2_880];
const HYBRID_FRAMES = [480, 960];
const CELT_FRAMES = [120, 240, 480, 960];

export interface OpusToc {
  readonly mode: 'silk' | 'hybrid' | 'celt';
  readonly stereo: boolean;
  readonly frames: number;
  readonly frameSamples: number;
  /** The length of the whole packet. */
  readonly samples: number;
}

const frameSamplesOf = (config: number): number =>
  (config < 12
    ? SILK_FRAMES[config % 4]
    : config < 16
      ? HYBRID_FRAMES[config % 2]
      : CELT_FRAMES[config % 4])!;

/** Parses the first byte; undefined for what is no Opus packet: empty, without frames, or over 120 ms. */
export const parseToc = (packet: Uint8Array): OpusToc | undefined => {
  const toc = packet[0];
  if (toc === undefined) return undefined;
  const config = toc >> 3;
  const code = toc & 3;
  const frames = code === 0 ? 1 : code < 3 ? 2 : (packet[1] ?? 0) & 0x3f;
  const frameSamples = frameSamplesOf(config);
  const samples = frames * frameSamples;
  if (samples === 0 || samples > LONGEST_PACKET_SAMPLES) return undefined;
  const mode = config < 12 ? 'silk' : config < 16 ? 'hybrid' : 'celt';
  return { mode, stereo: (toc & 4) !== 0, frames, frameSamples, samples };
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
