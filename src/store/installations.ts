import { keyOf, type Space } from '../model/place.ts';
import type { InstallationStore } from '../ports/installations.ts';
import type { Cipher } from './encryption.ts';
import type { Store } from './index.ts';

const whereSpace = ({ platform, id }: Space) => ({ platform, space_id: id });

export const createInstallationStore = (store: Store, cipher: Cipher): InstallationStore => ({
  of: async (space) => {
    const row = await store
      .selectFrom('installation')
      .select('secret')
      .where((eb) => eb.and(whereSpace(space)))
      .executeTakeFirst();
    return row && cipher.open(row.secret, keyOf(space));
  },
  list: async (platform) => {
    const rows = await store
      .selectFrom('installation')
      .select('space_id')
      .where('platform', '=', platform)
      .orderBy('space_id')
      .execute();
    return rows.map(({ space_id: id }) => ({ platform, id }));
  },
  put: async (space, secret) => {
    const sealed = cipher.seal(secret, keyOf(space));
    await store.write(async (db) =>
      db
        .insertInto('installation')
        .values({ ...whereSpace(space), secret: sealed })
        .onConflict((conflict) =>
          conflict.columns(['platform', 'space_id']).doUpdateSet({ secret: sealed }),
        )
        .execute(),
    );
  },
  remove: async (space) => {
    await store.write(async (db) =>
      db
        .deleteFrom('installation')
        .where((eb) => eb.and(whereSpace(space)))
        .execute(),
    );
    // A deleted token must not stay readable in the file.
    await store.checkpoint();
  },
});
