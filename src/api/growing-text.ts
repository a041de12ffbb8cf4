import type { z } from 'zod';
import { readEvents } from '../http/event-stream.ts';
import { expectMediaType, networkError, parseReply, type HttpReply } from './transport.ts';

/** The common part of chunks of chat and of translations. */
interface Chunk {
  readonly choices: readonly { readonly delta: { readonly content?: string | null | undefined } }[];
}

/** Puts the pieces of a streamed reply together: yields the whole text so far and returns it. */
export const growingText = async function* (
  reply: HttpReply,
  chunk: z.ZodType<Chunk>,
): AsyncGenerator<string, string, void> {
  expectMediaType(reply, /^text\/event-stream$/);
  let text = '';
  for await (const data of readEvents(reply.body, networkError)) {
    const delta = parseReply(chunk, data).choices[0]?.delta.content;
    if (!delta) continue;
    text += delta;
    yield text;
  }
  return text;
};
