import { throwIfAborted } from '../faults.ts';

/** Lets so many in at once; the others wait, the first to come first. */
export interface EncoderLimit {
  /** Resolves with a place, which is held until it is disposed of. Rejects as `throwIfAborted`. */
  enter(signal: AbortSignal): Promise<Disposable>;
  /** A place, if one is free. */
  tryEnter(): Disposable | undefined;
}

export const createEncoderLimit = (places: number): EncoderLimit => {
  let free = places;
  const waiting = new Set<() => void>();

  const takePlace = (): Disposable => {
    let isHeld = true;
    return {
      [Symbol.dispose]: () => {
        if (!isHeld) return;
        isHeld = false;
        const [next] = waiting;
        if (next) next();
        else free += 1;
      },
    };
  };

  const tryEnter = (): Disposable | undefined => {
    if (free === 0) return undefined;
    free -= 1;
    return takePlace();
  };

  return {
    tryEnter,
    enter: async (signal) => {
      throwIfAborted(signal);
      const place = tryEnter();
      if (place) return place;
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const admit = (): void => {
        waiting.delete(admit);
        resolve(true);
      };
      const giveUp = (): void => {
        if (waiting.delete(admit)) resolve(false);
      };
      waiting.add(admit);
      signal.addEventListener('abort', giveUp, { once: true });
      const isAdmitted = await promise;
      signal.removeEventListener('abort', giveUp);
      if (!isAdmitted) throwIfAborted(signal);
      return takePlace();
    },
  };
};

/** Encoders for what is played that may be alive in the process; each takes some 100 KB. */
const MOST_ENCODERS = 16;

export const encoderLimit: EncoderLimit = createEncoderLimit(MOST_ENCODERS);
