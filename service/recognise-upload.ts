import { bytesSource } from '../src/audio/bytes.ts';
import { decode } from '../src/audio/codec/decode.ts';
import { sniff, SNIFF_BYTES, type Container } from '../src/audio/container/sniff.ts';
import type { SegmentParameters } from '../src/audio/vad.ts';
import { AppError } from '../src/errors.ts';
import type { AudioFormat } from '../src/model/message.ts';
import { RECOGNITION_RATE_HZ, type EngineHints, type RecognitionEngine } from './engine.ts';
import { ContractError } from './errors.ts';
import { withFailOver } from './fail-over.ts';
import { recogniseInChunks, type HeardSpan, isSilent } from './recognise.ts';
import type { AdmittedRequest } from './request-limiter.ts';
import type { RouteContext } from './route.ts';

/** The formats of section 4.5, by container. */
const FORMATS: Partial<Record<Container, Exclude<AudioFormat, 'pcm'>>> = {
  wav: 'wav',
  'wav-compressed': 'wav',
  'ogg-opus': 'ogg',
  'ogg-vorbis': 'ogg',
  ogg: 'ogg',
  mp3: 'mp3',
  flac: 'flac',
};

/** Containers whose codecs not every engine reads: they are decoded here, or refused by their name. */
const DECODED_HERE: ReadonlySet<Container> = new Set(['wav-compressed', 'ogg']);

/** Formats that a path takes: those above, and others that are always decoded here. */
interface TakenFormats {
  readonly names: string;
  readonly others: ReadonlySet<Container>;
}

const CONTRACT_FORMATS: TakenFormats = { names: 'WAV, OGG, MP3 or FLAC', others: new Set() };

/** Formats that clients of the OpenAI API send, such as the recordings of browsers and telephones. */
export const OPENAI_FORMATS: TakenFormats = {
  names: 'WAV, OGG, MP3, FLAC, WebM or M4A',
  others: new Set(['webm', 'mp4', 'adts', 'aiff']),
};

const invalidAudio = (message: string, cause?: unknown): ContractError =>
  new ContractError('ErrInvalidAudio', message, { cause });

const firstBytes = (chunks: readonly Uint8Array[]): Buffer => {
  const head: Uint8Array[] = [];
  let size = 0;
  for (const chunk of chunks) {
    if (size >= SNIFF_BYTES) break;
    head.push(chunk);
    size += chunk.length;
  }
  return Buffer.concat(head);
};

/** Recognises the format of a file; throws `ErrInvalidAudio` for one that is none of them. */
export const findFormat = (
  chunks: readonly Uint8Array[],
  { names, others } = CONTRACT_FORMATS,
): Pick<RecognitionInput, 'format' | 'isDecodedHere'> => {
  const head = firstBytes(chunks);
  if (head.length === 0) throw invalidAudio('audio is empty.');
  const container = sniff(head);
  const isOther = container !== undefined && others.has(container);
  // Engines get what is decoded here as samples, or as WAV.
  const format = isOther ? 'wav' : container && FORMATS[container];
  if (format === undefined)
    throw invalidAudio(
      `audio is ${container ? container.toUpperCase() : 'of no known format'}; send ${names}.`,
    );
  return { format, isDecodedHere: isOther || DECODED_HERE.has(container!) };
};

/** Converts an error of the decoder to a client error, because the file is the client's. */
const asInvalidAudio = (error: unknown): unknown =>
  error instanceof AppError &&
  !(error instanceof ContractError) &&
  ['bad-input', 'unsupported', 'too-large'].includes(error.code)
    ? invalidAudio(`audio cannot be read: ${error.message}.`, error)
    : error;

/** An audio file and how to recognise it. */
export interface RecognitionInput {
  readonly audio: readonly Uint8Array[];
  readonly format: Exclude<AudioFormat, 'pcm'>;
  /** True for a file that an engine may not be able to read. */
  readonly isDecodedHere: boolean;
  readonly hints: EngineHints;
  /** Parameters of the spans to recognise; undefined to recognise all of the audio. */
  readonly speech: SegmentParameters | undefined;
}

