import type { z } from 'zod';
import { readEvents } from '../http/event-stream.ts';
import { expectMediaType, networkError, parseReply, type HttpReply } from './transport.ts';

/** The part that chunks of chat and of translations have in common. */
interface Chunk {
  readonly choices: readonly { readonly delta: { readonly content?: string | null | undefined } }[];
}

/** Joins the pieces of a streamed reply: yields the whole text so far and returns it. */
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
