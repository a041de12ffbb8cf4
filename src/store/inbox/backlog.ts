import type { Backlog } from '../../autotranslate/backlog.ts';
import type { AppError } from '../../errors.ts';
import type { Space } from '../../model/place.ts';
import { isDead, isOpen, rowChannel } from './row.ts';
import type { Store } from '../index.ts';

const MOST_LISTED = 10;

const whereSpace = ({ platform, id }: Space) => ({ platform, space_id: id });

/** Counts a space's open and dead rows, and lists the newest dead ones. */
export const backlogOf = async (
  store: Store,
  space: Space,
  timeOf: (position: string) => number | undefined,
): Promise<Backlog> => {
  const open = await store
    .selectFrom('inbox')
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min('position').as('oldest')])
    .where((eb) => eb.and(whereSpace(space)))
    .where(isOpen)
    .executeTakeFirstOrThrow();
  const dead = store
    .selectFrom('inbox')
    .where((eb) => eb.and(whereSpace(space)))
    .where(isDead);
  const { count } = await dead
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  const newest = await dead
    .select(['platform', 'space_id', 'channel_id', 'parent_id', 'message_id', 'reason'])
    .orderBy('position', 'desc')
    .limit(MOST_LISTED)
    .execute();
  return {
    waiting: open.count,
    oldestMs: open.oldest ? timeOf(open.oldest) : undefined,
    dead: count,
    newestDead: newest.map((row) => ({
      ref: { channel: rowChannel(row), id: row.message_id },
      reason: (row.reason ?? 'internal') as AppError['code'],
    })),
  };
};

/** Retries the dead rows of a space. Resolves with their partitions, one for each row. */
export const reviveDead = async (store: Store, space: Space): Promise<readonly string[]> => {
  const rows = await store.write((db) =>
    db
      .updateTable('inbox')
      .set({ state: 'waiting', reason: null, attempts: 0, due_ms: 0 })
      .where((eb) => eb.and(whereSpace(space)))
      .where(isDead)
      .returning('partition_key')
      .execute(),
  );
  return rows.map(({ partition_key }) => partition_key);
};
