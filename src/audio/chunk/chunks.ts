import type { ByteSource } from '../../model/file.ts';
import { bytesSource } from '../bytes.ts';
import { decodeTo } from '../codec/decode.ts';
import { encode } from '../codec/encode.ts';
import { damagedAudio } from '../faults.ts';
import { opusItemsOf, openAudio } from '../container/open.ts';
import { cutPackets } from './opus-chunks.ts';
import { cutSound } from './pcm-chunks.ts';
import type { Container } from '../container/sniff.ts';
import { VAD_RATE_HZ } from '../vad.ts';

/** A part of a file that can be sent to the recogniser by itself. */
export interface AudioChunk {
  readonly startMs: number;
  readonly durationMs: number;
  /** A whole WAV, OGG, MP3 or FLAC file. */
  readonly audio: ByteSource;
}

export interface ChunkOptions {
  /** Default 60 s; at least 1 s. */
  readonly longestMs?: number;
}

const LONGEST_MS = 60_000;
const SHORTEST_MS = 1_000;

/** What the recogniser takes as it is (contract section 4.5, `audio`). */
const TAKEN_AS_IT_IS: ReadonlySet<Container> = new Set([
  'wav',
  'mp3',
  'flac',
  'ogg-opus',
  'ogg-vorbis',
]);

/** Half the bytes of WAV for 2 ms of CPU a second: see `docs/decisions/003-audio.md`. */
const toFlac = async (samples: Float32Array): Promise<ByteSource> => {
  const sound = async function* whole(): AsyncGenerator<Float32Array, void, void> {
    yield samples;
  };
  return bytesSource(await Array.fromAsync(encode('flac', VAD_RATE_HZ, sound())));
};

async function* soundPieces(
  source: ByteSource,
  takenAsItIs: boolean,
  longestMs: number,
  signal: AbortSignal,
): AsyncGenerator<AudioChunk, void, void> {
  for await (const part of cutSound(decodeTo(source, VAD_RATE_HZ, signal), longestMs))
    if (!part.isSilent)
      yield {
        startMs: (part.startSamples * 1_000) / VAD_RATE_HZ,
        durationMs: (part.samples.length * 1_000) / VAD_RATE_HZ,
        audio: takenAsItIs && part.isWhole ? source : await toFlac(part.samples),
      };
}

/**
 * Cuts a file into what can be sent to the recogniser, in order, as it is read. Up to `longestMs` it
 * is one piece: the file itself where the recogniser takes that kind. Opus is cut and wrapped
 * without decoding; of all else longer pieces are 16 kHz FLAC. Cuts are made where it is quiet, and
 * silent pieces are left out: recognisers charge for them and hear what nobody said.
 * Times are measured, whatever headers say. At most one piece is held in memory. Throws as `decode`.
 */
export async function* chunks(
  source: ByteSource,
  options: ChunkOptions,
  signal: AbortSignal,
): AsyncGenerator<AudioChunk, void, void> {
  const longestMs = Math.max(SHORTEST_MS, options.longestMs ?? LONGEST_MS);
  await using file = await openAudio(source, signal);
  const takenAsItIs = TAKEN_AS_IT_IS.has(file.container);
  const items = await opusItemsOf(file, source, signal);
  if (!items) {
    await file.reader.close();
    yield* soundPieces(source, takenAsItIs, longestMs, signal);
    return;
  }
  let heard = false;
  for await (const part of cutPackets(items, longestMs, () => file.reader.position)) {
    heard = true;
    if (part.isSilent) continue;
    yield {
      startMs: part.startMs,
      durationMs: part.durationMs,
      audio: takenAsItIs && part.isWhole ? source : bytesSource(part.file),
    };
  }
  if (!heard) throw damagedAudio('no packet of sound');
}
