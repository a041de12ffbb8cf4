import type { ByteSource } from '../model/message.ts';
import type { Attempt, Call, CallOptions, Caller } from './caller.ts';
import { asrParameters, EXTRA_FIELDS, PATHS, type AsrParameters } from './contract.ts';
import {
  recognisedSegments,
  recognisedText,
  type SegmentedTranscript,
  type PlainTranscript,
} from './replies.ts';
import {
  expectMediaType,
  readJsonReply,
  SEGMENTS_BODY_BYTES,
  type HttpReply,
} from './transport.ts';
import { AppError } from '../errors.ts';

const DEADLINE_MS = 300_000;

export type RecognitionApi = ReturnType<typeof createRecognitionApi>;

/** Length of a slice: a multiple of 3 bytes, so that base64 needs no padding between chunks. */
const SLICE_BYTES = 49_152;

/** An error of the audio's own source, which must not be taken for one of the service. */
const unreadable = (cause: unknown): AppError =>
  cause instanceof AppError
    ? cause
    : new AppError('not-found', 'the audio cannot be read', {
        sentence: { key: 'speech.audio-gone' },
        cause,
      });

const reading = async function* (
  audio: ByteSource,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    let leftBytes = audio.sizeBytes;
    for await (const chunk of audio.open(signal)) {
      if (leftBytes !== undefined) leftBytes -= chunk.byteLength;
      if (leftBytes !== undefined && leftBytes < 0) break;
      yield chunk;
    }
    if (leftBytes !== undefined && leftBytes !== 0) throw new Error('the size was wrong');
  } catch (cause) {
    signal.throwIfAborted();
    throw unreadable(cause);
  }
};

const base64Slices = async function* (
  audio: AsyncIterable<Uint8Array>,
): AsyncGenerator<string, void, void> {
  let rest = Buffer.alloc(0);
  for await (const chunk of audio) {
    let bytes = Buffer.concat([rest, chunk]);
    while (bytes.byteLength >= SLICE_BYTES) {
      yield bytes.toString('base64', 0, SLICE_BYTES);
      bytes = bytes.subarray(SLICE_BYTES);
    }
    rest = bytes;
  }
  if (rest.byteLength > 0) yield rest.toString('base64');
};

const envelope = (parameters: AsrParameters): [string, string] => {
  const fields = JSON.stringify(parameters).slice(1, -1);
  return [`{${fields}${fields === '' ? '' : ','}"audio":"`, '"}'];
};

const jsonBody = async function* (
  parameters: AsrParameters,
  audio: ByteSource,
  signal: AbortSignal,
): AsyncGenerator<string, void, void> {
  const [head, tail] = envelope(parameters);
  yield head;
  yield* base64Slices(reading(audio, signal));
  yield tail;
};

const bodyBytes = (parameters: AsrParameters, audioBytes: number): number =>
  Buffer.byteLength(envelope(parameters).join('')) + Math.ceil(audioBytes / 3) * 4;

const callOf = (options: CallOptions): Call => ({
  endpoint: 'asr',
  options,
  defaultMs: DEADLINE_MS,
});

const ask = async (
  audio: ByteSource,
  { words, ...parameters }: AsrParameters,
  { send, signal, understands }: Attempt,
): Promise<HttpReply> => {
  const extra = words && understands(EXTRA_FIELDS.asrWords) ? { words } : {};
  if (parameters.speakers && understands(EXTRA_FIELDS.asrSpeakers) === false)
    throw new AppError('missing', 'the service tells no speakers apart', {
      sentence: { key: 'service.no-diarisation' },
    });
  const checked = asrParameters.safeParse({ ...parameters, ...extra });
  if (!checked.success)
    throw new AppError('bad-input', 'a recognition parameter is outside the contract', {
      cause: checked.error,
    });
  const reply = await send({
    method: 'POST',
    path: PATHS.asr,
    headers: {
      'content-type': 'application/json',
      ...(audio.sizeBytes === undefined
        ? {}
        : { 'content-length': String(bodyBytes(checked.data, audio.sizeBytes)) }),
    },
    body: () => jsonBody(checked.data, audio, signal) as never,
  });
  expectMediaType(reply, /json$/);
  return reply;
};

export const createRecognitionApi = (caller: Caller) => {
  return {
    /**
     * Sends POST /asr/srt/audio_llm for a plain result. `audio` is a WAV, OGG, MP3 or FLAC file; it
     * is read again for each attempt and never held whole.
     */
    transcribe: async (
      audio: ByteSource,
      parameters: AsrParameters & { vad?: 0 | 'off' | 1 | 'on' },
      options: CallOptions,
    ): Promise<PlainTranscript> =>
      caller.once(callOf(options), async (attempt) =>
        readJsonReply(await ask(audio, parameters, attempt), recognisedText),
      ),
    /** Sends the same request with `vad: "segments"`: resolves with timestamped parts. */
    transcribeSegments: async (
      audio: ByteSource,
      parameters: Omit<AsrParameters, 'vad'>,
      options: CallOptions,
    ): Promise<SegmentedTranscript> =>
      caller.once(callOf(options), async (attempt) =>
        readJsonReply(
          await ask(audio, { ...parameters, vad: 'segments' }, attempt),
          recognisedSegments,
          SEGMENTS_BODY_BYTES,
        ),
      ),
  };
};
