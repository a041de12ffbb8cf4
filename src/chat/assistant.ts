import { type ChatTurn } from '../api/contract.ts';
import type { ServiceClient } from '../api/client.ts';
import { AppError } from '../errors.ts';

export interface Assistant {
  /** Yields the whole answer so far and returns it; Markdown. `turns` are the conversation, oldest first. */
  answer(turns: readonly ChatTurn[], signal: AbortSignal): AsyncGenerator<string, string, void>;
}

export interface AssistantDeps {
  readonly client: Pick<ServiceClient, 'chatStream'>;
  /** The language model's name. Default: the service's own choice. */
  readonly model?: string;
}

export const createAssistant = ({ client, model }: AssistantDeps): Assistant => ({
  async *answer(turns, signal) {
    const text = yield* client.chatStream(
      {
        ...(model ? { model } : {}),
        messages: turns.map(({ role, content }) => ({ role, content: content.toWellFormed() })),
      },
      { signal },
    );
    if (text.trim() === '') throw new AppError('bad-reply', 'the language model answered nothing');
    return text;
  },
});
