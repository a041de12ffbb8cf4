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
