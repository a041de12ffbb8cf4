import type { OggVorbisDecodedAudio } from '@wasm-audio-decoders/ogg-vorbis';
import type { ByteReader } from '../bytes.ts';
import { damagedAudio } from '../errors.ts';
import { readPages, writePage } from '../container/ogg-page.ts';
import { yieldTurn, mixToMono, type Pcm } from '../pcm.ts';

async function* toPcm(decoded: Promise<OggVorbisDecodedAudio>): AsyncGenerator<Pcm, void, void> {
  const { channelData, sampleRate } = await decoded.catch((cause: unknown) => {
    throw damagedAudio('Ogg Vorbis', cause);
  });
  const samples = mixToMono(channelData);
  if (samples.length > 0) yield { samples, sampleRateHz: sampleRate };
  else await yieldTurn();
}

/** Decodes an Ogg Vorbis file to mono. */
export async function* decodeVorbis(reader: ByteReader): AsyncGenerator<Pcm, void, void> {
  const { OggVorbisDecoder } = await import('@wasm-audio-decoders/ogg-vorbis');
  const decoder = new OggVorbisDecoder();
  await decoder.ready;
  try {
    // Whole pages: the parser behind the decoder looks at parts of one again and again.
    for await (const page of readPages(reader)) yield* toPcm(decoder.decode(writePage(page)));
    yield* toPcm(decoder.flush());
  } finally {
    decoder.free();
  }
}
