import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { STREAM_END } from '../../../src/api/contract.ts';
import { AppError } from '../../../src/errors.ts';
import { ContractError, invalidParameter } from '../../errors.ts';
import type { ChatServer, ServerReply } from '../../language-model/chat-server.ts';
import { eventOf, primed } from '../../respond.ts';
import type { ChatModel } from './model.ts';
import type { LlamaProcesses } from './processes.ts';
import type { LlamaReply } from './protocol.ts';
import { readChatRequest } from './request.ts';

type Completed = Extract<LlamaReply, { readonly kind: 'completed' }>;

/** Throws what a model's process refused, in the contract's words. */
export const demand = <K extends LlamaReply['kind']>(
  reply: LlamaReply,
  kind: K,
): Extract<LlamaReply, { readonly kind: K }> => {
  if (reply.kind === kind) return reply as Extract<LlamaReply, { readonly kind: K }>;
  if (reply.kind === 'too-long')
    throw new ContractError(
      'ErrTextTooLong',
      `The text is too long for the language model, which takes ${reply.mostTokens} tokens.`,
    );
  throw invalidParameter(
    reply.kind === 'bad-format'
      ? 'Invalid parameter: response_format: the schema has more than the model can keep to'
      : 'Invalid parameter: messages: the model does not take them in this order',
  );
};

const usageOf = ({ promptTokens, cachedTokens, replyTokens }: Completed) => ({
  prompt_tokens: promptTokens,
  completion_tokens: replyTokens,
  total_tokens: promptTokens + replyTokens,
  prompt_tokens_details: { cached_tokens: cachedTokens },
});

const headOf = (object: string, model: string) => ({
  id: `chatcmpl-${randomUUID()}`,
  object,
  created: Math.floor(Date.now() / 1_000),
  model,
});

/** Yields a reply as a stream of events. */
async function* stream(
  answer: AsyncGenerator<string, Completed>,
  name: string,
  countsAtEnd: boolean,
): AsyncGenerator<Uint8Array> {
  const head = headOf('chat.completion.chunk', name);
  const event = (fields: object): Uint8Array => eventOf({ ...head, ...fields });
  const delta = (words: object, finish: string | null = null): Uint8Array =>
    event({ choices: [{ index: 0, delta: words, finish_reason: finish }] });
  try {
    let step = await answer.next();
    yield delta({ role: 'assistant', content: '' });
    for (; !step.done; step = await answer.next()) yield delta({ content: step.value });
    yield delta({}, step.value.finish);
    if (countsAtEnd) yield event({ choices: [], usage: usageOf(step.value) });
    yield Buffer.from(`data: ${STREAM_END}\n\n`);
  } finally {
    await answer.return(undefined as never);
  }
}

/** Yields a reply in one piece. */
async function* whole(
  answer: AsyncGenerator<string, Completed>,
  name: string,
): AsyncGenerator<Uint8Array> {
  let content = '';
  let step = await answer.next();
  for (; !step.done; step = await answer.next()) content += step.value;
  const message = { role: 'assistant', content };
  yield Buffer.from(
    JSON.stringify({
      ...headOf('chat.completion', name),
      choices: [{ index: 0, message, finish_reason: step.value.finish }],
      usage: usageOf(step.value),
    }),
  );
}

/** A server with the OpenAI API over the processes of models; `modelOf` finds a model by its name. */
export const createLlamaServer = (
  processes: LlamaProcesses,
  modelOf: (name: unknown) => ChatModel,
): ChatServer => ({
  send: async (_path, body, signal): Promise<ServerReply> => {
    const { completion, isStreamed, countsAtEnd } = readChatRequest(body);
    const model = modelOf(body['model']);
    const own = new AbortController();
    const wanted = AbortSignal.any([signal, own.signal]);
    const words = new Readable({ objectMode: true, read: () => {} });
    const asked = processes.call(model, completion, wanted, (text) => words.push(text));
    const written = asked.then(
      () => void words.push(null),
      (error: Error) => void words.destroy(error),
    );
    /** Yields the words of the reply; returns its end. Ending it stops the model. */
    const answer = (async function* () {
      try {
        for await (const text of words) yield text as string;
        return demand(await asked, 'completed');
      } finally {
        own.abort();
      }
    })();
    return {
      mediaType: isStreamed ? 'text/event-stream' : 'application/json',
      written,
      // Begun before it is passed on, so that a refusal can still become another reply.
      body: await primed(
        isStreamed ? stream(answer, model.name, countsAtEnd) : whole(answer, model.name),
      ),
      failedWithin: () => new AppError('unavailable', 'The model broke off.', { retryable: true }),
    };
  },
});
