import type { Transaction } from 'kysely';
import type { Channel, MessageRef, Posted } from '../model/place.ts';
import type { Store } from './index.ts';
import type { RowKey } from './inbox/row.ts';
import type { Schema } from './schema.ts';

/** What one target shows of a source. */
export interface KeptMirror {
  readonly target: Channel;
  /** Undefined: somebody took the copy away, and it is not put back. */
  readonly posted: Posted | undefined;
  /** The content of the source that it shows; empty: not all of it yet. */
  readonly contentHash: string;
}

const sourceColumns = ({ ref, purpose }: RowKey) => ({
  platform: ref.channel.space.platform,
  source_channel_id: ref.channel.id,
  source_id: ref.id,
  purpose,
});

const sourcesOf = async (store: Store, ref: MessageRef): Promise<readonly RowKey[]> => {
  const { space } = ref.channel;
  const rows = await store
    .selectFrom('copy_part')
    .selectAll()
    .where('platform', '=', space.platform)
    .where('message_id', '=', ref.id)
    .execute();
  return rows.map(({ source_channel_id, source_id, purpose }) => ({
    ref: { channel: { space, id: source_channel_id }, id: source_id },
    purpose,
  }));
};

export type MirrorStore = ReturnType<typeof createMirrorStore>;

/** Which messages of ours were made of which messages; no text is kept. */
export const createMirrorStore = (store: Store, now: () => number) => ({
  of: async (key: RowKey): Promise<readonly KeptMirror[]> => {
    const rows = await store
      .selectFrom('copy')
      .selectAll()
      .where((eb) => eb.and(sourceColumns(key)))
      .execute();
    return rows.map((row) => {
      const target: Channel = {
        space: { platform: row.platform, id: row.target_space_id },
        id: row.target_channel_id,
        ...(row.target_parent_id === null ? {} : { parentId: row.target_parent_id }),
      };
      const [first, ...rest] = JSON.parse(row.ids) as string[];
      const handle = row.handle === null ? {} : { handle: row.handle };
      const posted: Posted | undefined =
        first === undefined ? undefined : { channel: target, ids: [first, ...rest], ...handle };
      return { target, posted, contentHash: row.content_hash };
    });
  },

  /** What a message of ours was made of; undefined for any other. */
  sourceOf: async (ref: MessageRef): Promise<RowKey | undefined> =>
    (await sourcesOf(store, ref))[0],

  /** All that a message of ours was made of: one may hold several copies. */
  sourcesOf: async (ref: MessageRef): Promise<readonly RowKey[]> => sourcesOf(store, ref),

  /**
   * Within a transaction: what a target shows of a source now.
   *
   * @param isFirst true where nothing of the source is known to stand in the target
   */
  put: async (
    db: Transaction<Schema>,
    key: RowKey,
    { target, posted, contentHash }: KeptMirror,
    isFirst: boolean,
  ): Promise<void> => {
    const place = { ...sourceColumns(key), target_channel_id: target.id };
    const shown = {
      ids: JSON.stringify(posted?.ids ?? []),
      handle: posted?.handle ?? null,
      content_hash: contentHash,
    };
    await db
      .insertInto('copy')
      .values({
        ...place,
        target_space_id: target.space.id,
        target_parent_id: target.parentId ?? null,
        ...shown,
        posted_ms: now(),
      })
      .onConflict((conflict) =>
        conflict
          .columns(['platform', 'source_channel_id', 'source_id', 'purpose', 'target_channel_id'])
          .doUpdateSet(shown),
      )
      .execute();
    if (!isFirst)
      await db
        .deleteFrom('copy_part')
        .where((eb) => eb.and(place))
        .execute();
    if (posted)
      await db
        .insertInto('copy_part')
        .values(posted.ids.map((message_id) => ({ ...place, message_id })))
        .execute();
  },

  /** Within a transaction: the target shows nothing of the source any more. */
  drop: async (db: Transaction<Schema>, key: RowKey, target: Channel): Promise<void> => {
    const place = { ...sourceColumns(key), target_channel_id: target.id };
    for (const table of ['copy', 'copy_part'] as const)
      await db
        .deleteFrom(table)
        .where((eb) => eb.and(place))
        .execute();
  },
});
