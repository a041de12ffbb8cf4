import type { z } from 'zod';
import { completion, completionChunk, type TokenUsage } from '../../src/api/contract.ts';
import { AppError } from '../../src/errors.ts';
import { readEvents } from '../../src/http/event-stream.ts';
import type { TranslationPiece } from '../engine.ts';
import { ContractError } from '../errors.ts';
import { parseJson } from '../json.ts';
import { readReply, type ServerReply } from './chat-server.ts';

export const notChat = (): AppError =>
  new AppError('bad-reply', 'The backend did not answer with a chat completion.');

const brokenOff = (cause?: unknown): AppError =>
  new AppError('unavailable', 'The backend broke off.', { cause, retryable: true });

const UNUSABLE = 'No usable translation:';

/** The model thought until its tokens were used up. */
export class OnlyThinkingError extends ContractError {
  constructor() {
    super('ErrBadReply', `${UNUSABLE} the model only thought.`);
  }
}

/** The model went on until its tokens were used up. */
export class CutReplyError extends ContractError {
  constructor() {
    super('ErrBadReply', `${UNUSABLE} the model’s reply is cut.`);
  }
}

/** A reply that only thinks so far, or may be about to. */
const THINKING = /^\s*<(?:think|thinking|thought|reasoning)>(?![^]*<\/)/i;
const MAY_THINK = new RegExp(`${THINKING.source}|^\\s*<[a-z]{0,9}$`, 'i');

/** Throws `ErrBadReply` where a reply is not whole, or is empty. */
const assertWhole = (text: string, thinks: boolean, finish: string | null | undefined): void => {
  const isThinking = (thinks && text === '') || THINKING.test(text);
  if (finish === 'length') throw isThinking ? new OnlyThinkingError() : new CutReplyError();
  if (finish === 'content_filter')
    throw new ContractError('ErrBadReply', `${UNUSABLE} the backend withholds it.`);
  if (text === '') throw new ContractError('ErrBadReply', `${UNUSABLE} the reply is empty.`);
};

/** The answer of a chat completion as far as it is known. */
export interface ChatAnswer {
  readonly text: string;
  /** Name of the model; empty where the server does not tell. */
  readonly model: string;
  /** True where the model has thought, apart from the text. */
  readonly thinks: boolean;
  readonly finish: string | null | undefined;
  readonly usage: TokenUsage | undefined;
}

export const NO_ANSWER: ChatAnswer = {
  text: '',
  model: '',
  thinks: false,
  finish: undefined,
  usage: undefined,
};

/**
 * Yields the answer after each part of a stream, or once where the server sends it whole. Throws `bad-reply`
 * for a reply that is none, what `failedWithin` makes of an error in its place, and `unavailable` for one that breaks.
 */
export async function* answersIn({
  mediaType,
  body,
  failedWithin,
}: ServerReply): AsyncGenerator<ChatAnswer, void, void> {
  const read = <T>(schema: z.ZodType<T>, json: string): T => {
    const value = parseJson(json, notChat);
    const { error } = Object(value) as { readonly error?: unknown };
    if (error) throw failedWithin(error);
    const { data } = schema.safeParse(value);
    if (data === undefined) throw notChat();
    return data;
  };
  if (!mediaType.includes('event-stream')) {
    const { choices, model, usage } = read(completion, await readReply(body));
    const { message, finish_reason: finish } = choices[0] ?? {};
    const thinks = Boolean(message?.reasoning_content || message?.reasoning);
    yield { text: message?.content ?? '', model, thinks, finish, usage };
    return;
  }
  let soFar = NO_ANSWER;
  for await (const json of readEvents(body, brokenOff)) {
    const { choices, model, usage } = read(completionChunk, json);
    const { delta, finish_reason: finish } = choices?.[0] ?? {};
    soFar = {
      text: soFar.text + (delta?.content ?? ''),
      model: model || soFar.model,
      thinks: soFar.thinks || Boolean(delta?.reasoning_content || delta?.reasoning),
      finish: finish ?? soFar.finish,
      usage: usage ?? soFar.usage,
    };
    yield soFar;
  }
}

/**
 * Reads a chat completion, streamed or whole, as the pieces of a translation; they are empty while the
 * model thinks. Throws `ErrBadReply` after the last piece where the model was stopped before the end or
 * wrote nothing, and `unavailable` where it does not say that it came to an end.
 */
export async function* readCompletion(
  reply: ServerReply,
  asked: string,
): AsyncGenerator<TranslationPiece, void, void> {
  // Some servers send a whole one although a stream was requested.
  const isStream = reply.mediaType.includes('event-stream');
  let last = NO_ANSWER;
  let sentChars = 0;
  for await (last of answersIn(reply)) {
    // A reply that is only thought can be asked for again, so nothing of it goes on.
    const isHeld = !isStream || MAY_THINK.test(last.text);
    const text = isHeld ? '' : last.text.slice(sentChars);
    sentChars += text.length;
    if (isStream && (last.thinks || last.text !== '')) yield { text, model: last.model || asked };
  }
  const { text, thinks, finish, usage } = last;
  assertWhole(text, thinks, finish);
  if (isStream && finish === undefined) throw brokenOff();
  const model = last.model || asked;
  yield { text: text.slice(sentChars), model, ...(usage ? { usage } : {}) };
}
