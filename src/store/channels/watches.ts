import type { Transaction } from 'kysely';
import { channelAround, channelKey, keyOf, type Channel, type Space } from '../../model/place.ts';
import type { ChannelWatch, WatchChoices, WatchMode, LinkInvite } from '../../model/space.ts';
import { createKeyedMutex } from '../../async/locks.ts';
import { rowChannel } from '../inbox/row.ts';
import type { Store } from '../index.ts';
import { channelColumns, deleteRows, putRow } from '../rows.ts';
import type { Schema } from '../schema.ts';
import { hash, randomBytes } from 'node:crypto';
import { HOUR_MS } from '../../async/clock.ts';

interface StoredWatch {
  readonly watch: ChannelWatch;
  readonly sinceMs: number;
}

/** Removes the watches that are alone in one of these groups: a group needs two channels. */
const takeLone = (
  watches: WatchesById,
  groups: readonly (string | undefined)[],
): readonly Channel[] =>
  [...new Set(groups)].flatMap((group) => {
    const members = [...watches].filter(
      ([, { watch }]) => group !== undefined && watch.group === group,
    );
    if (members.length !== 1) return [];
    return members.map(([id, { watch }]) => {
      watches.delete(id);
      return watch.channel;
    });
  });

const deleteAll = async (db: Transaction<Schema>, channels: readonly Channel[]): Promise<void> => {
  for (const channel of channels) await deleteRows(db, 'channel_watch', channelColumns(channel));
};

/** The choices of a watch for which none were made, as JSON. */
const NO_CHOICES = '{}';

type WatchesById = Map<string, StoredWatch>;

/** Stores watches; resolves with the channels that remained alone in their group, whose watches are removed. */
const putAll = async (
  db: Transaction<Schema>,
  watches: WatchesById,
  changed: readonly ChannelWatch[],
  sinceMs: number,
): Promise<readonly Channel[]> => {
  const before = changed.map((watch) => {
    const id = channelKey(watch.channel);
    const old = watches.get(id);
    watches.set(id, { watch, sinceMs: old?.sinceMs ?? sinceMs });
    return old?.watch.group;
  });
  for (const watch of changed) {
    const { channel, mode, languages, group, transcribes, bots, below, choices } = watch;
    const how = {
      space_id: channel.space.id,
      mode,
      languages: JSON.stringify(languages),
      group_id: group ?? null,
      transcribes: Number(transcribes),
      bots: Number(bots),
      below: Number(below ?? false),
      choices: JSON.stringify(choices ?? {}),
    };
    const first = { parent_id: channel.parentId ?? null, since_ms: sinceMs };
    await putRow(db, 'channel_watch', channelColumns(channel), how, first);
  }
  const lone = takeLone(watches, before);
  await deleteAll(db, lone);
  return lone;
};

const readAll = async (db: Pick<Store, 'selectFrom'>): Promise<WatchesById> => {
  const rows = await db.selectFrom('channel_watch').selectAll().orderBy('since_ms').execute();
  return new Map(
    rows.map((row) => [
      channelKey(rowChannel(row)),
      {
        sinceMs: row.since_ms,
        watch: {
          channel: rowChannel(row),
          mode: row.mode as WatchMode,
          languages: JSON.parse(row.languages) as string[],
          ...(row.group_id === null ? {} : { group: row.group_id }),
          transcribes: row.transcribes === 1,
          bots: row.bots === 1,
          ...(row.below === 1 ? { below: true } : {}),
          ...(row.choices === NO_CHOICES
            ? {}
            : { choices: JSON.parse(row.choices) as WatchChoices }),
        },
      },
    ]),
  );
};

