import { z } from 'zod';
import { asrParameters, PATHS, type AsrParameters } from '../../src/api/contract.ts';
import { sniff, SNIFF_BYTES, type Container } from '../../src/audio/sniff.ts';
import { AppError } from '../../src/errors.ts';
import type { AudioFormat, ByteSource } from '../../src/model.ts';
import { readAudioBody } from '../audio-body.ts';
import { readChunks, validate } from '../body.ts';
import type { Hints, RecognitionPart } from '../engine.ts';
import { ServiceError } from '../errors.ts';
import { readLanguage } from '../language.ts';
import { plainReply, recogniseInPieces, segmentParameters, segmentsReply } from '../recognise.ts';
import type { Route } from '../route.ts';

/** About 30 MB of audio: 16 minutes of WAV at 16 kHz, over 6 hours of Opus. */
const MAX_BODY_BYTES = 40 * 1024 * 1024;

/** The formats of section 4.5, as files name them. */
const FORMATS: Partial<Record<Container, Exclude<AudioFormat, 'pcm'>>> = {
  wav: 'wav',
  'ogg-opus': 'ogg',
  'ogg-vorbis': 'ogg',
  ogg: 'ogg',
  mp3: 'mp3',
  flac: 'flac',
};

const invalidAudio = (message: string, cause?: unknown): ServiceError =>
  new ServiceError('ErrInvalidAudio', message, { cause });

const checkForm = (fields: unknown): Record<string, unknown> => {
  const given = validate(z.looseObject({ model: z.string().optional() }), fields);
  if ('messages' in given)
    throw new ServiceError(
      'ErrInvalidRequest',
      'The form with messages is not supported here; send base64 in a top-level audio field.',
    );
  if ('vad_filter' in given)
    throw new ServiceError('ErrInvalidParameter', 'vad_filter is not supported; the field is vad.');
  return given;
};

const readHints = (wish: AsrParameters): Hints =>
  wish.language === undefined
    ? wish
    : { ...wish, language: readLanguage('language', wish.language) };

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

const findFormat = (chunks: readonly Uint8Array[]): Exclude<AudioFormat, 'pcm'> => {
  const head = firstBytes(chunks);
  if (head.length === 0) throw invalidAudio('audio is empty.');
  const container = sniff(head);
  const format = container && FORMATS[container];
  if (format === undefined)
    throw invalidAudio(
      `audio is ${container ? container.toUpperCase() : 'of no known format'}; send WAV, OGG, MP3 or FLAC.`,
    );
  return format;
};

/** What the decoder says of a file is the client's to mend. */
const asInvalidAudio = (error: unknown): unknown =>
  error instanceof AppError &&
  !(error instanceof ServiceError) &&
  ['bad-input', 'unsupported', 'too-large'].includes(error.code)
    ? invalidAudio(`audio cannot be read: ${error.message}.`, error)
    : error;

const transcribe = async (
  request: Request,
  part: RecognitionPart,
  signal: AbortSignal,
): Promise<Response> => {
  const { fields, audio } = await readAudioBody(readChunks(request, MAX_BODY_BYTES, signal));
  const given = checkForm(fields);
  if (!audio)
    throw new ServiceError('ErrInvalidParameter', 'Invalid parameter: audio: a string is needed');
  const wish = validate(asrParameters, given);
  const hints = readHints(wish);
  const format = findFormat(audio);
  const { vad = 'off' } = wish;

  if ((vad === 'off' || vad === 0) && part.recogniseFile) {
    const heard = await part.recogniseFile({ format, chunks: audio }, hints, signal);
    return Response.json(plainReply([{ startMs: 0, endMs: 1, heard }], hints));
  }
  const source: ByteSource = {
    sizeBytes: audio.reduce((size, chunk) => size + chunk.length, 0),
    open: async function* () {
      yield* audio;
    },
  };
  const speech =
    vad === 'off' || vad === 0 ? undefined : segmentParameters(vad === 'segments' ? wish : {});
  try {
    const parts = await recogniseInPieces(source, speech, part, hints, signal);
    return Response.json(
      vad === 'segments' ? segmentsReply(parts, hints) : plainReply(parts, hints),
    );
  } catch (error) {
    throw asInvalidAudio(error);
  }
};

/** Contract section 4.5. */
export const asr: Route = {
  method: 'POST',
  path: PATHS.asr,
  stage: 'asr',
  timeoutMs: 600_000,
  failures: { forwards: true },
  handle: async ({ request, engines, signal }) => {
    const [offer] = await engines.having('recognition');
    if (!offer) throw engines.missing({ ability: 'recognition' });
    // Entered before the body is read: audio in memory is bounded by it too.
    const place = await offer.gate.enter(signal);
    try {
      return await transcribe(request, offer.part, signal);
    } finally {
      place[Symbol.dispose]();
    }
  },
};
