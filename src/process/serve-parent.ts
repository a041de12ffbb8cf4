/** The side of a child process. No log is loaded with it: without one, a child is ready in two thirds of the time. */
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { describeError, type DescribedError } from '../telemetry/described-error.ts';

/** The messages of the channel between parent and child. */
export type ToChild<Request> =
  | { readonly id: number; readonly request: Request }
  | { readonly id: number; readonly isCancelled: true };
/** The end of a call: what was replied, or why it failed. */
export type ChildAnswer<Reply> =
  | { readonly id: number; readonly reply: Reply; readonly memoryBytes: number }
  | { readonly id: number; readonly error: DescribedError };
export type FromChild<Reply, Part = never> =
  | ChildAnswer<Reply>
  | { readonly id: number; readonly part: Part };

/** Runs in the child: from now on nothing that it, or a library in it, prints reaches anybody. */
export const closeStandardError = (): void => {
  closeSync(2);
  // The lowest number that is free, again.
  openSync(devNull, 'w');
};

const tellParent = (message: FromChild<unknown, unknown>): void => void process.send?.(message);

/**
 * Runs in the child: answers each call with the result of `handle`; ends with its parent.
 *
 * @param handle gets a signal that is aborted when nobody waits any more, and sends parts of its reply with `send`
 */
export const serveParent = (
  handle: (request: never, signal: AbortSignal, send: (part: unknown) => void) => Promise<unknown>,
): void => {
  const running = new Map<number, AbortController>();
  process.on('message', (message: ToChild<never>) => {
    const { id } = message;
    if ('isCancelled' in message) return running.get(id)?.abort();
    const own = new AbortController();
    running.set(id, own);
    void handle(message.request, own.signal, (part) => tellParent({ id, part }))
      .then(
        (reply) => tellParent({ id, reply, memoryBytes: process.memoryUsage.rss() }),
        (thrown: unknown) => tellParent({ id, error: describeError(thrown) }),
      )
      .finally(() => running.delete(id));
  });
  process.on('disconnect', () => process.exit());
  // A Ctrl-C reaches the whole process group; the parent decides when the child ends.
  process.on('SIGINT', () => {});
};
