import { AppError } from '../../errors.ts';
import type { ByteSource } from '../../model/message.ts';
import { readAdts } from '../container/adts.ts';
import { type ByteReader, damagedAudio, throwIfAborted, oversizedAudio } from '../bytes.ts';
import { decodeAac } from './decode-aac.ts';
import { decodeAiff } from './decode-aiff.ts';
import { decodeFlac } from './decode-flac.ts';
import { decodeMp3 } from './decode-mp3.ts';
import { decodeOpus } from './decode-opus.ts';
import { decodeVorbis } from './decode-vorbis.ts';
import { decodeWav } from './decode-wav.ts';
import { readMp4 } from '../container/mp4.ts';
import { readOpus } from '../container/ogg-reader.ts';
import { openAudio } from '../container/open.ts';
import { yieldTurn, type Pcm } from '../pcm.ts';
import { toOneRate } from '../resample.ts';
import type { Container } from '../container/sniff.ts';
import { readWebm } from '../container/webm.ts';

const LONGEST_HOURS = 4;
const LONGEST_SECONDS = LONGEST_HOURS * 3_600;
/**
 * Fewest bytes per second: an ordinary encoder needs more even for silence, and a file with less
 * was made to waste CPU. Short files are not checked: they cost little.
 */
const FEWEST_BYTES_PER_SECOND = 16;
const UNCHECKED_SECONDS = 120;
/** Rate up to which a second counts as one; above it, samples count as if they were at this rate. */
const USUAL_RATE_HZ = 48_000;
/** Most seconds of a file, counted so: four hours of 96 kHz. */
const MOST_COST_SECONDS = 2 * LONGEST_SECONDS;

const tooLong = (message: string): AppError =>
  new AppError('too-large', message, {
    sentence: { key: 'errors.audio.too-long', params: { hours: LONGEST_HOURS } },
  });

/** A part of a file as it is decoded, and how many bytes of the file were read by then. */
export interface DecodedPart {
  readonly samples: number;
  readonly sampleRateHz: number;
  readonly readBytes: number;
}

/**
 * Creates the check of one file, which is called with each part as it is decoded. It throws
 * `too-large` for more than 4 hours, for more audio than so few bytes can hold, and for more samples
 * than 4 hours of 96 kHz have.
 */
export const createAudioLimit = (): ((part: DecodedPart) => void) => {
  let seconds = 0;
  let costSeconds = 0;
  return ({ samples, sampleRateHz, readBytes }) => {
    seconds += samples / sampleRateHz;
    costSeconds += samples / Math.min(sampleRateHz, USUAL_RATE_HZ);
    if (seconds > LONGEST_SECONDS) throw tooLong(`it is over ${LONGEST_HOURS} hours`);
    if (costSeconds > UNCHECKED_SECONDS && readBytes < costSeconds * FEWEST_BYTES_PER_SECOND)
      throw tooLong(`it has under ${FEWEST_BYTES_PER_SECOND} bytes a second`);
    if (costSeconds > MOST_COST_SECONDS) throw oversizedAudio('too many samples');
  };
};

/** A file that is being read, from the start of its container on. */
interface Input {
  readonly reader: ByteReader;
  /** The whole file again, for containers that cannot be read in one go. */
  readonly source: ByteSource;
  readonly signal: AbortSignal;
  /** The rate that the caller prefers; a decoder that can give it for less work does. */
  readonly wantedHz: number;
}

/**
 * Decodes files that the decoders here refuse, to mono. Gives what is heard before damage, and then
 * throws `AppError` `bad-input`; other errors say why the rest could not be decoded.
 */
export type FallbackDecoder = (
  source: ByteSource,
  signal: AbortSignal,
) => AsyncGenerator<Pcm, void, void>;

type Decoder = (input: Input) => AsyncGenerator<Pcm, void, void>;

async function* decodeMp4({ reader, source, signal, wantedHz }: Input): ReturnType<Decoder> {
  const audio = await readMp4(reader, () => source.open(signal), signal);
  yield* audio.codec === 'aac'
    ? decodeAac(audio.frames, audio.edit)
    : decodeOpus(audio.items, wantedHz);
}

