import type { OggVorbisDecoder } from '@wasm-audio-decoders/ogg-vorbis';
import type { ByteReader } from '../bytes.ts';
import { vorbisWeights } from '../channel-weights.ts';
import { damagedAudio } from '../errors.ts';
import type { OggPackets } from '../container/ogg-streams.ts';
import { readVorbis, type VorbisSetup } from '../container/ogg-vorbis.ts';
import { concatSamples, mixToMono, type Pcm, yieldTurn } from '../pcm.ts';

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
