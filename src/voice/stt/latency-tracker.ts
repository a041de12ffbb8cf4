/** Tells when what a service was asked for hangs, by how long it took lately. */
export interface LatencyTracker {
  /** For how long one may be under way: much longer than others were. */
  readonly ms: number;
  /** One that began then was answered. */
  answered(startedMs: number): void;
  /** One was answered, or failed. */
  heard(): void;
  /** It is tried whether the service answers. */
  probed(): void;
  /** A connection broke unseen, or the service forgot it. */
  hangs(startedMs: number): boolean;
  /** When it is to be tried, while nothing is heard and one that began then is under way for longest. */
  probeAtMs(startedMs: number): number;
}

/** What is expected of a service that has answered nothing yet. */
const FIRST_TOOK_MS = 1_000;
const SPARE_MS = 5_000;
const TIMES_LONGER = 3;
/** How fast it is forgotten that one took long. */
const FORGETTING = 0.8;

export const createLatencyTracker = (nowMs: () => number): LatencyTracker => {
  /** Of those that were answered lately, the longest. */
  let tookMs: number | undefined;
  let heardMs = -Infinity;
  let probedMs = -Infinity;

  const patienceMs = (): number => SPARE_MS + TIMES_LONGER * (tookMs ?? FIRST_TOOK_MS);
  return {
    get ms() {
      return patienceMs();
    },
    answered: (startedMs) => {
      tookMs = Math.max(nowMs() - startedMs, (tookMs ?? 0) * FORGETTING);
    },
    heard: () => {
      heardMs = nowMs();
    },
    probed: () => {
      probedMs = nowMs();
    },
    hangs: (startedMs) => nowMs() - startedMs > patienceMs(),
    probeAtMs: (startedMs) => Math.max(startedMs, heardMs, probedMs) + patienceMs(),
  };
};
