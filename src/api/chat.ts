import type { CallOptions, Caller } from './caller.ts';
import { completion, MODELS_PATH, PATHS, type ChatRequest, type Completion } from './contract.ts';
import { modelList } from './replies.ts';
import { growingText } from './growing-text.ts';
import { expectMediaType, readJsonReply, type HttpReply } from './transport.ts';

const DEADLINE_MS = 120_000;
const MODELS_DEADLINE_MS = 15_000;

export interface ChatApi {
  /** Sends POST /openai/v1/chat/completions; resolves with the answer in one piece. */
  chat(request: Omit<ChatRequest, 'stream'>, options: CallOptions): Promise<Completion>;
  /** Sends GET /openai/v1/models of that public API: the ids of the models. */
  models(options: CallOptions): Promise<readonly string[]>;
  /** Sends the same request, streamed: yields the whole text so far and returns it. */
  chatStream(
    request: Omit<ChatRequest, 'stream'>,
    options: CallOptions,
  ): AsyncGenerator<string, string, void>;
}

export const createChatApi = (caller: Caller): ChatApi => {
  const send = async (request: ChatRequest, signal: AbortSignal): Promise<HttpReply> =>
    caller.transport.send(
      {
        method: 'POST',
        path: PATHS.chat,
        headers: { 'content-type': 'application/json' },
        body: () => JSON.stringify(request),
      },
      signal,
    );

  return {
    chat: async (request, options) =>
      caller.once(options, DEADLINE_MS, async (signal) => {
        const reply = await send({ ...request, stream: false }, signal);
        expectMediaType(reply, /json$/);
        return readJsonReply(reply, completion);
      }),

    models: async (options) =>
      caller.once(options, MODELS_DEADLINE_MS, async (signal) => {
        const reply = await caller.transport.send({ method: 'GET', path: MODELS_PATH }, signal);
        expectMediaType(reply, /json$/);
        return (await readJsonReply(reply, modelList)).data.map(({ id }) => id);
      }),

    chatStream: (request, options) =>
      caller.states(options, DEADLINE_MS, async function* (signal) {
        return yield* growingText(await send({ ...request, stream: true }, signal));
      }),
  };
};
