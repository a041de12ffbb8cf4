import type { ByteSource } from '../../model/message.ts';
import { bytesSource, damagedAudio } from '../bytes.ts';
import { decodeTo, decodeWith, type FallbackDecoder } from '../codec/decode.ts';
import { AppError } from '../../errors.ts';
import { toOneRate } from '../resample.ts';
import { encode } from '../codec/encode.ts';
import { opusItemsOf, openAudio } from '../container/open.ts';
import { chunkPackets, chunkPcm } from './chunks.ts';
import type { Container } from '../container/sniff.ts';
import { VAD_RATE_HZ } from '../vad.ts';

/** A part of a file that can be recognised on its own. */
export interface AudioChunk {
  readonly startMs: number;
  readonly durationMs: number;
  /** A whole WAV, OGG, MP3 or FLAC file. */
  readonly audio: ByteSource;
}

export interface ChunkOptions {
  /** Default 60 s; at least 1 s. */
  readonly longestMs?: number;
  /** The decoder of files that are not read here. */
  readonly fallback?: FallbackDecoder | undefined;
}

const LONGEST_MS = 60_000;
const SHORTEST_MS = 1_000;

/** Containers that the recogniser takes unchanged (contract section 4.5, `audio`). */
const TAKEN_AS_IT_IS: ReadonlySet<Container> = new Set([
  'wav',
  'mp3',
  'flac',
  'ogg-opus',
  'ogg-vorbis',
]);

/** Encodes as FLAC: half the bytes of WAV for 2 ms of CPU a second (`docs/decisions/003-audio.md`). */
const toFlac = async (samples: Float32Array): Promise<ByteSource> => {
  const pcm = async function* whole(): AsyncGenerator<Float32Array, void, void> {
    yield samples;
  };
  return bytesSource(await Array.fromAsync(encode('flac', VAD_RATE_HZ, pcm())));
};

/**
 * Cuts PCM into FLAC chunks; where it is only one, a `file` that the recogniser takes is passed
 * unchanged.
 */
async function* pcmChunks(
  pcm: AsyncIterable<Float32Array>,
  longestMs: number,
  file?: ByteSource,
): AsyncGenerator<AudioChunk, void, void> {
  for await (const part of chunkPcm(pcm, longestMs))
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
  const takenAsItIs = TAKEN_AS_IT_IS.has(file.container) && file.isClean;
  const items = await opusItemsOf(file, source, signal);
  if (!items) {
    await file.reader.close();
    const pcm = decodeTo(source, VAD_RATE_HZ, signal);
    // Opus that is not passed on in packets has more channels than every recogniser takes.
    const isPassed = takenAsItIs && file.container !== 'ogg-opus';
    yield* pcmChunks(pcm, longestMs, isPassed ? source : undefined);
    return;
  }
  let hasPackets = false;
  for await (const part of chunkPackets(items, longestMs, () => file.reader.position)) {
    hasPackets = true;
    if (part.isSilent) continue;
    yield {
      startMs: part.startMs,
      durationMs: part.durationMs,
      audio: takenAsItIs && part.isWhole ? source : bytesSource(part.file),
    };
  }
  if (!hasPackets) throw damagedAudio('no packet of audio');
}

const isRefusal = (error: unknown): error is AppError =>
  error instanceof AppError && error.code === 'unsupported';

const withRemedy = ({ message, sentence }: AppError): AppError =>
  new AppError('unsupported', message, { sentence, remedy: { key: 'remedies.ffmpeg' } });

/**
 * Cuts a file into parts for the recogniser, in order, while it is read. A file of up to
 * `longestMs` is one chunk: the file itself where the recogniser takes its format. Opus is cut and
 * remuxed without decoding; longer chunks of every other format are 16 kHz FLAC. Cuts are made
 * where it is quiet, and silent chunks are left out: recognisers charge for them and invent words
 * in them. Durations are measured, whatever headers say. At most one chunk is held in memory.
 * Throws as `decode`; where the fallback can read nothing either, the error of `decode`.
 */
export async function* chunkAudio(
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
    if (hasChunks || !isRefusal(refusal)) throw refusal;
    if (!fallback) throw withRemedy(refusal);
    const pcm = toOneRate(decodeWith(fallback, source, signal), VAD_RATE_HZ);
    try {
      yield* pcmChunks(pcm, longestMs);
    } catch (error) {
      throw error instanceof AppError && error.code === 'bad-input' ? refusal : error;
    }
  }
}
