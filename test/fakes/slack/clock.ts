/** Real time plus what a test has skipped. Every age and deadline of the fake is read from it. */
export interface Clock {
  /** Unix time in ms. */
  now(): number;
  /** Skips time: windows reset, triggers and tokens expire, at once. */
  advance(ms: number): void;
  /** A timestamp of Slack of this moment, e.g. `1700000000.000100`; each is later than all before. */
  ts(): string;
  /** A new id with this prefix. */
  id(prefix: string): string;
}

export const createClock = (): Clock => {
  let skippedMs = 0;
  let lastMicros = 0;
  let ids = 0;
  const now = (): number => Date.now() + skippedMs;
  return {
    now,
    advance: (ms) => {
      skippedMs += ms;
    },
    ts: () => {
      lastMicros = Math.max(lastMicros + 1, now() * 1_000);
      const seconds = Math.floor(lastMicros / 1_000_000);
      return `${seconds}.${String(lastMicros % 1_000_000).padStart(6, '0')}`;
    },
    id: (prefix) => {
      ids += 1;
      return `${prefix}0${ids.toString(36).toUpperCase().padStart(7, '0')}`;
    },
  };
};
