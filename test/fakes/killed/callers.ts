import { setTimeout as delay } from 'node:timers/promises';
import type { CallOptions } from '../../../src/api/caller.ts';
import type { ServiceClient } from '../../../src/api/client.ts';
import type { Realtime } from '../../../src/api/realtime/index.ts';
import { AppError } from '../../../src/errors.ts';
import { ASKER } from '../asker.ts';

/** What became of the calls of one kind. */
export interface Tally {
  calls: number;
  answered: number;
  /** Errors by their code; others by their text. */
  readonly errors: Map<string, number>;
  longestMs: number;
}

export interface Callers {
  readonly tallies: ReadonlyMap<string, Tally>;
  /** Makes no further calls; resolves when all calls have ended. */
  stop(): Promise<void>;
}

/** Kinds of calls; each resolves when it is answered whole. */
export type Calls = Readonly<Record<string, (options: CallOptions) => Promise<unknown>>>;

const DEADLINE_MS = 20_000;
const BETWEEN_MS = 5;
const AFTER_ERROR_MS = 50;

/** Makes all kinds of calls side by side, one after the other of each kind. */
export const startCallers = (calls: Calls): Callers => {
  const stopped = new AbortController();
  const tallies = new Map<string, Tally>();
  const { signal } = new AbortController();
  const options: CallOptions = { ...ASKER, signal, deadlineMs: DEADLINE_MS };

  const repeat = async (kind: string, call: Calls[string]): Promise<void> => {
    const tally: Tally = { calls: 0, answered: 0, errors: new Map(), longestMs: 0 };
    tallies.set(kind, tally);
    while (!stopped.signal.aborted) {
      const startMs = performance.now();
      tally.calls += 1;
      const fault = await call(options).then(
        () => undefined,
        (error: unknown) => (error instanceof AppError ? error.code : String(error)),
      );
      tally.longestMs = Math.max(tally.longestMs, performance.now() - startMs);
      if (fault === undefined) tally.answered += 1;
      else tally.errors.set(fault, (tally.errors.get(fault) ?? 0) + 1);
      await delay(fault === undefined ? BETWEEN_MS : AFTER_ERROR_MS);
    }
  };
  const running = Object.entries(calls).map(([kind, call]) => repeat(kind, call));
  return {
    tallies,
    stop: async () => {
      stopped.abort();
      await Promise.all(running);
    },
  };
};

const TRANSLATION = { text: 'the fox', sourceLang: 'en', targetLang: 'es' };
const CHAT = { messages: [{ role: 'user' as const, content: 'Why?' }] };

const drained = async (items: AsyncIterable<unknown>): Promise<void> => {
  for await (const _ of items);
};

/** Calls of every path of the contract that can be repeated without a voice. */
export const textCalls = (client: ServiceClient): Calls => ({
  translate: (options) => client.translate(TRANSLATION, options),
  translateStream: (options) => drained(client.translateStream(TRANSLATION, options)),
});

export const recognitionCalls = (client: ServiceClient, wav: Uint8Array): Calls => {
  const audio = {
    sizeBytes: wav.length,
    open: async function* () {
      yield wav;
    },
  };
  return {
    transcribe: (options) => client.transcribe(audio, {}, options),
    transcribeSegments: (options) => client.transcribeSegments(audio, {}, options),
  };
};

export const chatCalls = (client: ServiceClient): Calls => ({
  chat: (options) => client.chat(CHAT, options),
  chatStream: (options) => drained(client.chatStream(CHAT, options)),
  models: (options) => client.models(options),
});

/** @param voiceId a voice of the back end that is killed */
export const speechCalls = (
  client: ServiceClient,
  realtime: Realtime | undefined,
  voiceId: string,
): Calls => {
  const request = { voice_id: voiceId, text: 'Hello there.', format: 'pcm', stream: true } as const;
  const { speech } = realtime ?? {};
  return {
    voices: (options) => client.voices(options),
    speak: async (options) => drained(await client.speak(request, options)),
    ...(speech
      ? { speakRealtime: async (options) => drained(await speech.speak(request, options)) }
      : {}),
  };
};

const CHUNK_BYTES = 3_200;

/** Recognition over the WebSocket path. */
export const realtimeRecognitionCalls = (realtime: Realtime, pcm: Uint8Array): Calls => ({
  recogniseRealtime: async () => {
    const failed = Promise.withResolvers<never>();
    failed.promise.catch(() => undefined);
    const { openSession } = await realtime.recognition!.of(ASKER.space);
    const session = openSession({
      language: 'en',
      asker: ASKER,
      changed: () => undefined,
      failed: failed.reject,
    });
    for (let at = 0; at < pcm.length; at += CHUNK_BYTES) {
      session.append(pcm.subarray(at, at + CHUNK_BYTES));
      await delay(BETWEEN_MS);
    }
    await Promise.race([session.finish(), failed.promise]);
  },
});
