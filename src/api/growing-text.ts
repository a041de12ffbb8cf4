import { AppError } from '../errors.ts';
import type { Attempt } from './caller.ts';
import { readEvents } from '../http/event-stream.ts';
import { completion, completionChunk } from './contract.ts';
import {
  expectMediaType,
  networkError,
  parseReply,
  readJsonReply,
  type HttpReply,
} from './transport.ts';

/** The longest text: a hundred times the longest text of a request. */
const LONGEST_TEXT_CHARS = 1_048_576;

/**
 * Joins the pieces of a streamed reply: yields the whole text so far and returns it. A reply in one
 * piece, as some servers send nevertheless, is a single state.
 */
export const growingText = async function* (
  reply: HttpReply,
  used: Attempt['used'],
): AsyncGenerator<string, string, void> {
  if (expectMediaType(reply, /^text\/event-stream$|json$/) !== 'text/event-stream') {
    const { choices, usage } = await readJsonReply(reply, completion);
    used(usage ?? {});
    const whole = choices[0]?.message.content ?? '';
    if (whole !== '') yield whole;
    return whole;
  }
  let text = '';
  let counted: Parameters<Attempt['used']>[0] = {};
  try {
    for await (const data of readEvents(reply.body, networkError)) {
      const { choices, usage } = parseReply(completionChunk, data, reply.sent);
      // Some servers send the sum so far with every chunk.
      counted = usage ?? counted;
      const delta = choices?.[0]?.delta?.content;
      if (!delta) continue;
      text += delta;
      if (text.length > LONGEST_TEXT_CHARS)
        throw new AppError('bad-reply', 'the reply is too long');
      yield text;
    }
    return text;
  } finally {
    used(counted);
  }
};
