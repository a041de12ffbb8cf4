import { randomUUID } from 'node:crypto';
import { AppError } from '../errors.ts';
import type { Space } from '../model/place.ts';
import type { Setup, SetupChoices } from '../model/setup.ts';
import type { Store } from './index.ts';
import { changeRows, deleteRows, readRow, readRows, spaceColumns } from './rows.ts';

/** Tries of a change that others make at the same time. */
const TRIES = 10;

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
     * Changes a set-up as it is stored at this moment, whatever others change of it at the same time; undefined where
     * there is none.
     */
    change: async (
      space: Space,
      id: string,
      how: (setup: Setup) => Setup,
    ): Promise<Setup | undefined> => {
      for (let tries = 0; tries < TRIES; tries += 1) {
        const before = await find(space, id);
        if (!before) return undefined;
        const after = how(before);
        const changed = await store.write((db) =>
          changeRows(
            db,
            'setup',
            { ...spaceColumns(space), id, setup: columnsOf(before).setup },
            columnsOf(after),
          ),
        );
        if (changed > 0) return after;
      }
      throw new AppError('unavailable', 'a set-up is changed by too many', { retryable: true });
    },
    remove: async (space: Space, id: string): Promise<void> => {
      await store.write((db) => deleteRows(db, 'setup', { ...spaceColumns(space), id }));
    },
  };
};
