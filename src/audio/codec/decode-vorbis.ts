import type { OggVorbisDecoder } from '@wasm-audio-decoders/ogg-vorbis';
import { type ByteReader, ascii, viewOf, damagedAudio } from '../bytes.ts';
import { vorbisWeights, concatSamples, mixToMono, type Pcm, yieldTurn } from '../pcm.ts';
import { type OggPackets, type OggEnd, readOggStreams } from '../container/ogg-streams.ts';

/** The headers that a decoder needs before the first packet of audio. */
interface VorbisSetup {
  readonly identification: Uint8Array;
  readonly setup: Uint8Array;
}

/** The headers of a stream, or the packets of audio of its next page. */
type VorbisItem =
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
async function* readVorbis(reader: ByteReader): AsyncGenerator<VorbisItem, OggEnd, void> {
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

type LibraryPages = Parameters<OggVorbisDecoder['decodeOggPages']>[0];

/** Packets decoded between two turns of the event loop: of the longest blocks they take 2 ms. */
const BATCH_PACKETS = 8;

/** Creates a decoder of one stream's packets. */
const createDecoder = async ({ identification, setup }: VorbisSetup) => {
  const { OggVorbisDecoder } = await import('@wasm-audio-decoders/ogg-vorbis');
  const decoder = new OggVorbisDecoder();
  await decoder.ready;
  return {
    decode: async (packets: readonly Uint8Array[]): Promise<Pcm> => {
      // The library's own parser joins what belongs to different streams, or to lost pages.
      const codecFrames = packets.map((data) => ({ data, header: { vorbisSetup: setup } }));
      const pages = [{ data: identification, codecFrames }] as unknown as LibraryPages;
      const decoded = await decoder.decodeOggPages(pages).catch((cause: unknown) => {
        throw damagedAudio('Ogg Vorbis', cause);
      });
      const { channelData, sampleRate } = decoded;
      const samples = mixToMono(channelData, vorbisWeights(channelData.length));
      return { samples, sampleRateHz: sampleRate };
    },
    free: () => decoder.free(),
  };
};

type StreamDecoder = Awaited<ReturnType<typeof createDecoder>>;

/** Decodes the packets of a page; the first after a loss overlaps what was lost and is not heard. */
const decodePage = async (
  decoder: StreamDecoder,
  { packets, isAfterLoss }: OggPackets,
): Promise<Pcm> => {
  if (isAfterLoss) await decoder.decode(packets.slice(0, 1));
  const parts: Float32Array[] = [];
  let sampleRateHz = 0;
  for (let at = isAfterLoss ? 1 : 0; at < packets.length; at += BATCH_PACKETS) {
    const pcm = await decoder.decode(packets.slice(at, at + BATCH_PACKETS));
    parts.push(pcm.samples);
    ({ sampleRateHz } = pcm);
    await yieldTurn();
  }
  return { samples: concatSamples(parts), sampleRateHz };
};

/**
 * Creates a function that cuts what a stream's encoder added: of its last page the end, of its
 * first page the start, where granules leave less than was decoded (Vorbis I, section A.2).
 */
const createTrimmer = () => {
  let granuleBefore: number | undefined;
  let isFirst = true;
  return (samples: Float32Array, page: OggPackets): Float32Array => {
    const before = page.isAfterLoss ? undefined : isFirst ? 0 : granuleBefore;
    const extra =
      before === undefined || page.granule < 0 ? 0 : samples.length - (page.granule - before);
    const isCut = extra > 0 && extra <= samples.length && (page.isLast || isFirst);
    granuleBefore = page.granule < 0 ? undefined : page.granule;
    isFirst = false;
    if (!isCut) return samples;
    return page.isLast ? samples.subarray(0, samples.length - extra) : samples.subarray(extra);
  };
};

/** Decodes an Ogg Vorbis file to mono. */
export async function* decodeVorbis(reader: ByteReader): AsyncGenerator<Pcm, void, void> {
  let decoder: StreamDecoder | undefined;
  let trim = createTrimmer();
  try {
    for await (const item of readVorbis(reader)) {
      if (item.kind === 'setup') {
        decoder?.free();
        decoder = undefined;
        decoder = await createDecoder(item);
        await yieldTurn();
        trim = createTrimmer();
      } else if (decoder) {
        const { samples, sampleRateHz } = await decodePage(decoder, item);
        const heard = trim(samples, item);
        if (heard.length > 0) yield { samples: heard, sampleRateHz };
      }
    }
  } finally {
    decoder?.free();
  }
}
