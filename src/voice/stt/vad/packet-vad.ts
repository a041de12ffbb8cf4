import { type OpusToc, voiceBit } from '../../../audio/opus/packet.ts';

/** What a packet tells of itself without being decoded; `empty`: it is too small for any sound. */
export type PacketVad = 'voice' | 'no-voice' | 'empty' | 'unknown';

/** What encoders make of 20 ms of silence, `F8 FF FE` among it. */
const SILENT_PACKET_BYTES = 3;
const SILENT_PACKET_SAMPLES = 960;
/** RFC 6716 section 3.4: a frame of at most one byte stands for nothing that is to be heard. */
const EMPTY_PACKET_BYTES = 2;

/** SILK frames are 20 ms; a packet's frame of 40 or 60 ms has a voice bit for each, one after another. */
const SILK_FRAME_SAMPLES = 960;

const anyVoiceBit = (data: Uint8Array, { frameSamples }: OpusToc): boolean => {
  const bits = Math.max(1, frameSamples / SILK_FRAME_SAMPLES);
  const mask = 0xff & ~(0xff >> bits);
  return ((data[1] ?? 0) & mask) !== 0;
};

/** `toc` is the packet's own. Unknown: CELT, and SILK with several frames in a packet. */
export const packetVad = (data: Uint8Array, toc: OpusToc): PacketVad => {
  if (data.length <= EMPTY_PACKET_BYTES) return 'empty';
  if (data.length <= SILENT_PACKET_BYTES && toc.samples >= SILENT_PACKET_SAMPLES) return 'empty';
  if (voiceBit(data) === undefined) return 'unknown';
  return anyVoiceBit(data, toc) ? 'voice' : 'no-voice';
};
