import { sql } from 'kysely';
import type { Store } from '../index.ts';
import { NOW_MS } from '../postgres/lease-rows.ts';
import { slotOf } from '../rows.ts';
import { PROCESS, TENURES_PER_PROCESS } from '../sqlite/store.ts';
import type { StoredOutcome } from './outcomes.ts';

/** The process that claimed a row last: its name as an owner of leases, or that it has ended, or that there is none. */
export type Claimant = { readonly owner: string } | 'ended' | 'none';

/** Finds the process that claimed a row last. One that ended a moment ago may still be named. */
export const claimantOf = async (
  store: Pick<Store, 'selectFrom' | 'engine'>,
  { partition, epoch }: Pick<StoredOutcome, 'partition' | 'epoch'>,
): Promise<Claimant> => {
  if (epoch === 0) return 'none';
  const isShared = store.engine === 'postgres';
  const lease = await store
    .selectFrom('lease')
    .select('owner')
    .where('name', '=', isShared ? `slot:${slotOf(partition)}` : PROCESS)
    .where('epoch', '=', isShared ? epoch : Math.floor(epoch / TENURES_PER_PROCESS))
    .$if(isShared, (query) => query.where('expires_ms', '>', sql<number>`${sql.raw(NOW_MS)}`))
    .executeTakeFirst();
  return lease ?? 'ended';
};
