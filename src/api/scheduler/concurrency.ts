/** Limit of the requests under way: additive increase, multiplicative decrease. */
export interface Concurrency {
  /** Most requests at the same time. */
  limit(): number;
  /** @param underWay requests at that moment, this one included */
  answered(underWay: number): void;
  /** Notes that a request failed or was refused, which was sent at `sentAtMs`. */
  overloaded(nowMs: number, sentAtMs: number, sign: 'refused' | 'failed', underWay: number): void;
}

const FIRST = 16;
const LEAST = 2;
/** The connections of the transport. */
const MOST = 64;
/** A refusal is answered by the pace, so little is taken off the limit for it, and nothing that was in use. */
const FACTORS = { refused: 0.9, failed: 0.5 } as const;

export const createConcurrency = (): Concurrency => {
  let limit = FIRST;
  /** True until the first overload: the limit doubles with each round of requests. */
  let isSlowStart = true;
  let loweredMs = -Infinity;
  return {
    limit: () => Math.floor(limit),
    answered: (underWay) => {
      // A limit that is not used says nothing about the service.
      if (underWay * 2 < limit) return;
      limit = Math.min(MOST, limit + (isSlowStart ? 1 : 1 / limit));
    },
    overloaded: (nowMs, sentAtMs, sign, underWay) => {
      // One round of requests lowers it once.
      if (sentAtMs < loweredMs) return;
      const least = sign === 'refused' ? Math.min(limit, underWay) : LEAST;
      limit = Math.max(LEAST, least, limit * FACTORS[sign]);
      isSlowStart = false;
      loweredMs = nowMs;
    },
  };
};
