import { countCodePoints } from '../text/unicode.ts';
import type { Attempt, Call, CallOptions, Caller } from './caller.ts';
import { completion, MODELS_PATH, PATHS, type ChatRequest, type Completion } from './contract.ts';
import { modelIds, growingText, type ReplyNotes } from './replies.ts';
import { ServiceError } from './service-error.ts';
import { expectMediaType, readJsonReply, type HttpReply } from './transport.ts';

const DEADLINE_MS = 120_000;
const MODELS_DEADLINE_MS = 15_000;

export interface ChatStreamOptions extends CallOptions {
  /** Takes the tokens of question and answer when the stream ends, where the service counts them. */
  readonly tokens?: (count: number) => void;
  readonly ended?: ReplyNotes['ended'];
}

export type ChatApi = ReturnType<typeof createChatApi>;

/** Statuses with which a strict server refuses a field that it doesn't know. */
const UNKNOWN_FIELD = new Set([400, 422]);

const isUnknownField = (thrown: unknown): boolean =>
  thrown instanceof ServiceError && UNKNOWN_FIELD.has(thrown.status) && thrown.code !== 'too-large';

const callOf = ({ messages }: Pick<ChatRequest, 'messages'>, options: CallOptions): Call => ({
  endpoint: 'chat',
  options,
  defaultMs: DEADLINE_MS,
  characters: messages.reduce((sum, { content }) => sum + countCodePoints(content), 0),
});

const ask = async (request: ChatRequest, { send }: Attempt): Promise<HttpReply> =>
  send({
    method: 'POST',
    path: PATHS.chat,
    headers: { 'content-type': 'application/json' },
    body: () => JSON.stringify(request),
  });

export const createChatApi = (caller: Caller) => {
  /** True where streams tell their usage on request; undefined until the service has answered one. */
  let tellsUsage: boolean | undefined;

  /** Sends a request for a stream with its usage; without that where only that is refused. */
  const askForStream = async (request: ChatRequest, attempt: Attempt): Promise<HttpReply> => {
    const streamed = { ...request, stream: true };
    if (tellsUsage === false) return ask(streamed, attempt);
    try {
      const reply = await ask({ ...streamed, stream_options: { include_usage: true } }, attempt);
      tellsUsage = true;
      return reply;
    } catch (thrown) {
      if (tellsUsage || !isUnknownField(thrown)) throw thrown;
      const reply = await ask(streamed, attempt);
      tellsUsage = false;
      return reply;
    }
  };

  return {
    /** Sends POST /openai/v1/chat/completions; resolves with the answer in one piece. */
    chat: async (request: Omit<ChatRequest, 'stream'>, options: CallOptions): Promise<Completion> =>
      caller.once(callOf(request, options), async (attempt) => {
        const reply = await ask({ ...request, stream: false }, attempt);
        expectMediaType(reply, /json$/);
        const parsed = await readJsonReply(reply, completion);
        attempt.used(parsed.usage ?? {});
        return parsed;
      }),

    /** Sends GET /openai/v1/models of that public API: the ids of the models. */
    models: async (options: CallOptions): Promise<readonly string[]> =>
      caller.once(
        { endpoint: 'models', options, defaultMs: MODELS_DEADLINE_MS },
        async ({ send }) => {
          const reply = await send({ method: 'GET', path: MODELS_PATH });
          expectMediaType(reply, /json$/);
          return readJsonReply(reply, modelIds);
        },
      ),

    /** Sends the same request, streamed: yields the whole text so far and returns it. */
    chatStream: (
      request: Omit<ChatRequest, 'stream'>,
      options: ChatStreamOptions,
    ): AsyncGenerator<string, string, void> =>
      caller.states(callOf(request, options), async function* (attempt) {
        const note: Attempt['used'] = (usage) => {
          attempt.used(usage);
          if (typeof usage.total_tokens === 'number') options.tokens?.(usage.total_tokens);
        };
        const { ended = () => {} } = options;
        return yield* growingText(await askForStream(request, attempt), { used: note, ended });
      }),
  };
};
