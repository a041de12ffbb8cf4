import { toAppError } from '../src/errors.ts';
import type { Log } from '../src/telemetry/log.ts';
import type { RouteContext } from './route.ts';

/**
 * The header by which programs tell that an engine made a reply (draft-abaris-aicdh-01, "AI Content Disclosure Header"):
 * no person has seen it.
 */
export const AI_DISCLOSURE = { name: 'ai-disclosure', value: 'mode=machine-generated' } as const;

/** Headers of a stream of events. */
export const EVENT_STREAM = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
} as const;

/** An event of such a stream; its type, where clients look for it there. */
export const eventOf = (data: object, type?: string): Uint8Array =>
  Buffer.from(`${type === undefined ? '' : `event: ${type}\n`}data: ${JSON.stringify(data)}\n\n`);

/**
 * Streams a reply at the client's pace. When the client leaves, the generator is ended. When it
 * fails after the reply has begun, or the signal is aborted while the client does not read, the
 * generator is ended and `cutOff` is called: breaking the connection is the only way left to show
 * that the body is incomplete.
 */
export const streamReply = (
  body: AsyncGenerator<Uint8Array>,
  headers: Readonly<Record<string, string>>,
  { log, signal, cutOff }: Pick<RouteContext, 'signal' | 'cutOff'> & { readonly log: Log },
): Response => {
  let over = false;
  const end = async (): Promise<void> => {
    over = true;
    signal.removeEventListener('abort', leave);
    // A waiting generator ends when its signal is aborted.
    await body.return(undefined).catch(() => undefined);
  };
  const breakOff = async (error: unknown): Promise<void> => {
    if (over) return;
    const { code } = toAppError(error);
    if (code !== 'cancelled') log.warn({ code, err: error }, 'a reply was cut off');
    cutOff();
    await end();
  };
  const leave = (): void => void breakOff(signal.reason);
  signal.addEventListener('abort', leave);
  if (signal.aborted) leave();

  return new Response(
    new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          try {
            const { done, value } = await body.next();
            if (done) {
              await end();
              controller.close();
            } else controller.enqueue(value);
          } catch (error) {
            await breakOff(error);
            controller.close();
          }
        },
        cancel: end,
      },
      { highWaterMark: 0 },
    ),
    { headers },
  );
};

/**
 * Runs `body` up to its first item, so that a failure there can still become an error reply. Ending
 * the result ends `body`, even before its first item was taken.
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

/** Yields the items of `body` and disposes of `held` when it ends in any way. */
export async function* holding<T>(held: Disposable, body: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* body;
  } finally {
    held[Symbol.dispose]();
  }
}

/**
 * Passes on the reply of one call of an engine, and calls `charge` at its end. The call is charged as
 * well when the client leaves in the middle, but not when the engine fails, nor before anything came.
 *
 * @param signal aborted when the client has left
 */
export async function* metered<T>(
  reply: AsyncIterable<T>,
  charge: () => void,
  signal: AbortSignal,
): AsyncGenerator<T, void, void> {
  let hasBegun = false;
  let hasFailed = false;
  try {
    for await (const part of reply) {
      hasBegun = true;
      yield part;
    }
  } catch (error) {
    hasFailed = !signal.aborted;
    throw error;
  } finally {
    if (hasBegun && !hasFailed) charge();
  }
}
