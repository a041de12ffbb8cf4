/** Time of a simulation: it stands still while an event runs, and goes on to the next one at once. */
export interface VirtualTime {
  readonly nowMs: number;
  /** Runs something at a moment; what is due at the same moment runs in the order in which it was given. */
  at(atMs: number, run: () => void): void;
  after(delayMs: number, run: () => void): void;
  /** Runs all events up to a moment, promises between included; `ran` is called after each. */
  runUntil(untilMs: number, ran: () => void): Promise<void>;
}

/** Something that is due at a moment. */
export interface Event {
  readonly atMs: number;
  readonly number: number;
  readonly run: () => void;
}

const isBefore = (one: Event, other: Event): boolean =>
  one.atMs < other.atMs || (one.atMs === other.atMs && one.number < other.number);

/** Events in a binary heap, the next one first. */
export const createEvents = () => {
  const heap: Event[] = [];
  return {
    first: () => heap[0],
    add: (event: Event): void => {
      let at = heap.push(event) - 1;
      while (at > 0) {
        const above = (at - 1) >> 1;
        if (!isBefore(event, heap[above]!)) break;
        heap[at] = heap[above]!;
        at = above;
      }
      heap[at] = event;
    },
    shift: (): void => {
      const last = heap.pop();
      if (!last || heap.length === 0) return;
      let at = 0;
      for (;;) {
        let below = 2 * at + 1;
        if (below >= heap.length) break;
        if (below + 1 < heap.length && isBefore(heap[below + 1]!, heap[below]!)) below += 1;
        if (!isBefore(heap[below]!, last)) break;
        heap[at] = heap[below]!;
        at = below;
      }
      heap[at] = last;
    },
  };
};

/** @param isBusy true while something runs that takes real time, during which virtual time stands still */
export const createVirtualTime = (isBusy: () => boolean = () => false): VirtualTime => {
  /** Long enough for all promises that an event has settled, and for what they give to `setImmediate`. */
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 2 || isBusy(); turn = isBusy() ? 0 : turn + 1)
      await new Promise(setImmediate);
  };
  const events = createEvents();
  let nowMs = 0;
  let given = 0;
  const at = (atMs: number, run: () => void): void => {
    events.add({ atMs: Math.max(nowMs, atMs), number: given, run });
    given += 1;
  };
  return {
    get nowMs() {
      return nowMs;
    },
    at,
    after: (delayMs, run) => at(nowMs + delayMs, run),
    runUntil: async (untilMs, ran) => {
      await settle();
      for (;;) {
        const event = events.first();
        if (!event || event.atMs > untilMs) break;
        events.shift();
        nowMs = event.atMs;
        event.run();
        await settle();
        ran();
      }
      nowMs = untilMs;
    },
  };
};
