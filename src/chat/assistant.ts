import type { ServiceClient } from '../api/client.ts';
import type { ChatTurn } from '../api/contract.ts';
import { toAppError, AppError, type ErrorCode } from '../errors.ts';
import { EmptyStreamError } from '../http/event-stream.ts';
import type { Asker } from '../model/service.ts';
import { withoutControlTokens } from '../text/control-tokens.ts';
import { judgeAnswer, judgeAnswerSoFar } from '../text/reply/chat-reply.ts';
import { hasGrown } from '../text/reply/growth.ts';
import { createAnswerTokens } from './answer-tokens.ts';
import { createModelChoice } from './model-choice.ts';
import { fromFirstQuestion, lengthOf, withoutOldest } from './turns.ts';

/**
 * Bytes of UTF-8 in a token, about: English has four letters to a token; Cyrillic two letters, of two
 * bytes each; Chinese a little over one character, of three.
 */
const BYTES_PER_TOKEN = 4;

/** Estimates the tokens of texts, for services that don't count them. */
export const estimateTokens = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN), 0);

export type Assistant = ReturnType<typeof createAssistant>;

export interface AssistantDeps {
  readonly client: Pick<ServiceClient, 'chatStream' | 'models' | 'serviceKeyOf'>;
  /** The language model's name. Default: the first one that the service lists. */
  readonly model?: string;
  readonly now?: () => number;
}

/** UTF-16 units of a reply, thinking included; of a longer one the beginning is the answer. */
const LONGEST_REPLY_CHARS = 100_000;

/** Fewest tokens in which a question can be answered. */
const LEAST_TOKENS = 256;

/** Facts about an answer beside its words. */
export interface AnswerNotes {
  /** Takes the tokens of conversation and answer when an answer that began has ended. */
  readonly used?: (tokens: number) => void;
  /** Called at the end of an answer that is cut. */
  readonly cut?: () => void;
}

/** UTF-16 units from which no answer means that a conversation is too long. */
const LONG_CHARS = 1_000;

const isRefused = (thrown: unknown): boolean => toAppError(thrown).code === 'too-large';

const isTooLong = (thrown: unknown): boolean =>
  thrown instanceof EmptyStreamError || isRefused(thrown);

const noModel = (cause: unknown): AppError =>
  new AppError('config', 'the service lists no language model and chooses none', {
    sentence: { key: 'service.no-chat' },
    remedy: { key: 'remedies.check', params: { name: 'SPEECH_CHAT_MODEL' } },
    cause,
  });

const tooLong = (cause: unknown): AppError =>
  new AppError('too-large', 'the conversation is too long for the language model', {
    sentence: { key: 'service.too-long' },
    cause,
  });

/** The model only thought, until its tokens were used up. */
class OnlyThinkingError extends AppError {
  override readonly name = 'OnlyThinkingError';
  constructor() {
    super('bad-reply', 'the language model only thought');
  }
}

/** Errors that end an answer which began: what there is of it is shown. */
const BREAKS = new Set<ErrorCode>(['timeout', 'unavailable']);
/** Reasons for which a model has not come to its end. */
const CUT = new Set<string | undefined>([undefined, 'length', 'content_filter']);

interface Question extends Asker {
  /** The conversation as people see it, by which the answer is judged. */
  readonly turns: readonly ChatTurn[];
  readonly messages: readonly ChatTurn[];
  readonly model: string | undefined;
  readonly mostTokens: number;
  readonly notes: AnswerNotes;
}