const DECODERS: Readonly<Record<Container, Decoder>> = {
  wav: ({ reader }) => decodeWav(reader),
  'wav-uncommon': ({ reader }) => decodeWav(reader),
  aiff: ({ reader }) => decodeAiff(reader),
  'ogg-opus': ({ reader, wantedHz }) => decodeOpus(readOpus(reader), wantedHz),
  'ogg-vorbis': ({ reader }) => decodeVorbis(reader),
  ogg: ({ reader, wantedHz }) => decodeOpus(readOpus(reader), wantedHz),
  mp3: ({ reader }) => decodeMp3(reader),
  flac: ({ reader }) => decodeFlac(reader),
  webm: ({ reader, wantedHz }) => decodeOpus(readWebm(reader), wantedHz),
  mp4: decodeMp4,
  adts: ({ reader }) => decodeAac(readAdts(reader)),
};

/**
 * Checks PCM against the limits as it arrives, in slices of a second. Damage ends it once something
 * was decoded, and throws `bad-input` before that. `what` names the file; `readBytes` gives the
 * bytes read so far.
 */
async function* limited(
  pcm: AsyncIterable<Pcm>,
  { what, readBytes, signal }: { what: string; readBytes: () => number; signal: AbortSignal },
): AsyncGenerator<Pcm, void, void> {
  const count = createAudioLimit();
  let heard = false;
  try {
    for await (const { samples, sampleRateHz } of pcm) {
      throwIfAborted(signal);
      count({ samples: samples.length, sampleRateHz, readBytes: readBytes() });
      for (let from = 0; from < samples.length; from += sampleRateHz) {
        heard = true;
        yield { samples: samples.subarray(from, from + sampleRateHz), sampleRateHz };
        await yieldTurn();
      }
    }
  } catch (error) {
    const broke = error instanceof AppError && error.code === 'bad-input';
    if (!broke || !heard) throw error;
  }
  if (!heard) throw damagedAudio(`nothing to hear in this ${what} file`);
}

/**
 * Decodes a file to mono PCM, in slices as the file is read; memory does not grow with its length.
 * Formats are recognised by their bytes; the rate may change within a file. A file that breaks off
 * or is damaged in places gives what can be decoded. `wantedHz` is a hint: decoders that can give
 * that rate at no cost do. Throws `AppError`: `unsupported` for formats that are not decoded here,
 * `bad-input` where nothing can be decoded, `too-large` past the limits, `cancelled`; errors of the
 * source pass.
 */
export async function* decode(
  source: ByteSource,
  signal: AbortSignal,
  wantedHz = 48_000,
): AsyncGenerator<Pcm, void, void> {
  await using file = await openAudio(source, signal);
  const { container, reader } = file;
  yield* limited(DECODERS[container]({ reader, source, signal, wantedHz }), {
    what: container,
    readBytes: () => reader.position,
    signal,
  });
}

/** The PCM of a file as `fallback` decodes it, within the same limits. Throws as `decode` and as that. */
export async function* decodeWith(
  fallback: FallbackDecoder,
  source: ByteSource,
  signal: AbortSignal,
): AsyncGenerator<Pcm, void, void> {
  let readBytes = 0;
  const counted: ByteSource = {
    sizeBytes: source.sizeBytes,
    async *open(stop) {
      for await (const chunk of source.open(stop)) {
        readBytes += chunk.length;
        yield chunk;
      }
    },
  };
  yield* limited(fallback(counted, signal), {
    what: 'foreign',
    readBytes: () => readBytes,
    signal,
  });
}

/** The PCM of a file, mono, all at one rate. Throws as `decode`. */
export async function* decodeTo(
  source: ByteSource,
  sampleRateHz: number,
  signal: AbortSignal,
): AsyncGenerator<Float32Array, void, void> {
  const pcm = toOneRate(decode(source, signal, sampleRateHz), sampleRateHz);
  for await (const samples of pcm) if (samples.length > 0) yield samples;
}
