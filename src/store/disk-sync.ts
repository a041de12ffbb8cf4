/**
 * Makes everything written before the call survive a loss of power. Calls made while a sync runs
 * share the next one.
 */
export type DiskSync = () => Promise<void>;

/**
 * Creates a `DiskSync`.
 *
 * @param flush syncs to disk everything written before it is called
 */
export const createDiskSync = (flush: () => Promise<void>): DiskSync => {
  let running: Promise<void> | undefined;
  let following: Promise<void> | undefined;

  const start = (): Promise<void> => {
    const turn = flush().finally(() => {
      if (running === turn) running = undefined;
    });
    running = turn;
    return turn;
  };
  const follow = async (before: Promise<void>): Promise<void> => {
    await before.catch(() => undefined);
    following = undefined;
    await start();
  };

  return () => {
    if (!running) return start();
    following ??= follow(running);
    return following;
  };
};
