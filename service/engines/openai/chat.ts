import { Readable } from 'node:stream';
import { z } from 'zod';
import { AppError } from '../../../src/errors.ts';
import type { ChatEngine, TextVector } from '../../engine.ts';
import { STREAM_SILENCE_MS } from '../../language-model/chat-server.ts';
import { assertFits, BYTES_PER_TOKEN } from '../../language-model/token-budget.ts';
import type { Upstream } from '../../back-end/http.ts';
import type { Models } from './models.ts';

const vectorsReply = z.object({
  data: z.array(z.object({ index: z.int().nonnegative(), embedding: z.array(z.number()).min(1) })),
  model: z.string().catch(''),
  usage: z.object({ prompt_tokens: z.int().nonnegative() }).optional().catch(undefined),
});

/** Texts of one call, and their bytes: it is short, for others wait for their turn meanwhile. */
const MOST_OF_CALL = { texts: 64, bytes: 8 * 1024 };
/** Calls for one request that run at the same time. */
const CALLS_AT_ONCE = 4;

const bytesOf = (texts: readonly string[]): number => Buffer.byteLength(texts.join(''));

function* callsOf(texts: readonly string[]): Generator<readonly string[]> {
  let call: string[] = [];
  for (const text of texts) {
    const isFull =
      call.length === MOST_OF_CALL.texts || bytesOf([...call, text]) > MOST_OF_CALL.bytes;
    if (isFull && call.length > 0) {
      yield call;
      call = [];
    }
    call.push(text);
  }
  yield call;
}

/** Forwards texts of which vectors are to be made. */
const createEmbed = (
  upstream: Upstream,
  model: string,
  { listed }: Models,
): NonNullable<ChatEngine['embed']> =>
  async function* ({ texts, model: wished = model }, signal, turn) {
    const asked = listed.has(wished) ? wished : model;
    const own = new AbortController();
    const wanted = AbortSignal.any([signal, own.signal]);
    const make = async (part: readonly string[]): Promise<TextVector[]> => {
      using _ = await turn();
      const { data, usage, ...made } = await upstream.ask(
        ['a vector for each text', vectorsReply.refine((all) => all.data.length === part.length)],
        '/embeddings',
        { model: asked, input: part, encoding_format: 'float' },
        wanted,
      );
      const tokens = usage?.prompt_tokens ?? Math.ceil(bytesOf(part) / BYTES_PER_TOKEN);
      return data
        .toSorted((a, b) => a.index - b.index)
        .map(({ embedding: vector }, index) => ({
          vector,
          model: made.model || asked,
          tokens: index === 0 ? tokens : 0,
        }));
    };
    const calls = Readable.from(callsOf(texts)).map(
      (part: readonly string[]) =>
        make(part).catch((error: unknown) => {
          // What one call rejects with, ends the others at once.
          own.abort(error);
          throw error;
        }),
      { concurrency: CALLS_AT_ONCE, signal },
    );
    for await (const made of calls) yield* made as TextVector[];
  };

/**
 * Creates the chat ability: forwards the server's reply byte by byte, but for the service's own key; only
 * the model's name is replaced.
 */
export const createChat = (upstream: Upstream, model: string, models: Models): ChatEngine => ({
  models: models.chatting,
  ...(models.embedding === undefined
    ? {}
    : { embed: createEmbed(upstream, models.embedding, models) }),
  complete: async (request, signal) => {
    const { model: wished = model } = request;
    const asked = models.listed.has(wished) ? wished : model;
    // Some servers cut what is too long, or answer nothing.
    assertFits(request, models.contextTokens.get(asked) ?? Infinity);
    const body = request.withModel(asked);
    const silenceMs = request.isStreamed ? STREAM_SILENCE_MS : undefined;
    const reply = await upstream.send('/chat/completions', body, signal, silenceMs);
    if (!/\bjson\b|event-stream/.test(reply.mediaType)) {
      reply.body.destroy();
      throw new AppError('bad-reply', 'The backend did not answer with a chat completion.');
    }
    return { mediaType: reply.mediaType, body: upstream.forward(reply.body) };
  },
});
