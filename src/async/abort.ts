export const whenAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** Waits for a promise, at most until `signal` is aborted; then rejects with the signal's reason. */
export const orAborted = async <T>(promise: Promise<T>, signal: AbortSignal): Promise<T> => {
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([aborted.promise, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
};

/**
 * Yields items until `signal` is aborted, even if the next one never comes; then throws the
 * signal's reason. Always closes the source, and waits for that until the signal is aborted.
 */
export async function* untilAborted<T>(
  items: AsyncIterable<T>,
  signal: AbortSignal,
): AsyncGenerator<T, void, void> {
  const iterator = items[Symbol.asyncIterator]();
  try {
    for (;;) {
      signal.throwIfAborted();
      // One race for all items would keep a reference to every one of them.
      const next = await orAborted(iterator.next(), signal);
      if (next.done) return;
      yield next.value;
    }
  } finally {
    const closed = Promise.resolve(iterator.return?.());
    closed.catch(() => {});
    // A source that hangs cannot be waited for.
    await orAborted(closed, signal).catch((thrown: unknown) => {
      if (!signal.aborted) throw thrown;
    });
  }
}

/**
 * Runs work with its own signal, which is aborted with the given one: for work that never removes
 * its listeners and so would add ever more of them to a long-lived signal.
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

/**
 * Maps the states of a generator; skips a state when `map` gives `undefined`. Returns the
 * generator's result, and closes the generator when the consumer stops early.
 */
export const mapStates = async function* <State, Shown, Result>(
  states: AsyncGenerator<State, Result, void>,
  map: (state: State) => Shown | undefined,
): AsyncGenerator<Shown, Result, void> {
  try {
    for (;;) {
      const { done, value } = await states.next();
      if (done) return value;
      const shown = map(value);
      if (shown !== undefined) yield shown;
    }
  } finally {
    await states.return(undefined as never);
  }
};

/**
 * Runs a generator of states to its end and resolves with its result.
 *
 * @param onState called with each state
 */
export const resultOf = async <State, Result>(
  states: AsyncGenerator<State, Result, void>,
  onState?: (state: State) => void,
): Promise<Result> => {
  for (;;) {
    const { done, value } = await states.next();
    if (done) return value;
    onState?.(value);
  }
};
