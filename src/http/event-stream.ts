import { setImmediate } from 'node:timers/promises';
import { createParser } from 'eventsource-parser';
import { STREAM_END } from '../api/contract.ts';
import { AppError } from '../errors.ts';

/** The longest event; those of translation and chat are far shorter. */
const LONGEST_EVENT_CHARS = 1_048_576;

/** The longest stream: many times what a long answer takes, word by word. */
const LONGEST_STREAM_BYTES = 16 * 1_048_576;
const MOST_EVENTS = 100_000;
/** Events after which the event loop runs: one chunk may hold thousands. */
const EVENTS_AT_ONCE = 200;
/** Most that may come after the closing mark: the end of the reply, often in the same packet. */
const REST_BYTES = 65_536;
const REST_MS = 1_000;

/** A reply's bytes; one that can be destroyed is let go of at once. */
type StreamBody = AsyncIterable<Uint8Array> & { readonly destroy?: () => unknown };

/** Reads the little that is left of a reply in the background, so that its connection can be reused. */
const letEnd = (body: StreamBody, chunks: AsyncIterator<Uint8Array>): void => {
  const readOn = async (): Promise<void> => {
    let leftBytes = REST_BYTES;
    for (let step = await chunks.next(); !step.done; step = await chunks.next()) {
      leftBytes -= step.value.byteLength;
      if (leftBytes < 0) return void (await chunks.return?.());
    }
  };
  const timer = setTimeout(() => body.destroy?.(), REST_MS);
  timer.unref();
  readOn()
    .catch(() => {})
    .finally(() => clearTimeout(timer));
};

/** A reply without a byte: that of some servers to a text that is too long for their model. */
export class EmptyStreamError extends AppError {
  override readonly name = 'EmptyStreamError';
  constructor() {
    super('bad-reply', 'the stream had no bytes');
  }
}

/**
 * Yields the data of each Server-Sent Event up to the closing `[DONE]` (contract section 6, item 5;
 * chat streams end the same way). Characters cut between two chunks are joined. Throws what
 * `broken` makes of a body that fails, `unavailable`, to be retried, for one that ends before
 * `[DONE]`, `EmptyStreamError` for one without a byte, and `bad-reply` for an event or a stream that does not end.
 */
export const readEvents = async function* (
  body: StreamBody,
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
  let readBytes = 0;
  let readEventCount = 0;
  let takenCount = 0;
  try {
    for (let step = await chunks.next(); !step.done; step = await chunks.next()) {
      readBytes += step.value.byteLength;
      if (readBytes > LONGEST_STREAM_BYTES || readEventCount > MOST_EVENTS)
        throw new AppError('bad-reply', 'the stream is too long');
      // Each line is an event of its own: the contract promises no blank lines between chunks.
      parser.feed(decoder.decode(step.value, { stream: true }).replaceAll('\n', '\n\n'));
      if (overlong) throw new AppError('bad-reply', 'an event of the stream is too long');
      const ready = events;
      events = [];
      readEventCount += ready.length;
      for (const data of ready) {
        isDone = data === STREAM_END;
        if (isDone) return;
        if (data !== '') yield data;
        takenCount += 1;
        if (takenCount % EVENTS_AT_ONCE === 0) await setImmediate();
      }
    }
  } catch (cause) {
    throw cause instanceof AppError ? cause : broken(cause);
  } finally {
    if (isDone) letEnd(body, chunks);
    else await chunks.return?.();
  }
  // This ends a line that has no line break; any but the closing mark may have been cut.
  parser.feed('\n\n');
  if (events.includes(STREAM_END)) return;
  if (readBytes === 0) throw new EmptyStreamError();
  throw new AppError('unavailable', 'the stream ended before it was done', {
    retryable: true,
    sentence: { key: 'service.broke-off' },
  });
};
