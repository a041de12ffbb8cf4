import { type ChatTurn } from '../api/contract.ts';
import type { ServiceClient } from '../api/client.ts';
import { AppError } from '../errors.ts';
import type { Asker } from '../model/lane.ts';
import { withoutThinkingSoFar } from '../text/reply/thinking.ts';
import { createModelChoice } from './model-choice.ts';

export interface Assistant {
  /** Yields the whole answer so far and returns it; Markdown. `turns` are the conversation, oldest first. */
  answer(
    turns: readonly ChatTurn[],
    asker: Asker,
    signal: AbortSignal,
  ): AsyncGenerator<string, string, void>;
}

export interface AssistantDeps {
  readonly client: Pick<ServiceClient, 'chatStream' | 'models'>;
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
    async *answer(turns, { lane, space }, signal) {
      const model = configured ?? (await choose({ lane, space }, signal));
      const request = {
        ...(model === undefined ? {} : { model }),
        messages: turns.map(({ role, content }) => ({ role, content: content.toWellFormed() })),
      };
      let answer = '';
      for await (const soFar of client.chatStream(request, { lane, space, signal })) {
        answer = withoutThinkingSoFar(soFar.slice(0, LONGEST_REPLY_CHARS));
        if (answer.trim() !== '') yield answer;
        if (soFar.length > LONGEST_REPLY_CHARS) break;
      }
      if (answer.trim() === '')
        throw new AppError('bad-reply', 'the language model answered nothing');
      return answer;
    },
  };
};
