/**
 * Makes what was written before the call safe from a loss of power. Calls that come while the disk
 * is busy share its next turn.
 */
export type DiskSync = () => Promise<void>;

/** @param flush waits for the disk, for all that was written before it is called */
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
