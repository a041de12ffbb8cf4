import { z } from 'zod';
import { AppError } from '../../../src/errors.ts';
import type { ChatEngine } from '../../engine.ts';
import { STREAM_SILENCE_MS } from '../../language-model/chat-server.ts';
import { assertFits, BYTES_PER_TOKEN } from '../../language-model/token-budget.ts';
import type { Upstream } from '../../back-end/http.ts';
import type { Models } from './models.ts';

const vectorsReply = z.object({
  data: z.array(z.object({ index: z.int().nonnegative(), embedding: z.array(z.number()).min(1) })),
  model: z.string().catch(''),
  usage: z.object({ prompt_tokens: z.int().nonnegative() }).optional().catch(undefined),
});

/** Forwards texts of which vectors are to be made. */
const createEmbed =
  (upstream: Upstream, model: string, { listed }: Models): NonNullable<ChatEngine['embed']> =>
  async ({ texts, model: wished = model }, signal) => {
    const asked = listed.has(wished) ? wished : model;
    const body = { model: asked, input: texts, encoding_format: 'float' };
    const schema = vectorsReply.refine(({ data }) => data.length === texts.length);
    const made = await upstream.ask(
      ['a vector for each text', schema],
      '/embeddings',
      body,
      signal,
    );
    const vectors = made.data.toSorted((a, b) => a.index - b.index).map((one) => one.embedding);
    const bytes = Buffer.byteLength(texts.join(''));
    const tokens = made.usage?.prompt_tokens ?? Math.ceil(bytes / BYTES_PER_TOKEN);
    return { model: made.model || asked, vectors, tokens };
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
