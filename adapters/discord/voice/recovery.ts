import type { Clock } from '../../../src/async/clock.ts';

export type Budget = ReturnType<typeof createBudget>;

/** Creates a budget of at most `most` within any `windowMs`. */
export const createBudget = (most: number, windowMs: number, nowMs: () => number) => {
  let taken: number[] = [];
  return {
    /** Takes one from the budget; returns false when it is used up. */
    take: (): boolean => {
      const now = nowMs();
      taken = taken.filter((at) => now - at < windowMs);
      if (taken.length >= most) return false;
      taken.push(now);
      return true;
    },
  };
};

/** Longest step of the handshake: a message may be lost, and the library then waits for ever. */
const STUCK_MS = 8_000;
/** Longest time without a connection before recovery stops. */
const GIVE_UP_MS = 180_000;
/** Longest silence of a voice server that answers keep-alives, which are sent every 5 s. */
const SILENT_MS = 17_000;
const KEEP_ALIVE_BYTES = 8;

export interface RecoveryDeps {
  readonly clock: Clock;
  readonly rejoin: () => void;
  /** Leaves the channel and requests it, for another session, other keys and another group. */
  readonly leaveAndJoin: () => void;
  readonly lost: () => void;
}

/** Reconnects while there is no connection. */
export const createRecovery = ({ clock, ...deps }: RecoveryDeps) => {
  let tries = 0;
  let cancelStuck: (() => void) | undefined;
  let cancelGiveUp: (() => void) | undefined;

  const watchSteps = (): void => {
    cancelStuck?.();
    cancelStuck = clock.after(STUCK_MS, () => {
      tries += 1;
      if (tries % 2 === 1) deps.rejoin();
      else deps.leaveAndJoin();
      watchSteps();
    });
  };
  const up = (): void => {
    cancelStuck?.();
    cancelGiveUp?.();
    cancelGiveUp = undefined;
    tries = 0;
  };
  return {
    get isUnderWay(): boolean {
      return cancelGiveUp !== undefined;
    },
    up,
    /** Notes that there is no connection, or restarts the steps. */
    down: (): void => {
      watchSteps();
      cancelGiveUp ??= clock.after(GIVE_UP_MS, deps.lost);
    },
    [Symbol.dispose]: up,
  };
};

/** Detects that no more packets come over UDP; `silent` is called repeatedly meanwhile. */
export const createLifeline = ({ nowMs, after }: Clock, silent: () => void) => {
  /** Time of the last packet; unknown until the server has answered for the first time. */
  let lastMs: number | undefined;
  let cancel: (() => void) | undefined;

  const pause = (): void => cancel?.();
  const watch = (): void => {
    cancel = after(SILENT_MS, () => {
      watch();
      if (lastMs !== undefined && nowMs() - lastMs >= SILENT_MS) silent();
    });
  };
  return {
    begin: (): void => {
      pause();
      lastMs = undefined;
      watch();
    },
    pause,
    /** Takes a packet; returns true when it was the answer to a keep-alive. */
    takes: (message: Buffer): boolean => {
      const isAnswer = message.length === KEEP_ALIVE_BYTES;
      if (isAnswer || lastMs !== undefined) lastMs = nowMs();
      return isAnswer;
    },
    [Symbol.dispose]: pause,
  };
};
