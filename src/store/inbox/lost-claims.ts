import { readFileSync } from 'node:fs';
import type { Kysely, Transaction } from 'kysely';
import type { Schema } from '../schema.ts';
import { isOpen } from './row.ts';

/** Linux's number of this start of the machine (proc_sys_kernel(5)); undefined on other systems. */
export const readBootId = (): string | undefined => {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return undefined;
  }
};

/** Marks all open rows as begun: their posts may stand already. */
export const markOpenAsBegun = async (within: Transaction<Schema>): Promise<void> => {
  await within
    .updateTable('inbox')
    .set((eb) => ({ begun: eb('begun', '+', 1) }))
    .where(isOpen)
    .execute();
};

/**
 * Marks all open rows as begun where the claims of earlier processes may be lost: claims are not
 * synced, so that they survive the end of a process, but not the machine's.
 *
 * @param bootId number of this start of the machine; undefined where it is not known
 */
export const markLostClaims = async (
  db: Kysely<Schema>,
  bootId: string | undefined,
): Promise<void> => {
  const noted = await db.selectFrom('machine').select('boot_id').executeTakeFirst();
  if (bootId !== undefined && noted?.boot_id === bootId) return;
  await db.transaction().execute(async (within) => {
    await markOpenAsBegun(within);
    await within.deleteFrom('machine').execute();
    if (bootId !== undefined)
      await within.insertInto('machine').values({ boot_id: bootId }).execute();
  });
};
