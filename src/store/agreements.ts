import type { Agreements } from '../ports/agreements.ts';
import type { Store } from './store.ts';

/** Creates the numbers that all processes on a store use alike. */
export const createAgreements = (store: Store): Agreements => {
  const write: Agreements['write'] = async (values) => {
    const all = Object.entries(values);
    await store.write(async (db) => {
      for (const [name, value] of all) {
        if (value === undefined)
          await db.deleteFrom('agreement').where('name', '=', name).execute();
        else
          await db
            .insertInto('agreement')
            .values({ name, value })
            .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
            .execute();
        await store.signals.publish(db, 'agreement', name);
      }
    });
  };
  return {
    agree: (name, value) =>
      store.write(async (db) => {
        await db
          .insertInto('agreement')
          .values({ name, value })
          .onConflict((conflict) => conflict.column('name').doNothing())
          .execute();
        const row = await db
          .selectFrom('agreement')
          .select('value')
          .where('name', '=', name)
          .executeTakeFirstOrThrow();
        return row.value;
      }),
    read: async (prefix) => {
      const rows = await store
        .selectFrom('agreement')
        .selectAll()
        .where((eb) => eb(eb.fn('substr', ['name', eb.lit(1), eb.lit(prefix.length)]), '=', prefix))
        .execute();
      return new Map(rows.map(({ name, value }) => [name, value]));
    },
    write,
    watch: (prefix, look) =>
      store.signals.subscribe('agreement', (name) => {
        if (name === undefined || name.startsWith(prefix)) look();
      }),
  };
};
