import type { ChatTurn } from '../api/contract.ts';
import type { ServiceClient } from '../api/client.ts';
import { AppError } from '../errors.ts';
import type { Asker } from '../model/service.ts';
import { withoutThinkingSoFar } from '../text/reply/translation-reply.ts';
import { createModelChoice } from './model-choice.ts';
import { estimateTokens } from './tokens.ts';

export interface Assistant {
  /**
   * Yields the whole answer so far and returns it; Markdown.
   *
   * @param turns the conversation, oldest first
   * @param used takes the tokens of conversation and answer when an answer that began has ended
   */
  answer(
    turns: readonly ChatTurn[],
    asker: Asker,
    signal: AbortSignal,
    used?: (tokens: number) => void,
  ): AsyncGenerator<string, string, void>;
}

export interface AssistantDeps {
  readonly client: Pick<ServiceClient, 'chatStream' | 'models' | 'serviceKeyOf'>;
  /** The language model's name. Default: the first one that the service lists. */
  readonly model?: string;
  readonly now?: () => number;
}

/** UTF-16 units of a reply, thinking included; of a longer one the beginning is the answer. */
const LONGEST_REPLY_CHARS = 100_000;

export const createAssistant = ({
  client,
  model: configured,
  now = () => performance.now(),
}: AssistantDeps): Assistant => {
  const choose = createModelChoice({ client, now });
  return {
    async *answer(turns, { lane, space }, signal, used = () => {}) {
      const model = configured ?? (await choose({ lane, space }, signal));
      const request = {
        ...(model === undefined ? {} : { model }),
        messages: turns.map(({ role, content }) => ({ role, content: content.toWellFormed() })),
      };
      let answer = '';
      let reply = '';
      let counted: number | undefined;
      const tokens = (count: number): void => {
        counted = (counted ?? 0) + count;
      };
      try {
        for await (const soFar of client.chatStream(request, { lane, space, signal, tokens })) {
          reply = soFar;
          answer = withoutThinkingSoFar(soFar.slice(0, LONGEST_REPLY_CHARS));
          if (answer.trim() !== '') yield answer;
          if (soFar.length > LONGEST_REPLY_CHARS) break;
        }
      } finally {
        const parts = [...turns.map(({ content }) => content), reply];
        if (counted !== undefined || reply !== '') used(counted ?? estimateTokens(parts));
      }
      if (answer.trim() === '')
        throw new AppError('bad-reply', 'the language model answered nothing');
      return answer;
    },
  };
};
