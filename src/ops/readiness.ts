import { sleep, type Clock } from '../async/clock.ts';
import { createCachedLook } from '../async/lru.ts';
import type { Metrics } from './metrics.ts';

/** Time for which the look at a part counts. */
const LOOK_LIFE_MS = 5_000;
/** Longest wait for a look at a part: probes wait little longer. */
const PATIENCE_MS = 1_000;
/** Time after which a look hangs. A service that is busy may take a while. */
const HANGS_MS = 10_000;

/** The state of the parts that people need. */
export interface ReadyState {
  readonly ready: boolean;
  /** True until the first start of each part has succeeded, or has failed and was reported. */
  readonly starting: boolean;
  /** True once the program stops: then nothing new may come. */
  readonly draining: boolean;
  readonly parts: Readonly<Record<string, boolean>>;
}

export interface ReadinessDeps {
  /**
   * Tells of each platform that is on whether people can use it; at once. One that is there is enough: a process that has
   * others serves them.
   */
  readonly platforms: () => Readonly<Record<string, boolean>>;
  /** Looks at the parts without which nobody is served; false or a rejection: people cannot be served. Each ends by itself. */
  readonly look: Readonly<Record<string, () => Promise<boolean>>>;
  /**
   * Looks at parts that other machines have: they are reported, and do not decide. Without them, what arrives is still taken
   * and waits; were all processes not ready, it would reach none of them.
   */
  readonly reportedOnly?: Readonly<Record<string, () => Promise<boolean>>>;
  readonly isStarting: () => boolean;
  /** Aborted once the program stops. Default: never. */
  readonly draining?: AbortSignal | undefined;
  readonly clock: Clock;
  readonly metrics: Pick<Metrics, 'gauge'>;
}

/**
 * Looks at a part now and then. While a look takes its time, the former one counts; one that hangs has
 * failed.
 */
const createLook = (look: () => Promise<boolean>, clock: Clock): (() => Promise<boolean>) => {
  let known = false;
  let sinceMs: number | undefined;
  const remembered = createCachedLook(
    async () => {
      sinceMs = clock.nowMs();
      known = await look().catch(() => false);
      sinceMs = undefined;
      return known;
    },
    LOOK_LIFE_MS,
    clock,
  );
  return async () => {
    const fresh = remembered();
    const given = new AbortController();
    const former = async (): Promise<boolean> => {
      await sleep(clock, PATIENCE_MS, given.signal).catch(() => undefined);
      return known && clock.nowMs() - (sinceMs ?? clock.nowMs()) < HANGS_MS;
    };
    return Promise.race([fresh, former()]).finally(() => given.abort());
  };
};

/** Creates the look at all parts, which costs them little however often it is asked for. */
export const createReadiness = (deps: ReadinessDeps): (() => Promise<ReadyState>) => {
  const { reportedOnly = {} } = deps;
  const looks = Object.entries({ ...reportedOnly, ...deps.look }).map(
    ([part, look]) => [part, createLook(look, deps.clock)] as const,
  );
  const parts = async (): Promise<Readonly<Record<string, boolean>>> => ({
    ...deps.platforms(),
    ...Object.fromEntries(
      await Promise.all(looks.map(async ([part, look]) => [part, await look()])),
    ),
  });
  deps.metrics.gauge(
    {
      name: 'dragoman_part_ready',
      help: 'Parts that people need: 1 where one can be used, 0 where not.',
      labels: ['part'],
    },
    async () =>
      Object.entries(await parts()).map(([part, isReady]) => ({
        labels: { part },
        value: Number(isReady),
      })),
  );
  return async () => {
    const all = await parts();
    const starting = deps.isStarting();
    const draining = deps.draining?.aborted ?? false;
    const platforms = Object.keys(deps.platforms());
    const isServing =
      Object.keys(deps.look).every((part) => all[part]) &&
      (platforms.length === 0 || platforms.some((platform) => all[platform]));
    return { ready: !starting && !draining && isServing, starting, draining, parts: all };
  };
};
