/** Asks after a short rest, gives up what it asked before, and hands over only the last answer. */
export interface Lookup<T> {
  ask(ask: (signal: AbortSignal) => Promise<T>, take: (answer: T) => void): void;
  cancel(): void;
}

const REST_MS = 120;

export const createLookup = <T>(restMs = REST_MS): Lookup<T> => {
  let current: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const cancel = (): void => {
    clearTimeout(timer);
    current?.abort();
    current = undefined;
  };

  return {
    cancel,
    ask: (ask, take) => {
      cancel();
      const own = new AbortController();
      current = own;
      const run = async (): Promise<void> => {
        try {
          const answer = await ask(own.signal);
          if (!own.signal.aborted) take(answer);
        } catch {
          // What could not be looked up is not offered; the person types on.
        }
      };
      timer = setTimeout(() => void run(), restMs);
    },
  };
};
