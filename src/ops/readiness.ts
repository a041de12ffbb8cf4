import { sleep, type Clock } from '../async/clock.ts';
import type { Metrics } from './metrics.ts';

/** Time for which the look at a part counts. */
const KEPT_MS = 2_000;
/** Longest wait for a look at a part. */
const LOOK_MS = 2_500;

/** The state of the parts that people need. */
export interface ReadyState {
  readonly ready: boolean;
  /** True once the program stops: then nothing new may come. */
  readonly draining: boolean;
  readonly parts: Readonly<Record<string, boolean>>;
}

export interface ReadinessDeps {
  /** Tells of each platform that is on whether people can use it; at once. */
  readonly platforms: () => Readonly<Record<string, boolean>>;
  /** Looks at the other parts; false or a rejection: people cannot be served. */
  readonly look: Readonly<Record<string, () => Promise<boolean>>>;
  /** Aborted once the program stops. Default: never. */
  readonly draining?: AbortSignal | undefined;
  readonly clock: Clock;
  readonly metrics: Pick<Metrics, 'gauge'>;
}

/** Looks at a part now and then, once at a time; a look that takes too long has failed. */
const createLook = (look: () => Promise<boolean>, clock: Clock): (() => Promise<boolean>) => {
  let lastMs = Number.NEGATIVE_INFINITY;
  let last = Promise.resolve(false);
  let isUnderWay = false;
  const begin = async (): Promise<boolean> => {
    isUnderWay = true;
    try {
      return await look();
    } catch {
      return false;
    } finally {
      isUnderWay = false;
    }
  };
  return async () => {
    if (!isUnderWay && clock.nowMs() - lastMs >= KEPT_MS) {
      lastMs = clock.nowMs();
      last = begin();
    }
    const given = new AbortController();
    const tooLong = sleep(clock, LOOK_MS, given.signal).then(
      () => false,
      () => false,
    );
    return Promise.race([last, tooLong]).finally(() => given.abort());
  };
};

/** Creates the look at all parts, which costs them little however often it is asked for. */
export const createReadiness = (deps: ReadinessDeps): (() => Promise<ReadyState>) => {
  const looks = Object.entries(deps.look).map(
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
    const draining = deps.draining?.aborted ?? false;
    return { ready: !draining && Object.values(all).every(Boolean), draining, parts: all };
  };
};
