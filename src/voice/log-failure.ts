import { type AppError, toAppError } from '../errors.ts';
import type { Log } from '../log.ts';

/** Does what may fail without harm; resolves with why it did, once that is logged with the given words. */
export const logFailure = async (
  log: Pick<Log, 'warn'>,
  words: string,
  run: () => Promise<unknown>,
): Promise<AppError | undefined> => {
  try {
    await run();
    return undefined;
  } catch (thrown) {
    const error = toAppError(thrown);
    log.warn({ code: error.code, reason: error.message }, words);
    return error;
  }
};
