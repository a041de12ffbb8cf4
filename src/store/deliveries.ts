import type { Selectable, Transaction } from 'kysely';
import type { Person, Space } from '../model/place.ts';
import type { Delivery } from '../ports/store.ts';
import type { Tenure } from '../ports/processes.ts';
import type { Store } from './index.ts';
import type { Schema } from './schema.ts';
import { changeRows, slotOf, deleteRows, statement } from './rows.ts';
import { RELAXED } from './writer.ts';

/** A stored event: its number, which grows, its space, and the key of its order. */
export interface StoredDelivery extends Pick<Delivery, 'space' | 'orderKey'> {
  readonly number: number;
}

const insertDelivery = statement((db, row: Omit<Selectable<Schema['delivery']>, 'number'>) =>
  db
    .insertInto('delivery')
    .values(row)
    .onConflict((conflict) => conflict.columns(['platform', 'id']).doNothing())
    .returning('number'),
);

const readDelivery = statement((db, { number }: { number: number }) =>
  db.selectFrom('delivery').select('body').where('number', '=', number),
);

const endDelivery = statement((db, { number }: { number: number }) =>
  db.updateTable('delivery').set({ body: null, author_id: null }).where('number', '=', number),
);

/**
 * Takes effect only where no later tenure has begun; one that begins at this moment comes after it, and finds the event ended
 * at its next look. The lease is not locked, as its renewal would wait. SQLite has no rows of such leases: one process holds
 * them all.
 */
const giveUpDelivery = statement(
  (db, { number, name, epoch }: { number: number; name: string; epoch: number }) =>
    db
      .updateTable('delivery')
      .set({ body: null, author_id: null })
      .where('number', '=', number)
      .where('body', 'is not', null)
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom('lease')
              .select('lease.name')
              .where('lease.name', '=', name)
              .where('lease.epoch', '>', epoch),
          ),
        ),
      ),
);

export type DeliveryStore = ReturnType<typeof createDeliveryStore>;

/** Stores events until they are handled, and their ids for a while after that. */
export const createDeliveryStore = (store: Store, platform: string, now: () => number) => ({
  /** Resolves with the number of an event that is new; undefined for one that was stored before. */
  put: ({ id, space, orderKey, authorId, body }: Delivery): Promise<number | undefined> =>
    store.write(async (db) => {
      const { rows } = await insertDelivery(db, {
        platform,
        id,
        space_id: space.id,
        order_key: orderKey,
        slot: slotOf(orderKey),
        author_id: authorId ?? null,
        body,
        received_ms: now(),
      });
      return rows[0]?.number;
    }),

  /** The body of an event; undefined once it was handled or its author's data was deleted. */
  read: async (number: number): Promise<string | undefined> => {
    const { rows } = await readDelivery(store, { number });
    return rows[0]?.body ?? undefined;
  },

  /** Deletes the body of an event that was handled, whoever has it by now. A process that ends before it is on disk handles the event again. */
  end: (number: number): Promise<void> =>
    store.write(async (db) => {
      await endDelivery(db, { number });
    }, RELAXED),

  /**
   * Deletes the body of an event that was not handled; resolves with false where it has no body any more, or is that of a
   * later tenure, which has tries of its own.
   */
  giveUp: (number: number, { name, epoch }: Pick<Tenure, 'name' | 'epoch'>): Promise<boolean> =>
    store.write(async (db) => {
      const { changed } = await giveUpDelivery(db, { number, name, epoch });
      return changed > 0;
    }, RELAXED),

  /** True while an event of a space, up to a number, was not handled. */
  isOpen: async ({ id }: Space, upTo = Number.MAX_SAFE_INTEGER): Promise<boolean> => {
    const row = await store
      .selectFrom('delivery')
      .select('number')
      .where('platform', '=', platform)
      .where('space_id', '=', id)
      .where('body', 'is not', null)
      .where('number', '<=', upTo)
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  },

  /** The number of the newest event; 0 where there is none. */
  newest: async (): Promise<number> => {
    const row = await store
      .selectFrom('delivery')
      .select(({ fn }) => fn.max('number').as('newest'))
      .executeTakeFirst();
    return row?.newest ?? 0;
  },

  /** Lists the events of slots that were not handled, in the order in which they came. */
  open: async (slots: readonly number[]): Promise<readonly StoredDelivery[]> => {
    if (slots.length === 0) return [];
    const rows = await store
      .selectFrom('delivery')
      .select(['number', 'space_id', 'order_key'])
      .where('platform', '=', platform)
      .where('slot', 'in', slots)
      .where('body', 'is not', null)
      .orderBy('number')
      .execute();
    return rows.map(({ number, space_id: id, order_key: orderKey }) => ({
      number,
      space: { platform, id },
      orderKey,
    }));
  },
});

/** Deletes, within a transaction, the events that hold words of a person. */
export const forgetDeliveries = async (
  db: Transaction<Schema>,
  { platform, id }: Person,
): Promise<void> => {
  const written = { platform, author_id: id };
  await changeRows(db, 'delivery', written, { body: null, author_id: null });
};

/** Deletes, within a transaction, ids of events that were handled; resolves with their number. */
export const clearDeliveries = async (
  db: Transaction<Schema>,
  beforeMs: number,
  most: number,
): Promise<number> => {
  const old = await db
    .selectFrom('delivery')
    .select('number')
    .where('received_ms', '<', beforeMs)
    .where('body', 'is', null)
    .limit(most)
    .execute();
  for (const { number } of old) await deleteRows(db, 'delivery', { number });
  return old.length;
};
