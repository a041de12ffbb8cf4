/** Those who wait for something to become true; asked again after every change. */
export interface Waiters {
  changed(): void;
  /** The first value of `read` that is neither undefined nor false. `what` words the time-out. */
  until<T>(read: () => T | undefined | false, what: () => string, timeoutMs?: number): Promise<T>;
}

/** Generous: it only ends tests that would fail anyway. */
const PATIENCE_MS = 120_000;

export const createWaiters = (): Waiters => {
  const asking = new Set<() => void>();
  return {
    changed: () => asking.forEach((ask) => ask()),
    until: (read, what, timeoutMs = PATIENCE_MS) =>
      new Promise((resolve, reject) => {
        const finish = (end: () => void): void => {
          asking.delete(ask);
          clearTimeout(timer);
          end();
        };
        const ask = (): void => {
          try {
            const value = read();
            if (value !== undefined && value !== false) finish(() => resolve(value));
          } catch (error) {
            finish(() => reject(error));
          }
        };
        const timer = setTimeout(
          () => finish(() => reject(new Error(`waited in vain; there is:\n${what()}`))),
          timeoutMs,
        );
        asking.add(ask);
        ask();
      }),
  };
};
