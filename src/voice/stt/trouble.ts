import type { Clock } from '../../async/clock.ts';
import type { AppError } from '../../errors.ts';

/** Time for which recognition fails before people are told: shorter trouble only delays lines. */
const SHOWN_AFTER_MS = 3_000;
/** Time for which recognition works before the trouble counts as over. */
const OVER_AFTER_MS = 10_000;

export interface TroubleDeps {
  readonly clock: Clock;
  readonly show: (error: AppError) => void;
  /** Called when recognition works again, whether the trouble was shown or not. */
  readonly over: (wasShown: boolean) => void;
}

/** Tells lasting trouble of recognition from failures that come and go. */
export const createTrouble = ({ clock, show, over }: TroubleDeps) => {
  let isShown = false;
  let cancelShow: (() => void) | undefined;
  let cancelOver: (() => void) | undefined;
  const stop = (): void => {
    cancelShow?.();
    cancelOver?.();
    cancelShow = undefined;
    cancelOver = undefined;
  };
  return {
    /** Takes the error of recognition; undefined when it works again. */
    report: (error: AppError | undefined): void => {
      stop();
      if (!error)
        cancelOver = clock.after(OVER_AFTER_MS, () => {
          over(isShown);
          isShown = false;
        });
      else if (!isShown)
        cancelShow = clock.after(SHOWN_AFTER_MS, () => {
          isShown = true;
          show(error);
        });
    },
    [Symbol.dispose]: stop,
  };
};
