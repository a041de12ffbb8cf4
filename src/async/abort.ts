/** Waits for a promise that others wait for too, until this caller's signal is aborted. */
export const orAborted = async <T>(promise: Promise<T>, signal: AbortSignal): Promise<T> => {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
};

/**
 * Gives work a signal of its own, which is aborted with the given one: for what never takes its listeners
 * off again, and so would fill a signal that outlives it.
 */
export const withOwnSignal = async <T>(
  signal: AbortSignal | undefined,
  work: (own: AbortSignal | undefined) => Promise<T>,
): Promise<T> => {
  if (!signal) return work(undefined);
  const own = new AbortController();
  const abort = (): void => own.abort(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await work(own.signal);
  } finally {
    signal.removeEventListener('abort', abort);
  }
};
