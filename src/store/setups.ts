import { randomUUID } from 'node:crypto';
import type { Space } from '../model/place.ts';
import type { Setup, SetupChoices } from '../model/setup.ts';
import type { Store } from './index.ts';
import { changeRows, deleteRows, readRow, readRows, spaceColumns } from './rows.ts';

const setupOf = ({ id, setup }: { readonly id: string; readonly setup: string }): Setup => ({
  ...(JSON.parse(setup) as Omit<Setup, 'id'>),
  id,
});

const columnsOf = ({ choices, work }: Omit<Setup, 'id'>) => ({
  setup: JSON.stringify({ choices, ...(work ? { work } : {}) }),
  is_begun: Number(work !== undefined),
});

export type SetupStore = ReturnType<typeof createSetupStore>;

/** Stores what is chosen in the wizard, and what was made of it. */
export const createSetupStore = (store: Store, now: () => number) => {
  const find = async (space: Space, id: string): Promise<Setup | undefined> => {
    const row = await readRow(store, 'setup', { ...spaceColumns(space), id }, ['id', 'setup']);
    return row && setupOf(row);
  };

  return {
    find,
    put: async (space: Space, choices: SetupChoices): Promise<Setup> => {
      const id = randomUUID();
      await store.write(async (db) => {
        const values = { ...spaceColumns(space), id, ...columnsOf({ choices }), since_ms: now() };
        await db.insertInto('setup').values(values).execute();
      });
      return { id, choices };
    },
    /** Lists what was begun, the oldest first. */
    begun: async (space: Space): Promise<readonly Setup[]> => {
      const of = { ...spaceColumns(space), is_begun: 1 };
      const rows = await readRows(store, 'setup', of, ['id', 'setup', 'since_ms']);
      return rows.toSorted((a, b) => a.since_ms - b.since_ms).map(setupOf);
    },
    /**
     * Changes a set-up as it is stored at this moment; undefined where there is none. No two set-ups of a space are changed
     * at once.
     *
     * @param how gets the others that are begun, too; what it throws is thrown, and nothing is changed
     */
    change: (
      space: Space,
      id: string,
      how: (setup: Setup, begun: readonly Setup[]) => Setup,
    ): Promise<Setup | undefined> =>
      store.write(async (db) => {
        // To write the rows keeps others from them.
        const rows = await db
          .updateTable('setup')
          .set((eb) => ({ is_begun: eb.ref('is_begun') }))
          .where((eb) => eb.and(spaceColumns(space)))
          .returning(['id', 'setup', 'is_begun'])
          .execute();
        const row = rows.find((each) => each.id === id);
        if (!row) return undefined;
        const begun = rows.filter((each) => each !== row && each.is_begun === 1).map(setupOf);
        const after = how(setupOf(row), begun);
        await changeRows(db, 'setup', { ...spaceColumns(space), id }, columnsOf(after));
        return after;
      }),
    remove: async (space: Space, id: string): Promise<void> => {
      await store.write((db) => deleteRows(db, 'setup', { ...spaceColumns(space), id }));
    },
  };
};
