import { hash } from 'node:crypto';
import { createCache } from '../async/lru.ts';
import { userError } from '../errors.ts';
import type { BlockedPerson, Blocks } from '../model/blocks.ts';
import { keyOf, type Person, type Space } from '../model/place.ts';
import { currentActor } from './actor.ts';
import { noteChange } from './audit.ts';
import type { Store } from './index.ts';
import { deleteRows, putRow, readRows, spaceColumns } from './rows.ts';

/** The people that moderators of a space may block. */
const MOST_OF_SPACE = 500;
/** Most spaces whose blocked people are cached: each copy asks for them. */
const CACHED_SPACES = 5_000;

type Author = Pick<Person, 'platform' | 'id'>;

/** The key of a blocked person. */
export const blockKey = (person: Author): string => hash('sha256', keyOf(person));

const authorColumns = (space: Space, key: string) => ({
  ...spaceColumns(space),
  author_hash: key,
});

interface StoredBlock {
  readonly isBan: boolean;
  /** Time since which it holds, ms since 1970. */
  readonly sinceMs: number;
}

export type BlockStore = ReturnType<typeof createBlocks>;

/** Creates the store of the people whose messages are not copied into a space. */
export const createBlocks = (store: Store, now: () => number) => {
  const read = async (space: Space): Promise<ReadonlyMap<string, StoredBlock>> => {
    const columns = ['author_hash', 'is_ban', 'since_ms'] as const;
    const rows = await readRows(store, 'blocked_author', spaceColumns(space), columns);
    return new Map(
      rows.map((row) => [row.author_hash, { isBan: row.is_ban === 1, sinceMs: row.since_ms }]),
    );
  };
  const known = createCache(read, {
    keyOf,
    most: CACHED_SPACES,
    isCurrent: () => store.signals.isCurrent('space-settings', 'space-left'),
  });
  store.signals.subscribe('space-settings', known.forget);
  store.signals.subscribe('space-left', known.forget);

  const list = async (space: Space): Promise<readonly BlockedPerson[]> => {
    const columns = ['author_hash', 'author_name', 'is_ban', 'since_ms'] as const;
    const rows = await readRows(store, 'blocked_author', spaceColumns(space), columns);
    return rows
      .toSorted((a, b) => b.since_ms - a.since_ms)
      .map((row) => ({
        key: row.author_hash,
        name: row.author_name ?? undefined,
        isBan: row.is_ban === 1,
      }));
  };

  return {
    find: async (space: Space, author: Author): Promise<StoredBlock | undefined> => {
      const blocked = await known.of(space);
      return blocked.size > 0 ? blocked.get(blockKey(author)) : undefined;
    },

    list,

    of: async (space: Space, person: Author): Promise<BlockedPerson | undefined> =>
      (await list(space)).find(({ key }) => key === blockKey(person)),

    add: async (
      space: Space,
      person: Author,
      { name, isBan }: Pick<BlockedPerson, 'name' | 'isBan'>,
    ): Promise<void> => {
      const by = currentActor();
      await store.write(async (db) => {
        const all = await readRows(db, 'blocked_author', spaceColumns(space), ['is_ban']);
        if (!isBan && all.filter((row) => row.is_ban === 0).length >= MOST_OF_SPACE)
          throw userError('rate-limited', 'blocks.full', { most: MOST_OF_SPACE });
        const key = authorColumns(space, blockKey(person));
        const isKnown = (await readRows(db, 'blocked_author', key, ['is_ban'])).length > 0;
        // What moderators decided does not end with a ban.
        if (isBan && isKnown) return;
        const values = { author_name: name ?? null, is_ban: isBan ? 1 : 0 };
        await putRow(db, 'blocked_author', key, values, { since_ms: now() });
        await noteChange(db, space, by, {
          what: 'blocked',
          about: key.author_hash,
          after: { isBan, name },
        });
        await store.signals.publish(db, 'space-settings', space);
      });
    },

    remove: async (space: Space, key: string): Promise<void> => {
      const by = currentActor();
      await store.write(async (db) => {
        const of = authorColumns(space, key);
        const [blocked] = await readRows(db, 'blocked_author', of, ['author_name']);
        await deleteRows(db, 'blocked_author', of);
        const after = { name: blocked?.author_name ?? undefined };
        await noteChange(db, space, by, { what: 'unblocked', about: key, after });
        await store.signals.publish(db, 'space-settings', space);
      });
    },

    /** Takes the end of a ban: what moderators decided besides stays. */
    unbanned: async (space: Space, person: Author): Promise<void> =>
      store.write(async (db) => {
        await deleteRows(db, 'blocked_author', {
          ...authorColumns(space, blockKey(person)),
          is_ban: 1,
        });
        await store.signals.publish(db, 'space-settings', space);
      }),
  } satisfies Omit<Blocks, 'lookUp'> & Record<string, unknown>;
};
