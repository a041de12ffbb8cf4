import { AppError } from '../../errors.ts';
import { NOW_MS } from '../postgres/lease-rows.ts';

/**
 * Has no process begin to work on a PostgreSQL database until the transaction ends, of which these are the first
 * statements. Throws `config` where one works on it.
 *
 * @param query runs a statement within the transaction
 */
export const demandIdle = async (
  query: (text: string) => Promise<readonly object[]>,
): Promise<void> => {
  await query('SET LOCAL lock_timeout = 5000');
  await query('LOCK TABLE lease IN EXCLUSIVE MODE');
  const live = await query(`SELECT 1 FROM lease WHERE expires_ms > ${NOW_MS} LIMIT 1`);
  if (live.length > 0)
    throw new AppError(
      'config',
      'a program works on the database: stop all of its processes first',
    );
};
