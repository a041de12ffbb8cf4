import type { Transaction } from 'kysely';
import { isSameChannel, type MessageRef, type Posted } from '../model/place.ts';
import type { MirrorTarget } from '../ports/mirrors.ts';
import type { Store } from './index.ts';
import type { RowKey } from './inbox/row.ts';
import type { Schema } from './schema.ts';

/** The mirror of a source in one target. */
export interface StoredMirror {
  readonly target: MirrorTarget;
  /** The mirror's messages; undefined when somebody deleted them, and they are not posted again. */
  readonly posted: Posted | undefined;
  /** Hash of the source content that the mirror shows; empty while the mirror is incomplete. */
  readonly contentHash: string;
}

export const isSameTarget = (a: MirrorTarget, b: MirrorTarget): boolean =>
  isSameChannel(a.channel, b.channel) && a.threadId === b.threadId;

const sourceColumns = ({ channel, id }: MessageRef) => ({
  source_platform: channel.space.platform,
  source_channel_id: channel.id,
  source_id: id,
});

const keyColumns = ({ ref, purpose }: RowKey, { channel, threadId = '' }: MirrorTarget) => ({
  ...sourceColumns(ref),
  purpose,
  target_platform: channel.space.platform,
  target_channel_id: channel.id,
  target_thread_id: threadId,
});

const read = (row: {
  readonly target_platform: string;
  readonly target_space_id: string;
  readonly target_channel_id: string;
  readonly target_thread_id: string;
  readonly target_parent_id: string | null;
  readonly ids: string;
  readonly handle: string | null;
  readonly content_hash: string;
}): StoredMirror => {
  const channel = {
    space: { platform: row.target_platform, id: row.target_space_id },
    id: row.target_channel_id,
    ...(row.target_parent_id === null ? {} : { parentId: row.target_parent_id }),
  };
  const [first, ...rest] = JSON.parse(row.ids) as string[];
  const handle = row.handle === null ? {} : { handle: row.handle };
  const posted: Posted | undefined =
    first === undefined ? undefined : { channel, ids: [first, ...rest], ...handle };
  const thread = row.target_thread_id === '' ? {} : { threadId: row.target_thread_id };
  return { target: { channel, ...thread }, posted, contentHash: row.content_hash };
};

export type MirrorStore = ReturnType<typeof createMirrorStore>;

/** Records which of our messages mirror which sources; stores no text. */
export const createMirrorStore = (store: Store, now: () => number) => {
  const sourcesOf = async ({ channel, id }: MessageRef): Promise<readonly RowKey[]> => {
    const rows = await store
      .selectFrom('mirror_message')
      .select(['source_platform', 'source_space_id', 'source_channel_id', 'source_id', 'purpose'])
      .where('target_platform', '=', channel.space.platform)
      .where('target_channel_id', '=', channel.id)
      .where('message_id', '=', id)
      .execute();
    return rows.map((row) => {
      const space = { platform: row.source_platform, id: row.source_space_id };
      const source = { channel: { space, id: row.source_channel_id }, id: row.source_id };
      return { ref: source, purpose: row.purpose };
    });
  };

  return {
    /** Reads the mirrors of a source for one purpose. */
    of: async ({ ref, purpose }: RowKey): Promise<readonly StoredMirror[]> => {
      const rows = await store
        .selectFrom('mirror')
        .selectAll()
        .where((eb) => eb.and({ ...sourceColumns(ref), purpose }))
        .execute();
      return rows.map(read);
    },

    /** Reads our messages that mirror a source for any other purpose. */
    others: async ({ ref, purpose }: RowKey): Promise<readonly Posted[]> => {
      const rows = await store
        .selectFrom('mirror')
        .selectAll()
        .where((eb) => eb.and(sourceColumns(ref)))
        .where('purpose', '<>', purpose)
        .execute();
      return rows.flatMap((row) => read(row).posted ?? []);
    },

    /** Finds the source of one of our messages; undefined for any other message. */
    sourceOf: async (ref: MessageRef): Promise<RowKey | undefined> => (await sourcesOf(ref))[0],

    /** Finds all sources of one of our messages, which may hold several mirrors. */
    sourcesOf,

    /**
     * Records, within a transaction, the mirror of a source in a target.
     *
     * @param isFirst true when the target has no known mirror of the source
     */
    put: async (
      db: Transaction<Schema>,
      key: RowKey,
      { target, posted, contentHash }: StoredMirror,
      isFirst: boolean,
    ): Promise<void> => {
      const { channel } = target;
      const columns = keyColumns(key, target);
      const place = {
        ...columns,
        source_space_id: key.ref.channel.space.id,
        target_space_id: channel.space.id,
      };
      const shown = {
        ids: JSON.stringify(posted?.ids ?? []),
        handle: posted?.handle ?? null,
        content_hash: contentHash,
      };
      await db
        .insertInto('mirror')
        .values({
          ...place,
          target_parent_id: channel.parentId ?? null,
          ...shown,
          posted_ms: now(),
        })
        .onConflict((conflict) =>
          conflict.columns(Object.keys(columns) as (keyof typeof columns)[]).doUpdateSet(shown),
        )
        .execute();
      if (!isFirst)
        await db
          .deleteFrom('mirror_message')
          .where((eb) => eb.and(columns))
          .execute();
      if (posted)
        await db
          .insertInto('mirror_message')
          .values(posted.ids.map((message_id) => ({ ...place, message_id })))
          .execute();
    },

    /** Deletes, within a transaction, the record of a source's mirror in a target. */
    drop: async (db: Transaction<Schema>, key: RowKey, target: MirrorTarget): Promise<void> => {
      for (const table of ['mirror', 'mirror_message'] as const)
        await db
          .deleteFrom(table)
          .where((eb) => eb.and(keyColumns(key, target)))
          .execute();
    },
  };
};
