import type { EditRate } from '../../ports/voice.ts';

/** Spends what a platform allows on what matters. */
export interface EditPace {
  /** What is not urgent comes no oftener than this: evenly. */
  readonly evenMs: number;
  /** When the next one may go out; what is not urgent leaves some for what is. */
  freeAtMs(nowMs: number, isUrgent: boolean): number;
  /** One was answered. */
  used(nowMs: number): void;
}

/** Kept back for lines that are final. */
const RESERVED = 2;

export const createEditPace = ({ count, windowMs }: EditRate): EditPace => {
  let times: number[] = [];
  const freedMs = (most: number): number => (times.at(-most) ?? -Infinity) + windowMs;
  return {
    evenMs: windowMs / count,
    freeAtMs: (nowMs, isUrgent) => {
      if (isUrgent) return Math.max(nowMs, freedMs(count));
      return Math.max(nowMs, freedMs(Math.max(1, count - RESERVED)));
    },
    used: (nowMs) => {
      times = [...times, nowMs].slice(-count);
    },
  };
};
