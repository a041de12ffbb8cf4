import { readEvents } from '../http/event-stream.ts';
import { completion, completionChunk } from './contract.ts';
import {
  expectMediaType,
  networkError,
  parseReply,
  readJsonReply,
  type HttpReply,
} from './transport.ts';

/**
 * Joins the pieces of a streamed reply: yields the whole text so far and returns it. A reply in one
 * piece, as some servers send nevertheless, is a single state.
 */
export const growingText = async function* (
  reply: HttpReply,
): AsyncGenerator<string, string, void> {
  if (expectMediaType(reply, /^text\/event-stream$|json$/) !== 'text/event-stream') {
    const whole = (await readJsonReply(reply, completion)).choices[0]?.message.content ?? '';
    if (whole !== '') yield whole;
    return whole;
  }
  let text = '';
  for await (const data of readEvents(reply.body, networkError)) {
    const delta = parseReply(completionChunk, data).choices?.[0]?.delta?.content;
    if (!delta) continue;
    text += delta;
    yield text;
  }
  return text;
};
