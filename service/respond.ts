import { toAppError } from '../src/errors.ts';
import type { Log } from '../src/log.ts';

/**
 * A reply whose body is sent as it comes, with the client's pace. When the client leaves, the
 * generator is ended. When the generator fails after the reply has begun, `cutOff` is called: a
 * connection that breaks is the only way left to say that the body is not whole.
 */
export const streamReply = (
  body: AsyncGenerator<Uint8Array>,
  headers: Readonly<Record<string, string>>,
  { log, cutOff }: { readonly log: Log; readonly cutOff: () => void },
): Response =>
  new Response(
    new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          try {
            const { done, value } = await body.next();
            if (done) controller.close();
            else controller.enqueue(value);
          } catch (error) {
            const { code } = toAppError(error);
            if (code !== 'cancelled') log.warn({ code, err: error }, 'a reply was cut off');
            cutOff();
            controller.close();
          }
        },
        cancel: async () => {
          // A generator that waits ends when its signal does, which the leaving client has aborted.
          await body.return(undefined).catch(() => undefined);
        },
      },
      { highWaterMark: 0 },
    ),
    { headers },
  );

/**
 * Runs `body` up to its first item, so that a failure there can still become an error reply. What
 * it resolves with ends `body` when it is ended, even before its first item was taken.
 */
export const primed = async <T>(body: AsyncGenerator<T>): Promise<AsyncGenerator<T>> => {
  let first: IteratorResult<T, void> | undefined = await body.next();
  const rest: AsyncGenerator<T> = {
    next: async () => {
      const taken = first;
      first = undefined;
      return taken ?? body.next();
    },
    return: async (value) => body.return(value),
    throw: async (error) => body.throw(error),
    [Symbol.asyncIterator]: () => rest,
    [Symbol.asyncDispose]: async () => {
      await body.return(undefined);
    },
  };
  return rest;
};

/** Holds `held` until `body` is over, however it ends. */
export async function* holding<T>(held: Disposable, body: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* body;
  } finally {
    held[Symbol.dispose]();
  }
}
