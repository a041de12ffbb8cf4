import type { AppError } from '../errors.ts';
import { isStorageFault } from '../sqlite/disk-fault.ts';
import type { StoreWriter, Write } from './writer.ts';

/**
 * Watches writes for faults of the disk or the server.
 *
 * @param probe changes something that nothing else uses
 */
export const createFaultWatch = (
  { write: writeOnce }: Pick<StoreWriter, 'write'>,
  probe: Write<unknown>,
) => {
  let fault: AppError | undefined;

  const write: StoreWriter['write'] = async (work, options) => {
    try {
      const result = await writeOnce(work, options);
      fault = undefined;
      return result;
    } catch (thrown) {
      if (isStorageFault(thrown)) fault = thrown;
      throw thrown;
    }
  };

  return {
    write,
    /** See `Store.findFault`. */
    findFault: async ({ anew = false } = {}): Promise<AppError | undefined> => {
      if (!fault && !anew) return undefined;
      try {
        await write(probe);
      } catch (thrown) {
        if (!isStorageFault(thrown)) throw thrown;
      }
      return fault;
    },
  };
};
