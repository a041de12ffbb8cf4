import { z } from 'zod';
import { join } from '../audio/join.ts';
import { AppError } from '../errors.ts';
import { splitText } from '../text/split.ts';
import type { CallOptions, Caller } from './client.ts';
import {
  LIMITS,
  PATHS,
  ttsRequest,
  voice,
  voicesReply,
  type TtsRequest,
  type Voice,
} from './contract.ts';
import { expectMediaType, networkError, readJson } from './transport.ts';

const SPEECH_DEADLINE_MS = 120_000;
const VOICES_DEADLINE_MS = 15_000;

export interface SpeechApi {
  /** GET /tts/voices. */
  voices(options: CallOptions): Promise<readonly Voice[]>;
  /**
   * POST /tts: resolves when the service began to answer, with the file's bytes as they come. A text
   * of any length: spoken in parts at sentence ends, which are joined to one file.
   */
  speak(request: TtsRequest, options: CallOptions): Promise<AsyncIterable<Uint8Array>>;
}

/** Some deployments answer with the bare array. */
const anyVoicesReply = z.union([voicesReply, z.array(voice).transform((voices) => ({ voices }))]);

const body = async function* (
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* chunks;
  } catch (cause) {
    signal.throwIfAborted();
    throw networkError(cause);
  }
};

export const createSpeech = (caller: Caller): SpeechApi => {
  const speakPart = async (
    request: TtsRequest,
    options: CallOptions,
  ): Promise<AsyncIterable<Uint8Array>> =>
    caller.once(options, SPEECH_DEADLINE_MS, async (signal) => {
      const reply = await caller.transport.send(
        {
          method: 'POST',
          path: PATHS.tts,
          headers: { 'content-type': 'application/json' },
          body: () => JSON.stringify(request),
        },
        signal,
      );
      expectMediaType(reply, /^audio\/|^application\/(?:ogg|octet-stream)$/);
      return body(reply.body, signal);
    });

  return {
    voices: async (options) =>
      caller.once(options, VOICES_DEADLINE_MS, async (signal) => {
        const reply = await caller.transport.send({ method: 'GET', path: PATHS.voices }, signal);
        expectMediaType(reply, /json$/);
        return (await readJson(reply, anyVoicesReply)).voices;
      }),

    async speak(request, options) {
      const checked = ttsRequest.safeParse(request);
      if (!checked.success)
        throw new AppError('bad-input', 'a speech parameter is outside the contract', {
          cause: checked.error,
        });
      const [first = '', ...others] = splitText(request.text, LIMITS.ttsTextCodePoints).filter(
        (part) => part.trim() !== '',
      );
      const opening = await speakPart({ ...request, text: first }, options);
      if (others.length === 0) return opening;
      const parts = async function* (): AsyncGenerator<AsyncIterable<Uint8Array>, void, void> {
        yield opening;
        for (const text of others) yield await speakPart({ ...request, text }, options);
      };
      return join(request.format, parts());
    },
  };
};
