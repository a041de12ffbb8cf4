import { sql, type Transaction } from 'kysely';
import type { Agreements } from '../ports/processes.ts';
import { isFree, NOW_MS } from './postgres/lease-rows.ts';
import { deleteRows, putRow } from './rows.ts';
import type { Schema } from './schema.ts';
import type { Store } from './store.ts';

/** Resolves with the number of a name, whose row no other transaction changes until the end of this one. */
const lockNumber = async (
  db: Transaction<Schema>,
  name: string,
  value: number,
): Promise<number> => {
  const row = await db
    .insertInto('agreement')
    .values({ name, value })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet((eb) => ({ value: eb.ref('agreement.value') })),
    )
    .returning('value')
    .executeTakeFirstOrThrow();
  return row.value;
};

/** Creates the numbers that all processes on a store use alike. */
export const createAgreements = (store: Store): Agreements => {
  const set = async (
    db: Transaction<Schema>,
    name: string,
    value: number | undefined,
  ): Promise<void> => {
    if (value === undefined) await deleteRows(db, 'agreement', { name });
    else await putRow(db, 'agreement', { name }, { value });
    await store.signals.publish(db, 'agreement', name);
  };

  /** True where some process holds a lease of a set, as far as is committed. */
  const isAnyHeld = async (db: Transaction<Schema>, leases: string): Promise<boolean> => {
    if (store.engine === 'sqlite') return store.leases.isAnyHeld(leases);
    const held = await db
      .selectFrom('lease')
      .select('name')
      .where('set_name', '=', `${leases}:`)
      .where(sql<boolean>`NOT ${sql.raw(isFree(NOW_MS, NOW_MS))}`)
      .limit(1)
      .execute();
    return held.length > 0;
  };

  return {
    agree: (name, value) => store.write((db) => lockNumber(db, name, value)),
    replace: (name, { former, value, unlessHeld }) =>
      store.write(async (db) => {
        const agreed = await lockNumber(db, name, value);
        // Only now, so that whoever was told the former one before is seen.
        if (agreed !== former || (await isAnyHeld(db, unlessHeld))) return agreed;
        await set(db, name, value);
        return value;
      }),
    read: async (prefix) => {
      const rows = await store
        .selectFrom('agreement')
        .selectAll()
        .where((eb) => eb(eb.fn('substr', ['name', eb.lit(1), eb.lit(prefix.length)]), '=', prefix))
        .execute();
      return new Map(rows.map(({ name, value }) => [name, value]));
    },
    write: async (values) => {
      const all = Object.entries(values);
      await store.write(async (db) => {
        for (const [name, value] of all) await set(db, name, value);
      });
    },
    watch: (prefix, look) =>
      store.signals.subscribe('agreement', (name) => {
        if (name === undefined || name.startsWith(prefix)) look();
      }),
  };
};
