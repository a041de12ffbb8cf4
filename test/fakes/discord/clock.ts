/** The first millisecond of Discord's ids (reference, "Snowflakes"). */
const DISCORD_EPOCH_MS = 1_420_070_400_000;

/** Real time plus what a test has skipped. Every age and deadline of the fake is read from it. */
export interface Clock {
  /** Unix time in milliseconds. */
  now(): number;
  /** Skips time: windows reset, tokens and links expire, at once. */
  advance(ms: number): void;
  /** Time stands still from now on, but for `advance`: what depends on windows cannot slip. */
  stop(): void;
  /** A new id of this moment; ids only grow. */
  snowflake(): string;
}

export const isoTime = (ms: number): string => new Date(ms).toISOString().replace('Z', '000+00:00');

/** When an id was made, in Unix milliseconds. */
export const snowflakeTime = (id: string): number => Number(BigInt(id) >> 22n) + DISCORD_EPOCH_MS;

export const createClock = (): Clock => {
  let skippedMs = 0;
  let last = 0n;
  let stoppedAt: number | undefined;
  const now = (): number => (stoppedAt ?? Date.now()) + skippedMs;
  return {
    now,
    advance: (ms) => {
      skippedMs += ms;
    },
    stop: () => {
      stoppedAt ??= Date.now();
    },
    snowflake: () => {
      const fresh = BigInt(now() - DISCORD_EPOCH_MS) << 22n;
      last = fresh > last ? fresh : last + 1n;
      return String(last);
    },
  };
};
