import { createParser } from 'eventsource-parser';
import { AppError } from '../errors.ts';
import { STREAM_END } from './contract.ts';
import { networkError } from './transport.ts';

/** No event of the contract comes near this. */
const LONGEST_EVENT_CHARS = 1_048_576;

/**
 * The data of each Server-Sent Event up to the closing `[DONE]` (contract section 6, item 5).
 * Characters cut between two chunks are put together. A stream that ends before is an `unavailable`
 * error that may be retried.
 */
export const readEvents = async function* (
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<string, void, void> {
  let events: string[] = [];
  let overlong = false;
  const parser = createParser({
    maxBufferSize: LONGEST_EVENT_CHARS,
    // The contract writes one chunk a line; without blank lines between, several arrive as one.
    onEvent: ({ data }) => events.push(...data.split('\n')),
    onError: ({ type }) => {
      overlong ||= type === 'max-buffer-size-exceeded';
    },
  });
  const decoder = new TextDecoder();
  try {
    for await (const chunk of body) {
      parser.feed(decoder.decode(chunk, { stream: true }));
      if (overlong) throw new AppError('bad-reply', 'an event of the stream is too long');
      const ready = events;
      events = [];
      for (const data of ready) {
        if (data === STREAM_END) return;
        if (data !== '') yield data;
      }
    }
  } catch (cause) {
    throw networkError(cause);
  }
  // Ends an event that came without its closing blank line.
  parser.feed('\n\n');
  for (const data of events) {
    if (data === STREAM_END) return;
    if (data !== '') yield data;
  }
  throw new AppError('unavailable', 'the stream ended before it was done', { retryable: true });
};