/** Opens the watches and holds all of them in memory, because each message looks its channel up. */
export const openWatchStore = async (store: Store, now: () => number) => {
  let watches: ReadonlyMap<string, StoredWatch> = new Map();
  let groups: ReadonlyMap<string | undefined, readonly ChannelWatch[]> = new Map();
  const all = (): ChannelWatch[] => [...watches.values()].map(({ watch }) => watch);
  const turns = createKeyedMutex();
  const load = async (): Promise<void> => {
    using _ = await turns.take('load');
    watches = await readAll(store);
    groups = Map.groupBy(all(), ({ group }) => group);
  };
  store.signals.subscribe('watches', load);
  await load();

  /** Changes the stored watches; resolves when the change is in memory. */
  const change = (
    work: (next: WatchesById, db: Transaction<Schema>) => Promise<readonly Channel[]>,
    channels: readonly Channel[],
  ): Promise<readonly Channel[]> =>
    store.write(async (db) => {
      const gone = await work(await readAll(db), db);
      const spaces = new Map(channels.map(({ space }) => [keyOf(space), space]));
      for (const space of spaces.values()) await store.signals.publish(db, 'watches', space);
      return gone;
    });

  /** Finds the watch of this channel id; undefined when it belongs to another space. */
  const exact = ({ space }: Channel, id: string): ChannelWatch | undefined => {
    const watch = watches.get(channelKey({ space, id }))?.watch;
    return watch?.channel.space.id === space.id ? watch : undefined;
  };

  const inGroup = (group: string | undefined): readonly ChannelWatch[] =>
    group === undefined ? [] : (groups.get(group) ?? []);

  return {
    /** Reads all watches anew while changes of other processes may be missed; before what is known is relied on. */
    refresh: async (): Promise<void> => {
      if (!store.signals.isCurrent()) await load();
    },
    of: (channel: Channel): ChannelWatch | undefined => {
      const own = exact(channel, channel.id);
      if (own || channel.parentId === undefined) return own;
      const above = exact(channel, channel.parentId);
      return above?.mode === 'reply' ? { ...above, channel } : undefined;
    },
    /** The space that the watch of a channel belongs to, whichever space the channel is seen from. */
    holder: (channel: Channel): Space | undefined =>
      watches.get(channelKey(channel))?.watch.channel.space,
    /** True when the channel itself is watched, not only the channel of its thread. */
    isOwn: (channel: Channel): boolean => exact(channel, channel.id) !== undefined,
    list: ({ platform, id }: Space): readonly ChannelWatch[] =>
      all().filter(({ channel: { space } }) => space.platform === platform && space.id === id),
    /** Lists the channels whose messages are mirrored into each other with this one, itself included. */
    group: ({ group }: ChannelWatch): readonly ChannelWatch[] => inGroup(group),
    inGroup,
    /**
     * Sets watches. Resolves with the channels that remained alone in their group and so are no
     * longer watched.
     *
     * @param sinceMs time of the request, ms since 1970
     */
    set: (changed: readonly ChannelWatch[], sinceMs = now()): Promise<readonly Channel[]> =>
      change(
        (next, db) => putAll(db, next, changed, sinceMs),
        changed.map(({ channel }) => channel),
      ),
    /**
     * Changes watches as they are stored at this moment. Resolves as `set` does.
     *
     * @param channel of the space whose watches may change
     * @param how gives those that change
     */
    update: (
      channel: Channel,
      how: (current: readonly ChannelWatch[]) => readonly ChannelWatch[],
    ): Promise<readonly Channel[]> =>
      change(
        (next, db) => {
          const current = [...next.values()].map(({ watch }) => watch);
          return putAll(db, next, how(current), now());
        },
        [channel],
      ),
    /** Removes watches. Resolves with these channels and those that remained alone in their group. */
    remove: (channels: readonly Channel[]): Promise<readonly Channel[]> =>
      change(async (next, db) => {
        const before = channels.map((channel) => {
          const key = channelKey(channel);
          const old = next.get(key);
          next.delete(key);
          return old?.watch.group;
        });
        const gone = [...channels, ...takeLone(next, before)];
        await deleteAll(db, gone);
        return gone;
      }, channels),
    /** Time at which the watch was set, ms since 1970. */
    sinceMs: ({ channel }: ChannelWatch): number =>
      (watches.get(channelKey(channel)) ?? watches.get(channelKey(channelAround(channel))))
        ?.sinceMs ?? now(),
  };
};

export type WatchStore = Awaited<ReturnType<typeof openWatchStore>>;

/** Letters and digits that are not mistaken for each other (Crockford's base32). */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** Twelve characters of five bits cannot be guessed within their hour. */
const CODE_CHARS = 12;
const GROUP_CHARS = 4;
const LIFE_MS = HOUR_MS;

const newCode = (): string =>
  Array.from(randomBytes(CODE_CHARS), (byte) => ALPHABET[byte % ALPHABET.length]).join('');

const grouped = (code: string): string =>
  code.match(new RegExp(`.{1,${GROUP_CHARS}}`, 'g'))?.join('-') ?? code;

/** The code as it was made, whatever it looks like when somebody has typed it. */
const plain = (typed: string): string =>
  typed
    .toUpperCase()
    .replaceAll(/[^0-9A-Z]/g, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1');

const hashOf = (typed: string): string => hash('sha256', plain(typed));

const deleteExpired = async (db: Transaction<Schema>, nowMs: number): Promise<void> => {
  await db.deleteFrom('link_invite').where('expires_ms', '<', nowMs).execute();
};

interface InviteTerms {
  /** Keys of the channels that its group had when it was made. */
  readonly known: readonly string[];
  /** True where an age-restricted channel may be linked with channels of the group that are not. */
  readonly mayMixAges: boolean;
}

export interface StoredInvite extends InviteTerms {
  readonly watch: ChannelWatch;
}

export type LinkInvites = ReturnType<typeof createLinkInvites>;

/** Stores invitations to link a channel with one elsewhere: each can be used once, within an hour. */
export const createLinkInvites = (store: Store, now: () => number) => ({
  /** Deletes the invitations that can be used no more. */
  clear: async (): Promise<void> => {
    await store.write(async (db) => deleteExpired(db, now()));
  },
  make: async (watch: ChannelWatch, terms: InviteTerms): Promise<LinkInvite> => {
    const code = newCode();
    const expiresMs = now() + LIFE_MS;
    const { platform, id } = watch.channel.space;
    await store.write(async (db) => {
      await deleteExpired(db, now());
      await db
        .insertInto('link_invite')
        .values({
          code_hash: hashOf(code),
          platform,
          space_id: id,
          watch: JSON.stringify({ ...watch, ...terms }),
          expires_ms: expiresMs,
        })
        .execute();
    });
    return { code: grouped(code), expiresMs };
  },
  /** Reads an invitation; undefined for an unknown, used or expired one. */
  find: async (typed: string): Promise<StoredInvite | undefined> => {
    const row = await store
      .selectFrom('link_invite')
      .where('code_hash', '=', hashOf(typed))
      .where('expires_ms', '>=', now())
      .select('watch')
      .executeTakeFirst();
    if (!row) return undefined;
    const stored = JSON.parse(row.watch) as ChannelWatch & Partial<InviteTerms>;
    const { known = [], mayMixAges = false, ...watch } = stored;
    return { watch, known, mayMixAges };
  },
  /** Uses an invitation up; false for an unknown, used or expired one. */
  take: async (typed: string): Promise<boolean> => {
    const taken = await store.write((db) =>
      db
        .deleteFrom('link_invite')
        .where('code_hash', '=', hashOf(typed))
        .where('expires_ms', '>=', now())
        .returning('code_hash')
        .executeTakeFirst(),
    );
    return taken !== undefined;
  },
});
