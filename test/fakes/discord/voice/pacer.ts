/** Runs what is due, all on one timer: many speakers cost one wake-up, not one each. */
export interface Pacer {
  /** `dueMs` as of `performance.now()`; what is due at the same moment runs in the order of asking. */
  at(dueMs: number, run: () => void): void;
  stop(): void;
}

/** So many in one turn; then sockets get theirs, or they would overflow. */
const AT_ONCE = 32;

export const createPacer = (): Pacer => {
  const tasks: { readonly dueMs: number; readonly run: () => void }[] = [];
  let timer: NodeJS.Timeout | undefined;
  let soon: NodeJS.Immediate | undefined;

  /** Where something due then belongs: after what is due at the same time. */
  const placeOf = (dueMs: number): number => {
    let low = 0;
    let high = tasks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (tasks[middle]!.dueMs <= dueMs) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  const arm = (): void => {
    clearTimeout(timer);
    const [first] = tasks;
    if (first === undefined) return;
    timer = setTimeout(step, Math.max(0, first.dueMs - performance.now()));
  };

  const step = (): void => {
    soon = undefined;
    for (let count = 0; count < AT_ONCE; count += 1) {
      const [first] = tasks;
      if (first === undefined || first.dueMs > performance.now()) return arm();
      tasks.shift();
      first.run();
    }
    clearTimeout(timer);
    soon = setImmediate(step);
  };

  return {
    at: (dueMs, run) => {
      const place = placeOf(dueMs);
      tasks.splice(place, 0, { dueMs, run });
      if (place === 0 && soon === undefined) arm();
    },
    stop: () => {
      tasks.length = 0;
      clearTimeout(timer);
      clearImmediate(soon);
    },
  };
};
