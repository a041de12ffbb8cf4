import { completion, completionChunk, type TokenUsage } from '../../src/api/contract.ts';
import { AppError } from '../../src/errors.ts';
import { readEvents } from '../../src/http/event-stream.ts';
import type { TranslationPiece } from '../engine.ts';
import { ContractError } from '../errors.ts';
import { parseJson } from '../json.ts';
import { readReply, type ServerReply } from './chat-server.ts';

const notChat = (): AppError =>
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

/** The error that stands in place of a reply, or of a part of it. */
const errorIn = (value: unknown): unknown => (Object(value) as { error?: unknown }).error;

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

/** Reads a whole reply: some servers send one although a stream was requested. */
const readWhole = async (
  { body, failedWithin }: ServerReply,
  asked: string,
): Promise<TranslationPiece> => {
  const reply = parseJson(await readReply(body), notChat);
  const error = errorIn(reply);
  if (error) throw failedWithin(error);
  const { data } = completion.safeParse(reply);
  const [choice] = data?.choices ?? [];
  const text = choice?.message.content;
  if (!data || typeof text !== 'string') throw notChat();
  const { reasoning_content: thought, reasoning } = choice?.message ?? {};
  assertWhole(text, Boolean(thought || reasoning), choice?.finish_reason);
  return { text, model: data.model || asked, ...(data.usage ? { usage: data.usage } : {}) };
};

/**
 * Reads a chat completion, streamed or whole, as the pieces of a translation; they are empty while the
 * model thinks. Throws `ErrBadReply` after the last piece where the model was stopped before the end or
 * wrote nothing, and `unavailable` where it does not say that it came to an end.
 */
export async function* readCompletion(
  reply: ServerReply,
  asked: string,
): AsyncGenerator<TranslationPiece, void, void> {
  if (!reply.mediaType.includes('event-stream')) {
    yield await readWhole(reply, asked);
    return;
  }
  let model = asked;
  let whole = '';
  let sentChars = 0;
  let thinks = false;
  let finish: string | undefined;
  let usage: TokenUsage | undefined;
  for await (const data of readEvents(reply.body, brokenOff)) {
    const event = parseJson(data, notChat);
    const error = errorIn(event);
    if (error) throw reply.failedWithin(error);
    const parsed = completionChunk.safeParse(event);
    if (!parsed.success) throw notChat();
    model = parsed.data.model || model;
    usage = parsed.data.usage ?? usage;
    const [choice] = parsed.data.choices ?? [];
    finish = choice?.finish_reason ?? finish;
    thinks ||= Boolean(choice?.delta?.reasoning_content || choice?.delta?.reasoning);
    whole += choice?.delta?.content ?? '';
    // A reply that is only thought can be asked for again, so nothing of it goes on.
    const text = MAY_THINK.test(whole) ? '' : whole.slice(sentChars);
    sentChars += text.length;
    if (thinks || whole !== '') yield { text, model };
  }
  assertWhole(whole, thinks, finish);
  if (finish === undefined) throw brokenOff();
  yield { text: whole.slice(sentChars), model, ...(usage ? { usage } : {}) };
}
