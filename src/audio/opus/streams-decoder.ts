import { damagedAudio, unsupportedForm } from '../bytes.ts';
import { equalWeights, vorbisWeights } from '../pcm.ts';
import { type OpusHead, OPUS_CLOCK_HZ, parseToc } from './packet.ts';
import { packetOf, splitStreams } from './layout.ts';

/** Decodes the packets of one Opus stream, in order, to mono. */
export type PacketDecoder = Awaited<ReturnType<typeof createPacketDecoder>>;

/**
 * Creates a decoder.
 *
 * @param sampleRateHz one of the rates of Opus
 */
export const createPacketDecoder = async (sampleRateHz: number) => {
  const { createDecoder } = await import('libopus-wasm');
  const decoder = await createDecoder({ sampleRate: sampleRateHz as 48_000, channels: 1 });
  return {
    /** Decodes a packet; undefined, without any effect, for one that no decoder takes. */
    decode: (packet: Uint8Array): Float32Array | undefined => {
      try {
        return decoder.decodeFloat(packet);
      } catch {
        return undefined;
      }
    },
    /** Gives back the codec's memory; nothing may be called afterwards. */
    free: (): void => decoder.free(),
  };
};

/** Decodes the packets of a file, of one stream or of several, to mono. */
export type StreamsDecoder = Awaited<ReturnType<typeof createStreamsDecoder>>;

/** Channel mapping families whose channels are sounds: mono and stereo, the order of Vorbis, no order. */
const MAPPING_FAMILIES: ReadonlySet<number> = new Set([0, 1, 255]);
const LOST_FRAME = new Uint8Array(0);
/** Most streams that are decoded: each takes the time of a whole file. */
const MOST_STREAMS = 16;
/** The index of a channel that is silent. */
const SILENT = 255;

/** The parts that each stream has in the mono mix; both channels of a stereo stream count alike. */
const streamWeights = ({ channels, mapping, mappingFamily }: OpusHead): number[] => {
  const [streams = 0, coupled = 0, ...places] = mapping;
  const isUsable = (place: number): boolean => place < streams + coupled || place === SILENT;
  if (streams === 0 || coupled > streams || places.length < channels || !places.every(isUsable))
    throw damagedAudio('an Opus channel mapping');
  if (streams > MOST_STREAMS) throw unsupportedForm('Opus', 'with very many channels');
  const weights = mappingFamily === 1 ? vorbisWeights(channels) : equalWeights(channels);
  const parts = Array.from({ length: streams }, () => 0);
  for (const [channel, weight] of weights.entries()) {
    const place = places[channel]!;
    const stream = place < 2 * coupled ? place >> 1 : place - coupled;
    if (place !== SILENT) parts[stream]! += weight;
  }
  return parts;
};

const lostPacket = (packet: Uint8Array): Uint8Array => {
  const frames = Array.from({ length: parseToc(packet)?.frames ?? 0 }, () => LOST_FRAME);
  return packetOf(packet[0]!, frames);
};

const decodeOrConceal = (decoder: PacketDecoder, packet: Uint8Array): Float32Array | undefined =>
  decoder.decode(packet) ?? decoder.decode(lostPacket(packet));

/**
 * Creates the decoder of what `head` describes. Throws `AppError`: `unsupported` for mappings other
 * than those of RFC 7845 section 5.1.1 and for over 16 streams, `bad-input` for impossible ones.
 *
 * @param sampleRateHz one of the rates of Opus
 */
export const createStreamsDecoder = async (head: OpusHead, sampleRateHz: number) => {
  if (!MAPPING_FAMILIES.has(head.mappingFamily)) throw unsupportedForm('Opus');
  const weights = head.mappingFamily === 0 ? [1] : streamWeights(head);
  // What is not heard, such as low-frequency effects, is not decoded.
  const heard = weights.flatMap((weight, stream) => (weight > 0 ? [{ weight, stream }] : []));
  const decoders = await Promise.all(
    heard.map(async (part) => ({ ...part, decoder: await createPacketDecoder(sampleRateHz) })),
  );
  return {
    /** Decodes a packet; what cannot be decoded is concealed, so that what follows keeps its time. */
    decode: (packet: Uint8Array): Float32Array => {
      const samples = ((parseToc(packet)?.samples ?? 0) * sampleRateHz) / OPUS_CLOCK_HZ;
      const lost = (): Uint8Array[] => weights.map(() => lostPacket(packet));
      const packets =
        weights.length === 1 ? [packet] : (splitStreams(packet, weights.length) ?? lost());
      const mono = new Float32Array(samples);
      for (const { decoder, stream, weight } of decoders) {
        const part = decodeOrConceal(decoder, packets[stream]!) ?? [];
        for (let i = 0; i < mono.length; i += 1) mono[i]! += weight * (part[i] ?? 0);
      }
      return mono;
    },
    free: (): void => decoders.forEach(({ decoder }) => decoder.free()),
  };
};
