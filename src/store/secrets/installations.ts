import { keyOf, type Space } from '../../model/place.ts';
import type { InstallationStore } from '../../ports/store.ts';
import type { Cipher } from './encryption.ts';
import type { Store } from '../index.ts';
import { changeRows, deleteRows, putRow, readRow, spaceColumns } from '../rows.ts';

/** True where something other than `expected` was encrypted. */
const isOther = (cipher: Cipher, sealed: string, expected: string, space: Space): boolean => {
  try {
    return cipher.open(sealed, keyOf(space)) !== expected;
  } catch {
    // It was read here a moment ago, so it was only encrypted with a newer key that is not known here.
    return false;
  }
};

export const createInstallationStore = (store: Store, cipher: Cipher): InstallationStore => ({
  of: async (space) => {
    const row = await readRow(store, 'installation', spaceColumns(space), ['secret']);
    return row && cipher.open(row.secret, keyOf(space));
  },
  all: async (platform) => {
    const rows = await store
      .selectFrom('installation')
      .select(['space_id', 'secret'])
      .where('platform', '=', platform)
      .orderBy('space_id')
      .execute();
    return rows.map(({ space_id: id, secret }) => {
      const space = { platform, id };
      return { space, open: () => cipher.open(secret, keyOf(space)) };
    });
  },
  put: async (space, secret) => {
    const sealed = cipher.seal(secret, keyOf(space));
    await store.write(async (db) => {
      await putRow(db, 'installation', spaceColumns(space), { secret: sealed });
      await store.signals.publish(db, 'installation', space);
    });
  },
  replace: async (space, before, after) => {
    const sealed = cipher.seal(after, keyOf(space));
    return store.write(async (db) => {
      for (;;) {
        const row = await readRow(db, 'installation', spaceColumns(space), ['secret']);
        if (!row || isOther(cipher, row.secret, before, space)) return false;
        const seen = { ...spaceColumns(space), secret: row.secret };
        const changed = await changeRows(db, 'installation', seen, { secret: sealed });
        // Otherwise it was changed in between, maybe only by another encryption.
        if (changed === 0) continue;
        await store.signals.publish(db, 'installation', space);
        return true;
      }
    });
  },
  remove: async (space) => {
    await store.write(async (db) => {
      await deleteRows(db, 'installation', spaceColumns(space));
      await store.signals.publish(db, 'installation', space);
    });
    // A deleted token must not stay readable in the file.
    await store.checkpoint();
  },
  watch: (platform, receive) =>
    store.signals.subscribe('installation', async (space) => {
      if (space === undefined || space.platform === platform) await receive(space);
    }),
});
