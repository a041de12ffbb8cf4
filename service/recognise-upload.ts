import { bytesSource } from '../src/audio/bytes.ts';
import { sniff, SNIFF_BYTES, type Container } from '../src/audio/container/sniff.ts';
import { AppError } from '../src/errors.ts';
import { engineNamesOf } from './engine-loader.ts';
import type { EngineHints, RecognitionEngine, SpeakerTurn } from './engine.ts';
import { ContractError, invalidParameter } from './errors.ts';
import { withFailOver } from './fail-over.ts';
import {
  listenTo,
  recogniseRecording,
  wholeRecording,
  type ListenedRecording,
  type Vad,
} from './recognise-recording.ts';
import type { HeardSpan } from './heard-spans.ts';
import { createRequestLimiter, type AdmittedRequest } from './request-limiter.ts';
import type { RouteContext } from './route.ts';

/** Formats that a path takes. */
interface TakenFormats {
  readonly names: string;
  readonly containers: ReadonlySet<Container>;
}

/** The formats of section 4.5. */
const CONTRACT_FORMATS: TakenFormats = {
  names: 'WAV, OGG, MP3 or FLAC',
  containers: new Set(['wav', 'wav-uncommon', 'ogg-opus', 'ogg-vorbis', 'ogg', 'mp3', 'flac']),
};

/** Formats that clients of the OpenAI API send, such as the recordings of browsers and telephones. */
export const OPENAI_FORMATS: TakenFormats = {
  names: 'WAV, OGG, MP3, FLAC, WebM or M4A',
  containers: new Set([...CONTRACT_FORMATS.containers, 'webm', 'mp4', 'adts', 'aiff']),
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

/** Throws `ErrInvalidAudio` for a file that is in none of the formats. */
export const demandFormat = (
  chunks: readonly Uint8Array[],
  { names, containers } = CONTRACT_FORMATS,
): void => {
  const head = firstBytes(chunks);
  if (head.length === 0) throw invalidAudio('audio is empty.');
  const container = sniff(head);
  if (container === undefined || !containers.has(container))
    throw invalidAudio(
      `audio is ${container ? container.toUpperCase() : 'of no known format'}; send ${names}.`,
    );
};

/** Converts an error of the decoder to a client error, because the file is the client's. */
const asInvalidAudio = (error: unknown): unknown => {
  if (!(error instanceof AppError) || error instanceof ContractError) return error;
  if (error.code === 'too-large')
    return new ContractError('ErrAudioTooLarge', `audio is too long: ${error.message}.`, {
      cause: error,
    });
  return error.code === 'bad-input' || error.code === 'unsupported'
    ? invalidAudio(`audio cannot be read: ${error.message}.`, error)
    : error;
};

/** An audio file and how to recognise it. */
export interface RecognitionInput {
  readonly audio: readonly Uint8Array[];
  readonly hints: EngineHints;
  readonly vad: Vad;
  /** Called with each part as it is heard, in order; a second look may still change it. */
  readonly heard?: (span: HeardSpan) => void;
  /** True where speakers are to be told apart. */
  readonly speakers?: boolean | undefined;
}

/** Recordings that are decoded at the same time: of a key only so many that others begin at once. */
const recordings = createRequestLimiter({ concurrent: 16, waiting: 32 });

/** Recordings in which speakers are told apart at the same time. */
const diarisations = createRequestLimiter({ concurrent: 1, waiting: 16 });

type Context = Pick<RouteContext, 'engines' | 'account' | 'log' | 'signal'>;

/** Finds out who speaks when. Throws `ContractError` where nothing does, and for a recording that is too long. */
const turnsIn = async (
  recording: ListenedRecording,
  { engines, signal }: Context,
): Promise<readonly SpeakerTurn[]> => {
  const engine = await engines.diarisation();
  if (!engine) throw engines.missing({ ability: 'diarisation' });
  if (recording.lengthMs > engine.longestMs)
    throw invalidParameter(
      `speakers: they are told apart in recordings of at most ${engine.longestMs / 60_000} minutes`,
    );
  return await engine.diarise(await wholeRecording(recording, signal), signal);
};

/** The engine for audio in chunks, each of which waits for its turn. */
const inTurns = (
  engine: RecognitionEngine,
  request: AdmittedRequest,
): Pick<RecognitionEngine, 'longestMs' | 'recognise'> => ({
  longestMs: engine.longestMs,
  recognise: async (samples, hints, signal) => {
    using _ = await request.turn(signal);
    return await engine.recognise(samples, hints, signal);
  },
});

/**
 * Recognises a file with the first engine that answers. A file in which there is nothing to hear
 * gives nothing and costs no engine its time.
 */
export const recogniseUpload = async (
  { audio, hints, vad, heard, speakers = false }: RecognitionInput,
  context: Context,
): Promise<readonly HeardSpan[]> => {
  const { engines, account, log, signal } = context;
  const offers = await engines.offers('recognition');
  if (offers.length === 0) throw engines.missing({ ability: 'recognition' });
  // What waits here takes no place from recordings that need no turn.
  using turn = speakers ? await diarisations.acquire(signal, account.name) : undefined;
  using _ = await recordings.acquire(signal, account.name);
  try {
    const recording = await listenTo(bytesSource(audio), vad, signal);
    if (recording.isSilent) return [];
    let heardMs = -1;
    // Another engine begins anew.
    const tell = (span: HeardSpan): void => {
      if (span.startMs < heardMs) return;
      heardMs = span.endMs;
      heard?.(span);
    };
    account.reserve({ ability: 'recognition', amount: recording.lengthMs }, engineNamesOf(offers));
    const turns = speakers ? await turnsIn(recording, context) : [];
    turn?.[Symbol.dispose]();
    const { engine, spans } = await withFailOver(
      offers,
      async (offer, either) => {
        using request = offer.limiter.admit(account.name);
        const calls = inTurns(offer.engine, request);
        return {
          engine: offer.name,
          spans: await recogniseRecording(recording, calls, hints, either, { tell, turns }),
        };
      },
      { ability: 'recognition', log, signal, isPatient: true },
    );
    const amount = spans.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);
    account.charge({ ability: 'recognition', engine, amount });
    return spans;
  } catch (error) {
    throw asInvalidAudio(error);
  }
};
