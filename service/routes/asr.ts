import { z } from 'zod';
import { asrParameters, PATHS, type AsrParameters } from '../../src/api/contract.ts';
import { bytesSource } from '../../src/audio/bytes.ts';
import { sniff, SNIFF_BYTES, type Container } from '../../src/audio/container/sniff.ts';
import type { SegmentParameters } from '../../src/audio/vad.ts';
import { AppError } from '../../src/errors.ts';
import type { AudioFormat } from '../../src/model/file.ts';
import { readAudioBody, type AudioBody } from '../audio-body.ts';
import { readChunks, validate, type BodyLimit } from '../body.ts';
import type { EngineHints, RecognitionEngine } from '../engine.ts';
import { ContractError } from '../errors.ts';
import { withFailOver } from '../fail-over.ts';
import { readLanguage } from '../language.ts';
import {
  plainReply,
  recogniseInChunks,
  segmentParameters,
  segmentsReply,
  type HeardSpan,
} from '../recognise.ts';
import { isSilent } from '../silence.ts';
import type { Route } from '../route.ts';
import { createUploadLimiter } from '../upload-limiter.ts';

/** Largest body, about 30 MB of audio: 16 minutes of WAV at 16 kHz, over 6 hours of Opus. */
const BODY_LIMIT: BodyLimit = { bytes: 40 * 1024 * 1024, named: 'ErrAudioTooLarge' };
/**
 * Most concurrent uploads. Their bytes are what is scarce, so that many slow clients, of which each
 * sends little, do not keep others out; those that are too slow are given up (see `readChunks`).
 */
const READING = { concurrent: 1_024, waiting: 0 };
/**
 * Most bytes in memory: six of the longest bodies, or hundreds of usual ones, being read or waiting
 * for their engine.
 */
const MAX_HELD_BYTES = 6 * BODY_LIMIT.bytes;

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

const invalidAudio = (message: string, cause?: unknown): ContractError =>
  new ContractError('ErrInvalidAudio', message, { cause });

const checkForm = (fields: unknown): Record<string, unknown> => {
  const given = validate(z.looseObject({ model: z.string().optional() }), fields);
  if ('messages' in given)
    throw new ContractError(
      'ErrInvalidRequest',
      'The form with messages is not supported here; send base64 in a top-level audio field.',
    );
  if ('vad_filter' in given)
    throw new ContractError(
      'ErrInvalidParameter',
      'vad_filter is not supported; the field is vad.',
    );
  return given;
};

const readHints = (input: AsrParameters): EngineHints =>
  input.language === undefined
    ? input
    : { ...input, language: readLanguage('language', input.language) };

/** Containers whose codecs not every engine reads: they are decoded here, or refused by their name. */
const DECODED_HERE: ReadonlySet<Container> = new Set(['wav-compressed', 'ogg']);

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

const findFormat = (
  chunks: readonly Uint8Array[],
): Pick<RecognitionInput, 'format' | 'isDecodedHere'> => {
  const head = firstBytes(chunks);
  if (head.length === 0) throw invalidAudio('audio is empty.');
  const container = sniff(head);
  const format = container && FORMATS[container];
  if (format === undefined)
    throw invalidAudio(
      `audio is ${container ? container.toUpperCase() : 'of no known format'}; send WAV, OGG, MP3 or FLAC.`,
    );
  return { format, isDecodedHere: DECODED_HERE.has(container!) };
};

/** Converts an error of the decoder to a client error, because the file is the client's. */
const asInvalidAudio = (error: unknown): unknown =>
  error instanceof AppError &&
  !(error instanceof ContractError) &&
  ['bad-input', 'unsupported', 'too-large'].includes(error.code)
    ? invalidAudio(`audio cannot be read: ${error.message}.`, error)
    : error;

interface RecognitionInput {
  readonly audio: readonly Uint8Array[];
  readonly format: Exclude<AudioFormat, 'pcm'>;
  /** True for a file that an engine may not be able to read. */
  readonly isDecodedHere: boolean;
  readonly hints: EngineHints;
  readonly vad: NonNullable<AsrParameters['vad']>;
  /** Parameters of the spans to recognise; undefined to recognise all of the audio. */
  readonly speech: SegmentParameters | undefined;
}

const readInput = ({ fields, audio }: AudioBody): RecognitionInput => {
  const given = checkForm(fields);
  if (!audio)
    throw new ContractError('ErrInvalidParameter', 'Invalid parameter: audio: a string is needed');
  const input = validate(asrParameters, given);
  const { vad = 'off' } = input;
  return {
    audio,
    ...findFormat(audio),
    hints: readHints(input),
    vad,
    speech:
      vad === 'off' || vad === 0 ? undefined : segmentParameters(vad === 'segments' ? input : {}),
  };
};

const replyWith = (
  spans: readonly HeardSpan[],
  vad: RecognitionInput['vad'],
  hints: EngineHints,
): Response =>
  Response.json(vad === 'segments' ? segmentsReply(spans, hints) : plainReply(spans, hints));

const transcribe = async (
  { audio, format, isDecodedHere, hints, vad, speech }: RecognitionInput,
  engine: RecognitionEngine,
  signal: AbortSignal,
): Promise<Response> => {
  if (!speech && !isDecodedHere && engine.recogniseFile) {
    const heard = await engine.recogniseFile({ format, chunks: audio }, hints, signal);
    return Response.json(plainReply([{ startMs: 0, endMs: 1, heard }], hints));
  }
  try {
    const spans = await recogniseInChunks(bytesSource(audio), speech, engine, hints, signal);
    return replyWith(spans, vad, hints);
  } catch (error) {
    throw asInvalidAudio(error);
  }
};

/** Creates the route of contract section 4.5. */
export const createAsr = (
  uploads = createUploadLimiter({ ...READING, maxBytes: MAX_HELD_BYTES }),
): Route => ({
  method: 'POST',
  path: PATHS.asr,
  stage: 'asr',
  timeoutMs: 600_000,
  failures: { forwards: true },
  handle: async ({ request, engines, key, log, signal }) => {
    const offers = await engines.offers('recognition');
    if (offers.length === 0) throw engines.missing({ ability: 'recognition' });
    using upload = uploads.open();
    const chunks = readChunks(request, BODY_LIMIT, signal);
    const input = readInput(await upload.receive(chunks, readAudioBody, signal));
    const { audio, vad, hints } = input;
    // Silence costs no engine its time, and makes none invent words.
    if (await isSilent(bytesSource(audio), signal)) return replyWith([], vad, hints);
    return withFailOver(
      offers,
      async (offer, either) => {
        using _ = await offer.limiter.acquire(either, key);
        return await transcribe(input, offer.engine, either);
      },
      { ability: 'recognition', log, signal, patienceMs: Infinity },
    );
  },
});
