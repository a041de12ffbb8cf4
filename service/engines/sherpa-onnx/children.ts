import type { Log } from '../../../src/telemetry/log.ts';
import { createChild, type Child } from '../../../src/process/child.ts';

/** Longest time of a call, loading a large model included. */
const CALL_TIMEOUT_MS = 120_000;
const CALLS_PER_CHILD = 5_000;
/** Idle time after which a child is stopped: models are slow to load. */
const IDLE_MS = 60 * 60_000;

/** Processes by what they were started with, one per model. */
export interface Children<Request, Reply> extends AsyncDisposable {
  /** The process with the model of `config`, which is started by its first call. */
  of(config: object): Child<Request, Reply>;
  /** Stops the processes of all models but these. */
  keep(configs: readonly object[]): void;
}

export const createChildren = <Request, Reply>(
  name: string,
  file: URL,
  log: Log,
): Children<Request, Reply> => {
  const children = new Map<string, Child<Request, Reply>>();
  return {
    of: (config) => {
      const key = JSON.stringify(config);
      let child = children.get(key);
      if (!child) {
        child = createChild<Request, Reply>({
          name,
          file,
          args: [key],
          log,
          callTimeoutMs: CALL_TIMEOUT_MS,
          callsPerChild: CALLS_PER_CHILD,
          idleMs: IDLE_MS,
        });
        children.set(key, child);
      }
      return child;
    },
    keep: (configs) => {
      const kept = new Set(configs.map((config) => JSON.stringify(config)));
      for (const [key, child] of children) {
        if (kept.has(key)) continue;
        children.delete(key);
        void child[Symbol.asyncDispose]();
      }
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...children.values()].map((child) => child[Symbol.asyncDispose]()));
    },
  };
};
