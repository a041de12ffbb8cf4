import type { Clock } from '../../async/clock.ts';
import { userError } from '../../errors.ts';
import type { Builder } from '../../ports/builder.ts';

/** Longest wait for a platform: shorter than the time for which a set-up is left to the process that works on it. */
const LONGEST_MS = 45_000;

/** Has every method of a builder reject with `timeout` where the platform does not answer. */
export const boundedBuilder = (builder: Builder, { after }: Pick<Clock, 'after'>): Builder => {
  const bound = async <Result>(work: Promise<Result>): Promise<Result> => {
    const late = Promise.withResolvers<never>();
    const cancel = after(LONGEST_MS, () => late.reject(userError('timeout', 'errors.timeout')));
    return Promise.race([work, late.promise]).finally(cancel);
  };
  const { roles } = builder;
  return {
    threads: builder.threads,
    nameOf: builder.nameOf,
    demand: (...given) => bound(builder.demand(...given)),
    survey: (...given) => bound(builder.survey(...given)),
    make: (...given) => bound(builder.make(...given)),
    find: (...given) => bound(builder.find(...given)),
    standing: (...given) => bound(builder.standing(...given)),
    remove: (...given) => bound(builder.remove(...given)),
    ...(roles && {
      roles: {
        isSafe: (...given) => bound(roles.isSafe(...given)),
        set: (...given) => bound(roles.set(...given)),
      },
    }),
  };
};
