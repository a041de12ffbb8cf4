import { setTimeout as delay } from 'node:timers/promises';

export interface StreamOptions {
  /** The shortest time between two updates. */
  readonly paceMs: number;
  /** Number of updates, the last state's included; at least one. Default: unlimited. */
  readonly updates?: number;
  readonly sleep?: (ms: number) => Promise<void>;
}

const sleepMs = async (ms: number): Promise<void> => {
  await delay(ms);
};

/**
 * Shows the states of a growing answer, the newest whenever the platform takes the next one; those
 * in between are passed over, the last is always shown. Where updates are counted, each is waited for
 * twice as long as the one before. Resolves with the generator's result. When the generator or showing
 * fails, nothing is shown any more by the time the failure is thrown.
 */
export const showGrowing = async <State, Result>(
  states: AsyncGenerator<State, Result, void>,
  show: (state: State) => Promise<void>,
  { paceMs, updates = Infinity, sleep = sleepMs }: StreamOptions,
): Promise<Result> => {
  const ended = Promise.withResolvers<void>();
  const failed = Promise.withResolvers<never>();
  let failure: { readonly thrown: unknown } | undefined;
  failed.promise.catch(() => {});
  let newest: { readonly state: State } | undefined;
  let showing: Promise<void> | undefined;
  let isEnded = false;
  let left = updates;
  let waitMs = paceMs;

  const mayShow = (): boolean => isEnded || left > 1;
  const showUntilNoneIsNew = async (): Promise<void> => {
    try {
      while (newest !== undefined && mayShow()) {
        const { state } = newest;
        newest = undefined;
        left -= 1;
        await show(state);
        await Promise.race([sleep(waitMs), ended.promise]);
        if (left < Infinity) waitMs *= 2;
      }
    } catch (thrown) {
      failure = { thrown };
      failed.reject(thrown);
    } finally {
      showing = undefined;
    }
  };

  try {
    for (;;) {
      const { done, value } = await Promise.race([states.next(), failed.promise]);
      if (done) {
        isEnded = true;
        ended.resolve();
        await showing;
        await (failure ? undefined : showUntilNoneIsNew());
        if (failure) throw failure.thrown;
        return value;
      }
      newest = { state: value };
      showing ??= showUntilNoneIsNew();
    }
  } finally {
    newest = undefined;
    ended.resolve();
    await showing;
    await states.return(undefined as never);
  }
};
