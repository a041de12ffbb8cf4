import { countCodePoints } from '../text/unicode.ts';
import type { Call, CallOptions, Caller } from './caller.ts';
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

const callOf = ({ messages }: Pick<ChatRequest, 'messages'>, options: CallOptions): Call => ({
  endpoint: 'chat',
  options,
  defaultMs: DEADLINE_MS,
  characters: messages.reduce((sum, { content }) => sum + countCodePoints(content), 0),
});

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
      caller.once(callOf(request, options), async ({ signal, used }) => {
        const reply = await send({ ...request, stream: false }, signal);
        expectMediaType(reply, /json$/);
        const parsed = await readJsonReply(reply, completion);
        used(parsed.usage ?? {});
        return parsed;
      }),

    models: async (options) =>
      caller.once(
        { endpoint: 'models', options, defaultMs: MODELS_DEADLINE_MS },
        async ({ signal }) => {
          const reply = await caller.transport.send({ method: 'GET', path: MODELS_PATH }, signal);
          expectMediaType(reply, /json$/);
          return (await readJsonReply(reply, modelList)).data.map(({ id }) => id);
        },
      ),

    chatStream: (request, options) =>
      caller.states(callOf(request, options), async function* ({ signal, used }) {
        return yield* growingText(await send({ ...request, stream: true }, signal), used);
      }),
  };
};
