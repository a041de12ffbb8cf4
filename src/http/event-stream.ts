import { createParser } from 'eventsource-parser';
import { STREAM_END } from '../api/contract.ts';
import { AppError } from '../errors.ts';

/** The longest event; those of translation and chat are far shorter. */
const LONGEST_EVENT_CHARS = 1_048_576;

/** Reads a reply to its end in the background, so that its connection can be reused. */
const letEnd = (chunks: AsyncIterator<Uint8Array>): void => {
  const readOn = async (): Promise<void> => {
    while (!(await chunks.next()).done);
  };
  // The request's own deadline aborts a reply that does not end.
  readOn().catch(() => {});
};

/**
 * Yields the data of each Server-Sent Event up to the closing `[DONE]` (contract section 6, item 5;
 * chat streams end the same way). Characters cut between two chunks are joined. Throws what
 * `broken` makes of a body that fails, `unavailable`, to be retried, for one that ends before
 * `[DONE]`, and `bad-reply` for an event that does not end.
 */
export const readEvents = async function* (
  body: AsyncIterable<Uint8Array>,
  broken: (cause: unknown) => Error,
): AsyncGenerator<string, void, void> {
  let events: string[] = [];
  let overlong = false;
  const parser = createParser({
    maxBufferSize: LONGEST_EVENT_CHARS,
    onEvent: ({ data }) => events.push(data),
    onError: ({ type }) => {
      overlong ||= type === 'max-buffer-size-exceeded';
    },
  });
  const decoder = new TextDecoder();
  const chunks = body[Symbol.asyncIterator]();
  let isDone = false;
  try {
    for (let step = await chunks.next(); !step.done; step = await chunks.next()) {
      // Each line is an event of its own: the contract promises no blank lines between chunks.
      parser.feed(decoder.decode(step.value, { stream: true }).replaceAll('\n', '\n\n'));
      if (overlong) throw new AppError('bad-reply', 'an event of the stream is too long');
      const ready = events;
      events = [];
      for (const data of ready) {
        isDone = data === STREAM_END;
        if (isDone) return;
        if (data !== '') yield data;
      }
    }
  } catch (cause) {
    throw cause instanceof AppError ? cause : broken(cause);
  } finally {
    if (isDone) letEnd(chunks);
    else await chunks.return?.();
  }
  // This ends a line that has no line break.
  parser.feed('\n\n');
  for (const data of events) {
    if (data === STREAM_END) return;
    if (data !== '') yield data;
  }
  throw new AppError('unavailable', 'the stream ended before it was done', {
    retryable: true,
    sentence: { key: 'service.broke-off' },
  });
};
