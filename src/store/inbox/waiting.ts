import { isOpen } from './row.ts';
import type { Store } from '../index.ts';

/** Most rows that are looked at. */
const MOST_LOOKED_AT = 5_000;

/** The work that waits in the inbox. */
export interface WaitingWork {
  /** Number of open rows, up to 5,000. */
  readonly count: number;
  /** Time since which the oldest of them has had no outcome, ms since 1970. */
  readonly oldestMs: number | undefined;
}

/** Looks at the open rows of all spaces. */
export const waitingWork = async (store: Store): Promise<WaitingWork> => {
  const { count, oldest } = await store
    .selectFrom(
      store
        .selectFrom('inbox')
        .select('changed_ms')
        .where(isOpen)
        // The order of the index of open rows.
        .orderBy('slot')
        .orderBy('partition_key')
        .limit(MOST_LOOKED_AT)
        .as('open'),
    )
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min('changed_ms').as('oldest')])
    .executeTakeFirstOrThrow();
  return { count, oldestMs: oldest ?? undefined };
};
