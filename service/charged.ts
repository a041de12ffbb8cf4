/**
 * Passes a reply on and calls `charge` at its end: also when the client left in the middle, but not
 * when the engine failed, or before anything came.
 *
 * @param signal aborted when the client has left
 */
export async function* charged<T>(
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
