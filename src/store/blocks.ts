import { createCache } from '../async/lru.ts';
import { userError } from '../errors.ts';
import type { BlockedPerson, Blocks } from '../model/blocks.ts';
import { keyOf, type Space } from '../model/place.ts';
import { currentActor } from './actor.ts';
import { noteChange } from './audit.ts';
import type { Store } from './index.ts';
import { deleteRows, putRow, readRows, spaceColumns } from './rows.ts';

/** The people that moderators of a space may block. */
const MOST_OF_SPACE = 500;
/** Most spaces whose blocked people are cached: each copy asks for them. */
const CACHED_SPACES = 5_000;

const authorColumns = (space: Space, { platform, id }: BlockedPerson['person']) => ({
  ...spaceColumns(space),
  author_platform: platform,
  author_id: id,
});

export type BlockStore = ReturnType<typeof createBlocks>;

/** Creates the store of the people whose messages are not copied into a space. */
export const createBlocks = (store: Store, now: () => number) => {
  const read = async (space: Space): Promise<ReadonlySet<string>> => {
    const columns = ['author_platform', 'author_id'] as const;
    const rows = await readRows(store, 'blocked_author', spaceColumns(space), columns);
    return new Set(rows.map((row) => keyOf({ platform: row.author_platform, id: row.author_id })));
  };
  const known = createCache(read, {
    keyOf,
    most: CACHED_SPACES,
    isCurrent: store.signals.isCurrent,
  });
  store.signals.subscribe('space-settings', known.forget);
  store.signals.subscribe('space-left', known.forget);

  return {
    has: async (space: Space, { platform, id }: BlockedPerson['person']): Promise<boolean> =>
      (await known.of(space)).has(keyOf({ platform, id })),

    list: async (space: Space): Promise<readonly BlockedPerson[]> => {
      const columns = [
        'author_platform',
        'author_id',
        'author_name',
        'is_ban',
        'since_ms',
      ] as const;
      const rows = await readRows(store, 'blocked_author', spaceColumns(space), columns);
      return rows
        .toSorted((a, b) => b.since_ms - a.since_ms)
        .map((row) => ({
          person: { platform: row.author_platform, id: row.author_id },
          name: row.author_name ?? undefined,
          isBan: row.is_ban === 1,
        }));
    },

    add: async (space: Space, { person, name, isBan }: BlockedPerson): Promise<void> => {
      const by = currentActor();
      await store.write(async (db) => {
        const all = await readRows(db, 'blocked_author', spaceColumns(space), ['is_ban']);
        if (!isBan && all.filter((row) => row.is_ban === 0).length >= MOST_OF_SPACE)
          throw userError('rate-limited', 'blocks.full', { most: MOST_OF_SPACE });
        const key = authorColumns(space, person);
        const isKnown = (await readRows(db, 'blocked_author', key, ['is_ban'])).length > 0;
        // What moderators decided does not end with a ban.
        if (isBan && isKnown) return;
        const values = { author_name: name ?? null, is_ban: isBan ? 1 : 0 };
        await putRow(db, 'blocked_author', key, values, { since_ms: now() });
        const about = { aboutId: person.id, after: { platform: person.platform, isBan } };
        await noteChange(db, space, by, { what: 'blocked', ...about });
        await store.signals.publish(db, 'space-settings', space);
      });
    },

    remove: async (space: Space, person: BlockedPerson['person']): Promise<void> => {
      const by = currentActor();
      await store.write(async (db) => {
        await deleteRows(db, 'blocked_author', authorColumns(space, person));
        await noteChange(db, space, by, { what: 'unblocked', aboutId: person.id });
        await store.signals.publish(db, 'space-settings', space);
      });
    },

    /** Takes the end of a ban: what moderators decided besides stays. */
    unbanned: async (space: Space, person: BlockedPerson['person']): Promise<void> =>
      store.write(async (db) => {
        await deleteRows(db, 'blocked_author', { ...authorColumns(space, person), is_ban: 1 });
        await store.signals.publish(db, 'space-settings', space);
      }),
  } satisfies Blocks & Record<string, unknown>;
};