export const createAssistant = (deps: AssistantDeps) => {
  const { client, model: configured, now = () => performance.now() } = deps;
  const choose = createModelChoice(client, now);
  const answerTokens = createAnswerTokens();

  /** Asks once. */
  const ask = async function* (
    { turns, messages, model, mostTokens, notes, lane, space }: Question,
    signal: AbortSignal,
  ): AsyncGenerator<string, string, void> {
    const { used = () => {}, cut = () => {} } = notes;
    const request = {
      ...(model === undefined ? {} : { model }),
      messages: [...messages],
      max_tokens: mostTokens,
    };
    let reply = '';
    let answer = '';
    let judgedChars = 0;
    let isCut = false;
    let reason: string | undefined = 'stop';
    let counted: number | undefined;
    const options = {
      lane,
      space,
      signal,
      tokens: (count: number) => {
        counted = (counted ?? 0) + count;
      },
      ended: (why: string | undefined) => {
        reason = why;
      },
    };
    /** Takes the answer out of the reply so far; true where it is cut. */
    const judge = (how: typeof judgeAnswer): boolean => {
      const judged = how(turns, reply.slice(0, LONGEST_REPLY_CHARS));
      if (judged.fault !== undefined)
        throw new AppError('bad-reply', `the language model's answer is ${judged.fault}`);
      answer = judged.text;
      return judged.isCut || reply.length > LONGEST_REPLY_CHARS;
    };
    try {
      for await (const soFar of client.chatStream(request, options)) {
        reply = soFar;
        if (!hasGrown(judgedChars, reply.length)) continue;
        judgedChars = reply.length;
        isCut = judge(judgeAnswerSoFar);
        if (answer.trim() !== '') yield answer;
        if (isCut) break;
      }
      isCut = judge(judgeAnswer) || CUT.has(reason);
    } catch (thrown) {
      if (answer.trim() === '' || signal.aborted || !BREAKS.has(toAppError(thrown).code))
        throw thrown;
      // A stream that was begun again may have come less far.
      if (reply.length > judgedChars) judge(judgeAnswerSoFar);
      isCut = true;
    } finally {
      const parts = [...messages.map(({ content }) => content), reply];
      if (counted !== undefined || reply !== '') used(counted ?? estimateTokens(parts));
    }
    if (answer.trim() === '') {
      if (reason === 'length') throw new OnlyThinkingError();
      throw new AppError('bad-reply', 'the language model answered nothing');
    }
    yield answer;
    if (isCut) cut();
    return answer;
  };

  return {
    /**
     * Yields the whole answer so far and returns it; Markdown. Of a conversation that is too long for the
     * model the oldest turns are left out.
     *
     * @param turns the conversation, oldest first
     */
    async *answer(
      turns: readonly ChatTurn[],
      asker: Asker,
      signal: AbortSignal,
      notes: AnswerNotes = {},
    ): AsyncGenerator<string, string, void> {
      const model = configured ?? (await choose(asker, signal));
      const name = model ?? '';
      let messages = fromFirstQuestion(
        turns.map(({ role, content }) => ({
          role,
          content: withoutControlTokens(content.toWellFormed()),
        })),
      );
      let fitting = Infinity;
      const tokens = (): number => Math.min(answerTokens.of(name, asker.lane), fitting);
      for (;;) {
        const mostTokens = tokens();
        try {
          return yield* ask({ ...asker, turns, messages, model, mostTokens, notes }, signal);
        } catch (thrown) {
          if (thrown instanceof OnlyThinkingError) {
            answerTokens.thinks(name);
            if (tokens() <= mostTokens) throw thrown;
            continue;
          }
          if (model === undefined && toAppError(thrown).code === 'bad-input') throw noModel(thrown);
          if (!isTooLong(thrown)) throw thrown;
          const isLong = lengthOf(messages) >= LONG_CHARS;
          const fewer = withoutOldest(messages);
          if (fewer) messages = fewer;
          else if (isRefused(thrown) && mostTokens >= 2 * LEAST_TOKENS) {
            // Servers count the tokens of an answer as well.
            fitting = Math.trunc(mostTokens / 2);
            if (!isLong) answerTokens.limit(name, fitting);
          } else throw isLong ? tooLong(thrown) : thrown;
        }
      }
    },
  };
};
