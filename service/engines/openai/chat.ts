import { AppError } from '../../../src/errors.ts';
import type { ChatEngine } from '../../engine.ts';
import { ContractError } from '../../errors.ts';
import { STREAM_SILENCE_MS } from '../../language-model/chat-server.ts';
import type { Upstream } from '../../back-end/http.ts';
import type { Models } from './models.ts';

/** Bytes of UTF-8 in a token, at most about. */
const BYTES_PER_TOKEN = 5;

/**
 * Creates the chat ability: forwards the server's reply byte by byte, but for the service's own key; only
 * the model's name is replaced.
 */
export const createChat = (upstream: Upstream, model: string, models: Models): ChatEngine => ({
  models: models.chatting,
  complete: async (request, signal) => {
    const { model: wished = model } = request;
    const asked = models.listed.has(wished) ? wished : model;
    const contextTokens = models.contextTokens.get(asked) ?? Infinity;
    // Some servers cut what is too long, or answer nothing.
    if (contextTokens < Infinity && request.wordBytes() > BYTES_PER_TOKEN * contextTokens)
      throw new ContractError(
        'ErrTextTooLong',
        `The conversation is too long for the model, which takes ${contextTokens} tokens.`,
      );
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
