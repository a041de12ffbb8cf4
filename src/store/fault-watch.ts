import { sql } from 'kysely';
import type { AppError } from '../errors.ts';
import { isDiskFault } from '../sqlite/disk-fault.ts';
import type { StoreWriter } from './writer.ts';

/** Watches writes for faults of the disk. */
export const createFaultWatch = ({ write: writeOnce }: Pick<StoreWriter, 'write'>) => {
  let fault: AppError | undefined;

  const write: StoreWriter['write'] = async (work, options) => {
    try {
      const result = await writeOnce(work, options);
      fault = undefined;
      return result;
    } catch (thrown) {
      if (isDiskFault(thrown)) fault = thrown;
      throw thrown;
    }
  };

  return {
    write,
    /** See `Store.findFault`. */
    findFault: async ({ anew = false } = {}): Promise<AppError | undefined> => {
      if (!fault && !anew) return undefined;
      try {
        // Nothing else uses this number in the file's header; setting it writes a page.
        await write((db) => sql`PRAGMA user_version = 1`.execute(db));
      } catch (thrown) {
        if (!isDiskFault(thrown)) throw thrown;
      }
      return fault;
    },
  };
};