/** Bit rate by which the length of a file is guessed that only an engine can read. */
const GUESSED_BITS_PER_MS = 128;

/** Bytes that are read at once to measure a file: as exactly is known how much of it was read. */
const STEP_BYTES = 4 * 1_024;

const sizeOf = (audio: readonly Uint8Array[]): number =>
  audio.reduce((sum, { length }) => sum + length, 0);

const guessMs = (audio: readonly Uint8Array[]): number => (8 * sizeOf(audio)) / GUESSED_BITS_PER_MS;

/**
 * Measures the length of a file; one that cannot be read to its end, in proportion to what was read.
 * Throws the signal's reason.
 */
const measureMs = async (audio: readonly Uint8Array[], signal: AbortSignal): Promise<number> => {
  let lengthMs = 0;
  let readBytes = 0;
  const sizeBytes = sizeOf(audio);
  const counted = {
    sizeBytes,
    async *open() {
      for (const chunk of audio)
        for (let from = 0; from < chunk.length; from += STEP_BYTES) {
          const part = chunk.subarray(from, from + STEP_BYTES);
          readBytes += part.length;
          yield part;
        }
    },
  };
  try {
    for await (const { samples, sampleRateHz } of decode(counted, signal, RECOGNITION_RATE_HZ))
      lengthMs += (1_000 * samples.length) / sampleRateHz;
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof AppError)) throw error;
  }
  return lengthMs === 0 ? guessMs(audio) : (lengthMs * sizeBytes) / readBytes;
};

/** The engine for audio in chunks, whose further calls within a turn keep to its rate. */
const paced = (
  engine: RecognitionEngine,
  request: AdmittedRequest,
): Pick<RecognitionEngine, 'longestMs' | 'recognise'> => {
  let calls = 0;
  return {
    longestMs: engine.longestMs,
    recognise: async (samples, hints, signal) => {
      calls += 1;
      if (calls > 1) await request.again(signal);
      return engine.recognise(samples, hints, signal);
    },
  };
};

/**
 * Recognises a file with one engine. `heardMs` is the length of what was recognised; undefined when the
 * engine alone has read the file.
 */
const transcribe = async (
  { audio, format, isDecodedHere, hints, speech }: RecognitionInput,
  engine: RecognitionEngine,
  request: AdmittedRequest,
  signal: AbortSignal,
) => {
  if (!speech && !isDecodedHere && engine.recogniseFile) {
    const heard = await engine.recogniseFile({ format, chunks: audio }, hints, signal);
    return { spans: [{ startMs: 0, endMs: guessMs(audio), heard }], heardMs: undefined };
  }
  try {
    const spans = await recogniseInChunks(
      bytesSource(audio),
      speech,
      paced(engine, request),
      hints,
      signal,
    );
    return { spans, heardMs: spans.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0) };
  } catch (error) {
    throw asInvalidAudio(error);
  }
};

/**
 * Recognises a file with the first engine that answers. A file in which there is nothing to hear
 * gives nothing and costs no engine its time.
 */
export const recogniseUpload = async (
  input: RecognitionInput,
  { engines, account, log, signal }: Pick<RouteContext, 'engines' | 'account' | 'log' | 'signal'>,
): Promise<readonly HeardSpan[]> => {
  const offers = await engines.offers('recognition');
  if (offers.length === 0) throw engines.missing({ ability: 'recognition' });
  if (await isSilent(bytesSource(input.audio), signal)) return [];
  const { engine, spans, heardMs } = await withFailOver(
    offers,
    async (offer, either) => {
      using request = offer.limiter.admit(account.name);
      using _ = await request.turn(either);
      const transcript = await transcribe(input, offer.engine, request, either);
      return { engine: offer.name, ...transcript };
    },
    { ability: 'recognition', log, signal, patienceMs: Infinity },
  );
  // Measured after the engine's turn: it takes as long as decoding.
  if (account.isMetered) {
    const amount = heardMs ?? (await measureMs(input.audio, signal));
    account.charge({ ability: 'recognition', engine, amount });
  }
  return spans;
};
