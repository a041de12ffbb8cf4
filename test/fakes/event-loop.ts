/** How the event loop fared while something ran. */
export interface Watched<Result> {
  readonly result: Result;
  /** How often others could run. This is what a test asks for: it does not hang on the machine. */
  readonly turns: number;
  /** The longest time between two turns, for the message of a test that fails. */
  readonly worstBlockMs: number;
}

export const watchEventLoop = async <Result>(
  work: () => Promise<Result>,
): Promise<Watched<Result>> => {
  let turns = 0;
  let worstBlockMs = 0;
  let last = performance.now();
  const turn = (): void => {
    const now = performance.now();
    worstBlockMs = Math.max(worstBlockMs, now - last);
    last = now;
    turns += 1;
    next = setImmediate(turn);
  };
  let next = setImmediate(turn);
  try {
    const result = await work();
    worstBlockMs = Math.max(worstBlockMs, performance.now() - last);
    return { result, turns, worstBlockMs };
  } finally {
    clearImmediate(next);
  }
};
