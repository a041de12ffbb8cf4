import { vi } from 'vitest';

/** It only ends what would fail anyway, on however busy a machine. */
const LONGEST_MS = 90_000;

/** Waits until `check` no longer throws. */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: LONGEST_MS, interval: 20 });
