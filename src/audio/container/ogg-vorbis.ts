/** Reads the packets of Ogg Vorbis (Vorbis I specification, sections 4.2 and A.2). */
import { ascii, type ByteReader, viewOf } from '../bytes.ts';
import { type OggEnd, type OggPackets, readOggStreams } from './ogg-streams.ts';

/** The headers that a decoder needs before the first packet of audio. */
export interface VorbisSetup {
  readonly identification: Uint8Array;
  readonly setup: Uint8Array;
}

/** The headers of a stream, or the packets of audio of its next page. */
export type VorbisItem =
  | ({ readonly kind: 'setup' } & VorbisSetup)
  | ({ readonly kind: 'page' } & OggPackets);

const IDENTIFICATION_BYTES = 30;
const HIGHEST_RATE_HZ = 384_000;

/** True for the header of a stream that can be decoded. */
const isIdentification = (packet: Uint8Array): boolean => {
  if (packet.length < IDENTIFICATION_BYTES || ascii(packet, 0, 7) !== '\x01vorbis') return false;
  const view = viewOf(packet);
  const rateHz = view.getUint32(12, true);
  return (
    view.getUint32(7, true) === 0 && packet[11]! > 0 && rateHz > 0 && rateHz <= HIGHEST_RATE_HZ
  );
};

const isSetup = (packet: Uint8Array): boolean => ascii(packet, 0, 7) === '\x05vorbis';

/** True for a packet of audio; headers have an odd type (section 4.2.1). */
const isAudio = (packet: Uint8Array): boolean => packet.length > 0 && (packet[0]! & 1) === 0;

/**
 * Reads the Vorbis streams of an Ogg file, one after the other if they are chained. A stream whose
 * headers are damaged is left out. Throws as `readOggStreams`.
 */
export async function* readVorbis(reader: ByteReader): AsyncGenerator<VorbisItem, OggEnd, void> {
  let identification: Uint8Array | undefined;
  let isAfterLoss = false;
  const streams = readOggStreams(reader, isIdentification);
  for (;;) {
    const next = await streams.next();
    if (next.done) return next.value;
    const item = next.value;
    if (item.kind === 'stream') {
      identification = item.first;
      isAfterLoss = false;
      continue;
    }
    const setup = identification && item.packets.find(isSetup);
    if (identification && setup) {
      yield { kind: 'setup', identification, setup };
      identification = undefined;
    }
    const packets = item.packets.filter(isAudio);
    isAfterLoss ||= item.isAfterLoss;
    if (identification || packets.length === 0) continue;
    yield { ...item, packets, isAfterLoss };
    isAfterLoss = false;
  }
}
