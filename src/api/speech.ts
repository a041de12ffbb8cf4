import { joinFiles } from '../audio/chunk/join-files.ts';
import { AppError, toAppError } from '../errors.ts';
import type { AudioFormat } from '../model/message.ts';
import { splitText } from '../text/split/split.ts';
import { countCodePoints } from '../text/unicode.ts';
import type { Call, CallOptions, Caller } from './caller.ts';
import { SERVICE_LIMITS, PATHS, ttsRequest, type TtsRequest, type Voice } from './contract.ts';
import { usableVoice, voiceList } from './replies.ts';
import { expectMediaType, networkError, readJsonReply } from './transport.ts';

const SPEECH_DEADLINE_MS = 120_000;
const VOICES_DEADLINE_MS = 15_000;

export type SpeechApi = ReturnType<typeof createSpeechApi>;

/** Media types that services send for each format; an unspecific one is accepted for any. */
const TYPES: Readonly<Record<AudioFormat, RegExp>> = {
  mp3: /^audio\/(?:mpeg|mp3|x-mp3)$|octet-stream$/,
  wav: /^audio\/(?:x-|vnd\.)?wave?$|octet-stream$/,
  ogg: /^(?:audio|application)\/(?:ogg|opus)$|octet-stream$/,
  pcm: /^audio\/(?:pcm|x-pcm|l16|raw|x-raw|basic)$|octet-stream$/,
  flac: /^audio\/(?:x-)?flac$|octet-stream$/,
};

const body = async function* (
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* chunks;
  } catch (cause) {
    throw signal.aborted ? toAppError(signal.reason) : networkError(cause);
  }
};

/** Resolves with the audio once some of it is there. Rejects with `bad-reply` for a success without any. */
const begun = async (
  chunks: AsyncGenerator<Uint8Array, void, void>,
): Promise<AsyncIterable<Uint8Array>> => {
  let first = await chunks.next();
  while (!first.done && first.value.length === 0) first = await chunks.next();
  const { done, value } = first;
  if (done) throw new AppError('bad-reply', 'the service sent no audio', { retryable: true });
  return (async function* () {
    try {
      yield value;
      yield* chunks;
    } finally {
      await chunks.return();
    }
  })();
};

const voicesCall = (options: CallOptions): Call => ({
  endpoint: 'voices',
  options,
  defaultMs: VOICES_DEADLINE_MS,
});

const speechCall = ({ text }: TtsRequest, options: CallOptions): Call => ({
  endpoint: 'tts',
  options,
  defaultMs: SPEECH_DEADLINE_MS,
  characters: countCodePoints(text),
});

export const createSpeechApi = (caller: Caller) => {
  const speakPart = async (
    request: TtsRequest,
    options: CallOptions,
  ): Promise<AsyncIterable<Uint8Array>> =>
    caller.opened(speechCall(request, options), async ({ signal, send }) => {
      const reply = await send({
        method: 'POST',
        path: PATHS.tts,
        headers: { 'content-type': 'application/json' },
        body: () => JSON.stringify(request),
      });
      expectMediaType(reply, TYPES[request.format]);
      return begun(body(reply.body, signal));
    });

  return {
    voices: async (options: CallOptions): Promise<readonly Voice[]> =>
      caller.once(voicesCall(options), async ({ send }) => {
        const reply = await send({ method: 'GET', path: PATHS.voices });
        expectMediaType(reply, /json$/);
        const { voices } = await readJsonReply(reply, voiceList);
        const good = voices.flatMap((entry) => usableVoice.safeParse(entry).data ?? []);
        if (good.length === 0 && voices.length > 0)
          throw new AppError('bad-reply', 'no entry of the voice list has the right shape');
        return good;
      }),

    /**
     * Sends POST /tts: resolves when the first audio is there, with the file's bytes as they arrive. A text of any
     * length is spoken in parts, split at sentence ends, which are joined into one file.
     */
    async speak(request: TtsRequest, options: CallOptions): Promise<AsyncIterable<Uint8Array>> {
      const checked = ttsRequest.safeParse(request);
      if (!checked.success)
        throw new AppError('bad-input', 'a speech parameter is outside the contract', {
          cause: checked.error,
        });
      const [first = '', ...others] = splitText(
        request.text,
        SERVICE_LIMITS.ttsTextCodePoints,
      ).filter((part) => part.trim() !== '');
      const opening = await speakPart({ ...request, text: first }, options);
      if (others.length === 0) return opening;
      const parts = async function* (): AsyncGenerator<AsyncIterable<Uint8Array>, void, void> {
        yield opening;
        // After the first part there is no fallback any more.
        for (const text of others)
          yield await speakPart({ ...request, text }, { ...options, hasFallback: false });
      };
      return joinFiles(request.format, parts());
    },
  };
};
