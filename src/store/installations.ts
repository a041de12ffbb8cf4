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
    await store.write(async (db) => {
      await db
        .insertInto('installation')
        .values({ ...whereSpace(space), secret: sealed })
        .onConflict((conflict) =>
          conflict.columns(['platform', 'space_id']).doUpdateSet({ secret: sealed }),
        )
        .execute();
      await store.signals.publish(db, 'installation', space);
    });
  },
  remove: async (space) => {
    await store.write(async (db) => {
      await db
        .deleteFrom('installation')
        .where((eb) => eb.and(whereSpace(space)))
        .execute();
      await store.signals.publish(db, 'installation', space);
    });
    // A deleted token must not stay readable in the file.
    await store.checkpoint();
  },
  watch: (platform, receive) => {
    const take = async (space: Space | undefined): Promise<void> => {
      if (space === undefined || space.platform === platform) await receive(space);
    };
    // The removal of a space deletes its installation, too.
    const ends = [
      store.signals.subscribe('installation', take),
      store.signals.subscribe('space-left', take),
    ];
    return () => {
      for (const end of ends) end();
    };
  },
});
