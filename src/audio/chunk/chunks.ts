import type { ByteSource } from '../../model/file.ts';
import { bytesSource } from '../bytes.ts';
import { decodeTo, decodeWith, type FallbackDecoder } from '../codec/decode.ts';
import { AppError } from '../../errors.ts';
import { toOneRate } from '../resample.ts';
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
  /** Asked for files that are not read here. */
  readonly fallback?: FallbackDecoder | undefined;
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

/** Chunks of PCM, as FLAC; a `file` that the recogniser takes goes out itself where it is one chunk. */
async function* pcmChunks(
  pcm: AsyncIterable<Float32Array>,
  longestMs: number,
  file?: ByteSource,
): AsyncGenerator<AudioChunk, void, void> {
  for await (const part of cutSound(pcm, longestMs))
    if (!part.isSilent)
      yield {
        startMs: (part.startSamples * 1_000) / VAD_RATE_HZ,
        durationMs: (part.samples.length * 1_000) / VAD_RATE_HZ,
        audio: file && part.isWhole ? file : await toFlac(part.samples),
      };
}

async function* ownChunks(
  source: ByteSource,
  longestMs: number,
  signal: AbortSignal,
): AsyncGenerator<AudioChunk, void, void> {
  await using file = await openAudio(source, signal);
  const takenAsItIs = TAKEN_AS_IT_IS.has(file.container);
  const items = await opusItemsOf(file, source, signal);
  if (!items) {
    await file.reader.close();
    const pcm = decodeTo(source, VAD_RATE_HZ, signal);
    yield* pcmChunks(pcm, longestMs, takenAsItIs ? source : undefined);
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

const hasCode = (error: unknown, code: AppError['code']): boolean =>
  error instanceof AppError && error.code === code;

/**
 * Cuts a file into what can be sent to the recogniser, in order, as it is read. Up to `longestMs` it
 * is one chunk: the file itself where the recogniser takes that kind. Opus is cut and wrapped
 * without decoding; of all else longer chunks are 16 kHz FLAC. Cuts are made where it is quiet, and
 * silent chunks are left out: recognisers charge for them and hear what nobody said.
 * Times are measured, whatever headers say. At most one chunk is held in memory. Throws as `decode`;
 * where the fallback can read nothing either, what `decode` would.
 */
export async function* chunks(
  source: ByteSource,
  options: ChunkOptions,
  signal: AbortSignal,
): AsyncGenerator<AudioChunk, void, void> {
  const { fallback } = options;
  const longestMs = Math.max(SHORTEST_MS, options.longestMs ?? LONGEST_MS);
  let hasChunks = false;
  try {
    for await (const chunk of ownChunks(source, longestMs, signal)) {
      hasChunks = true;
      yield chunk;
    }
  } catch (refusal) {
    if (!fallback || hasChunks || !hasCode(refusal, 'unsupported')) throw refusal;
    const pcm = toOneRate(decodeWith(fallback, source, signal), VAD_RATE_HZ);
    try {
      yield* pcmChunks(pcm, longestMs);
    } catch (error) {
      throw hasCode(error, 'bad-input') ? refusal : error;
    }
  }
}
