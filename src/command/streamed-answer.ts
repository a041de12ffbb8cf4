import { setTimeout as delay } from 'node:timers/promises';

export interface Pace {
  /** The shortest time between two showings. */
  readonly paceMs: number;
  readonly sleep?: (ms: number) => Promise<void>;
}

const sleepMs = async (ms: number): Promise<void> => {
  await delay(ms);
};

/**
 * Shows the states of a growing answer, the newest whenever the platform takes the next one; those
 * in between are passed over, the last is always shown. Resolves with the generator's result. When
 * the generator or showing fails, nothing is shown any more by the time the failure is thrown.
 */
export const showGrowing = async <Result>(
  states: AsyncGenerator<string, Result, void>,
  show: (text: string) => Promise<void>,
  { paceMs, sleep = sleepMs }: Pace,
): Promise<Result> => {
  const ended = Promise.withResolvers<void>();
  const failed = Promise.withResolvers<never>();
  let failure: { readonly thrown: unknown } | undefined;
  failed.promise.catch(() => {});
  let newest: string | undefined;
  let showing: Promise<void> | undefined;

  const showUntilNoneIsNew = async (): Promise<void> => {
    try {
      while (newest !== undefined) {
        const text = newest;
        newest = undefined;
        await show(text);
        await Promise.race([sleep(paceMs), ended.promise]);
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
        ended.resolve();
        await showing;
        if (failure) throw failure.thrown;
        return value;
      }
      newest = value;
      showing ??= showUntilNoneIsNew();
    }
  } finally {
    newest = undefined;
    ended.resolve();
    await showing;
    await states.return(undefined as never);
  }
};
