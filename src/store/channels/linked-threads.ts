import { sql, type Selectable, type Transaction } from 'kysely';
import { channelAround, channelKey, type Channel } from '../../model/place.ts';
import type { MirrorTarget } from '../../ports/mirrors.ts';
import { isOpen, refColumns, type Row } from '../inbox/row.ts';
import type { Store } from '../index.ts';
import type { Schema } from '../schema.ts';
import { changeRows, channelColumns, putRow, readRow, readRows, slotOf } from '../rows.ts';

/** A thread that is copied into others. */
export interface LinkedThread {
  readonly target: MirrorTarget;
  /** True where people deleted it: it is not made again. */
  readonly isGone: boolean;
  readonly state: ThreadState;
}

/** The state that a thread was last known in; empty while that is as at its beginning. */
export interface ThreadState {
  readonly nameHash?: string;
  readonly isArchived?: boolean;
  readonly isLocked?: boolean;
  /** The state that it is being given by us; undefined where that is over. */
  readonly next?: Omit<ThreadState, 'next' | 'isDue'>;
  /** True while a change of it is to be followed by its copies. */
  readonly isDue?: true;
}

const COLUMNS = [
  'platform',
  'space_id',
  'channel_id',
  'thread_channel_id',
  'thread_id',
  'is_gone',
  'state',
  'origin',
] as const;

const KEY = ['platform', 'thread_channel_id', 'thread_id'] as const;
/** Most rows that are deleted by one statement, about 4 µs each. */
const REMOVED_AT_ONCE = 500;

type ThreadRow = Pick<Selectable<Schema['linked_thread']>, (typeof COLUMNS)[number]>;

const toThread = (row: ThreadRow): LinkedThread => {
  const isOwnChannel = row.thread_channel_id !== row.channel_id;
  const channel: Channel = {
    space: { platform: row.platform, id: row.space_id },
    id: row.thread_channel_id,
    ...(isOwnChannel ? { parentId: row.channel_id } : {}),
  };
  const thread = row.thread_id === '' ? {} : { threadId: row.thread_id };
  const state = row.state === '' ? {} : (JSON.parse(row.state) as ThreadState);
  return { target: { channel, ...thread }, isGone: row.is_gone === 1, state };
};

const keyColumns = ({ channel, threadId = '' }: MirrorTarget) => ({
  platform: channel.space.platform,
  thread_channel_id: channel.id,
  thread_id: threadId,
});

/** The name of the conversation that began in a thread. */
export const conversationOf = ({ channel, threadId = '' }: MirrorTarget): string =>
  `${channelKey(channel)} ${threadId}`;

export type LinkedThreadStore = ReturnType<typeof createLinkedThreadStore>;

/** Records which threads of linked channels are one conversation. */
export const createLinkedThreadStore = (store: Store) => ({
  /** Lists the threads that are one conversation with a thread in a group, itself included; none where it has no copies. */
  of: async (
    group: string,
    target: MirrorTarget,
  ): Promise<{ readonly origin: string; readonly threads: readonly LinkedThread[] }> => {
    const own = await readRow(store, 'linked_thread', keyColumns(target), ['origin', 'group_id']);
    if (own?.group_id !== group) return { origin: conversationOf(target), threads: [] };
    const { origin } = own;
    const key = { origin, group_id: group };
    const rows = await readRows(store, 'linked_thread', key, COLUMNS);
    return { origin, threads: rows.map(toThread) };
  },
  /**
   * Lists threads of a group that are channels of their own, at most `most`, by the conversations that they are part of: first
   * those of which a change is to be followed, then the newest.
   */
  newest: async (group: string, most: number): Promise<readonly (readonly LinkedThread[])[]> => {
    const rows = await store
      .selectFrom('linked_thread')
      .select(COLUMNS)
      .where('group_id', '=', group)
      .where('thread_id', '=', '')
      .where('is_gone', '=', 0)
      .orderBy(sql`CASE WHEN state LIKE '%"isDue":true%' THEN 0 ELSE 1 END`)
      // Ids grow with time.
      .orderBy(({ fn }) => fn<number>('length', ['thread_channel_id']), 'desc')
      .orderBy('thread_channel_id', 'desc')
      .limit(most)
      .execute();
    const found = Map.groupBy(rows, ({ origin }) => origin);
    return [...found.values()].map((each) => each.map(toThread));
  },
  /** Makes threads of a group parts of the conversation that began in one of them. */
  put: (
    group: string,
    origin: string,
    targets: readonly (MirrorTarget & { readonly state?: ThreadState })[],
  ): Promise<void> =>
    store.write(async (db) => {
      for (const target of targets) {
        const { space, id } = channelAround(target.channel);
        await putRow(
          db,
          'linked_thread',
          keyColumns(target),
          { space_id: space.id, channel_id: id, group_id: group, origin },
          { is_gone: 0, state: target.state ? JSON.stringify(target.state) : '' },
        );
      }
    }),
  /** Records what threads that are channels of their own are known as. */
  setStates: (
    all: readonly { readonly channel: Channel; readonly state: ThreadState }[],
  ): Promise<void> =>
    store.write(async (db) => {
      for (const { channel, state } of all) {
        const set = { state: JSON.stringify(state) };
        await changeRows(db, 'linked_thread', keyColumns({ channel }), set);
      }
    }),
  /** Takes that a thread, a channel of its own, was deleted; resolves with whether it was part of a conversation. */
  gone: async (channel: Channel): Promise<boolean> => {
    const changed = await store.write((db) =>
      changeRows(db, 'linked_thread', keyColumns({ channel }), { is_gone: 1 }),
    );
    return changed > 0;
  },
  /** Deletes what is recorded of the threads of a channel, some at a time: others write between. */
  remove: async (channel: Channel): Promise<void> => {
    const removeSome = async (db: Transaction<Schema>): Promise<number> => {
      const some = db
        .selectFrom('linked_thread')
        .where((eb) => eb.and(channelColumns(channel)))
        .select(KEY)
        .limit(REMOVED_AT_ONCE);
      const { numDeletedRows } = await db
        .deleteFrom('linked_thread')
        .where((eb) => eb(eb.refTuple(...KEY), 'in', some.$asTuple(...KEY)))
        .executeTakeFirst();
      return Number(numDeletedRows);
    };
    while ((await store.write(removeSome)) === REMOVED_AT_ONCE);
  },
  /** True for the first message that waits in its partition. */
  isNext: async ({ ref, partition }: Pick<Row, 'ref' | 'partition'>): Promise<boolean> => {
    const first = await store
      .selectFrom('inbox')
      .select(['channel_id', 'message_id'])
      .where('slot', '=', slotOf(partition))
      .where('partition_key', '=', partition)
      .where(isOpen)
      .orderBy('written_ms')
      .orderBy('position')
      .limit(1)
      .executeTakeFirst();
    const { channel_id, message_id } = refColumns(ref);
    return !first || (first.channel_id === channel_id && first.message_id === message_id);
  },
});
