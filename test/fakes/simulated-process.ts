import type { Clock } from '../../src/async/clock.ts';
import type { VirtualTime } from './virtual-time.ts';

/** A process of a simulation: its clocks are its own, and nothing of it runs while it is frozen. */
export interface SimulatedProcess {
  readonly clock: Clock;
  readonly wallMs: () => number;
  /** Runs what arrives at the process: now, at its thaw if it is frozen, or never if it was killed. */
  readonly run: (part: () => void) => void;
  readonly isAlive: () => boolean;
  readonly isFrozen: () => boolean;
  /**
   * Stops everything for a time.
   *
   * @param kind `stopped`: its clocks go on, as under SIGSTOP. `asleep`: its monotonic clock stands still, as while a
   *   machine is suspended
   */
  readonly freeze: (forMs: number, kind: 'stopped' | 'asleep') => void;
  readonly kill: () => void;
  /** Sets the wall clock forward, or back. */
  readonly setWallClock: (byMs: number) => void;
}

export interface ProcessClocks {
  /** Speed of the process's clocks; 1 is that of true time. */
  readonly rate: number;
  readonly offsetMs: number;
}

export const createSimulatedProcess = (
  time: VirtualTime,
  { rate, offsetMs }: ProcessClocks,
  random: () => number,
): SimulatedProcess => {
  let isAlive = true;
  let isFrozen = false;
  let asleepMs = 0;
  let asleepSinceMs: number | undefined;
  let jumpedMs = 0;
  /** What waits for the thaw. */
  const timers: (() => void)[] = [];
  const arrived: (() => void)[] = [];

  const nowMs = (): number => ((asleepSinceMs ?? time.nowMs) - asleepMs) * rate + offsetMs;
  const runAs = (kept: (() => void)[], part: () => void): void => {
    if (!isAlive) return;
    if (isFrozen) kept.push(part);
    else part();
  };
  const run = (part: () => void): void => runAs(arrived, part);
  const runTimer = (part: () => void): void => runAs(timers, part);

  const thaw = (): void => {
    if (asleepSinceMs !== undefined) asleepMs += time.nowMs - asleepSinceMs;
    asleepSinceMs = undefined;
    isFrozen = false;
    const [first, then] = random() < 0.5 ? [timers, arrived] : [arrived, timers];
    for (const part of [...first.splice(0), ...then.splice(0)]) time.after(0, () => run(part));
  };

  return {
    clock: {
      nowMs,
      after: (delayMs, then) => {
        const dueMs = nowMs() + Math.max(0, delayMs);
        let isCancelled = false;
        const due = (): void => {
          if (isCancelled) return;
          const leftMs = dueMs - nowMs();
          // It was asleep meanwhile.
          if (leftMs > 0.001) time.after(leftMs / rate, () => runTimer(due));
          else then();
        };
        time.after(Math.max(0, delayMs) / rate, () => runTimer(due));
        return () => {
          isCancelled = true;
        };
      },
    },
    wallMs: () => time.nowMs * rate + offsetMs + jumpedMs,
    run,
    isAlive: () => isAlive,
    isFrozen: () => isFrozen,
    freeze: (forMs, kind) => {
      if (isFrozen) return;
      isFrozen = true;
      if (kind === 'asleep') asleepSinceMs = time.nowMs;
      time.after(forMs, thaw);
    },
    kill: () => {
      isAlive = false;
    },
    setWallClock: (byMs) => {
      jumpedMs += byMs;
    },
  };
};
