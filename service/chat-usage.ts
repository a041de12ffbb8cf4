import { createParser } from 'eventsource-parser';
import { z } from 'zod';

/** Bytes of UTF-8 that count as one token where the back end does not count: English has about four. */
const BYTES_PER_TOKEN = 4;
/** Most bytes of a reply, or of one event of a stream, that are read for its counts. */
const MOST_READ_BYTES = 256 * 1_024;

const words = z.looseObject({ content: z.string().nullish() }).nullish();

/** The parts of a chat's reply, or of a chunk of it, that are read. */
const chatPart = z.looseObject({
  usage: z
    .looseObject({ total_tokens: z.number().nonnegative().max(1e9) })
    .nullish()
    .catch(undefined),
  choices: z
    .array(z.looseObject({ delta: words, message: words }))
    .nullish()
    .catch(undefined),
});

/** Counts the tokens of a chat's reply while that passes. */
export interface ChatUsage {
  push(bytes: Uint8Array): void;
  /** Tokens of question and answer: as the back end counted them, otherwise a guess. */
  tokens(): number;
}

/**
 * Creates the count of one reply.
 *
 * @param promptBytes bytes of the question's words, to guess
 */
export const createChatUsage = (mediaType: string, promptBytes: number): ChatUsage => {
  let counted: number | undefined;
  let answerBytes = 0;
  let passedBytes = 0;

  const read = (json: string): void => {
    let part: z.infer<typeof chatPart>;
    try {
      part = chatPart.parse(JSON.parse(json));
    } catch {
      return;
    }
    counted = part.usage?.total_tokens ?? counted;
    for (const { delta, message } of part.choices ?? [])
      answerBytes += Buffer.byteLength(delta?.content ?? message?.content ?? '');
  };

  const decoder = new TextDecoder();
  const events = createParser({
    maxBufferSize: MOST_READ_BYTES,
    onEvent: ({ data }) => read(data),
    onError: () => undefined,
  });
  let kept: Uint8Array[] = [];
  const isStream = mediaType.includes('event-stream');

  return {
    push: (bytes) => {
      passedBytes += bytes.length;
      if (isStream) events.feed(decoder.decode(bytes, { stream: true }));
      else if (passedBytes <= MOST_READ_BYTES) kept.push(bytes);
      else kept = [];
    },
    tokens: () => {
      if (!isStream) read(Buffer.concat(kept).toString('utf8'));
      if (counted !== undefined) return counted;
      const isUnread = !isStream && passedBytes > MOST_READ_BYTES;
      return Math.ceil((promptBytes + (isUnread ? passedBytes : answerBytes)) / BYTES_PER_TOKEN);
    },
  };
};
