import type { Transaction } from 'kysely';
import type { Channel, MessageRef, Posted } from '../model.ts';
import type { Store } from './index.ts';
import type { RowKey } from './inbox/index.ts';
import type { Schema } from './schema.ts';

/** Where one message stands as a copy. */
export interface KeptCopy {
  readonly posted: Posted;
  /** The content of the source that it shows; empty while that is still being made. */
  readonly contentHash: string;
}

const sourceOf = ({ ref, purpose }: RowKey) => ({
  platform: ref.channel.space.platform,
  source_channel_id: ref.channel.id,
  source_id: ref.id,
  purpose,
});

export type CopyStore = ReturnType<typeof createCopyStore>;

/** Which messages of ours were made of which messages; no text is kept. */
export const createCopyStore = (store: Store, now: () => number) => ({
  of: async (key: RowKey): Promise<readonly KeptCopy[]> => {
    const rows = await store
      .selectFrom('copy')
      .selectAll()
      .where((eb) => eb.and(sourceOf(key)))
      .execute();
    return rows.map((row) => ({
      posted: {
        channel: {
          space: { platform: row.platform, id: row.target_space_id },
          id: row.target_channel_id,
          ...(row.target_parent_id === null ? {} : { parentId: row.target_parent_id }),
        },
        ids: JSON.parse(row.ids) as Posted['ids'],
        ...(row.handle === null ? {} : { handle: row.handle }),
      },
      contentHash: row.content_hash,
    }));
  },

  /** What a message of ours was made of; undefined for any other. */
  sourceOf: async (ref: MessageRef): Promise<RowKey | undefined> => {
    const row = await store
      .selectFrom('copy_part')
      .selectAll()
      .where('platform', '=', ref.channel.space.platform)
      .where('message_id', '=', ref.id)
      .executeTakeFirst();
    if (!row) return undefined;
    const channel = { space: ref.channel.space, id: row.source_channel_id };
    return { ref: { channel, id: row.source_id }, purpose: row.purpose };
  },

  /**
   * Within a transaction: what a target shows of a source now.
   *
   * @param isFirst true where nothing of the source is known to stand in the target
   */
  put: async (
    db: Transaction<Schema>,
    key: RowKey,
    { posted, contentHash }: KeptCopy,
    isFirst: boolean,
  ): Promise<void> => {
    const place = { ...sourceOf(key), target_channel_id: posted.channel.id };
    const shown = {
      ids: JSON.stringify(posted.ids),
      handle: posted.handle ?? null,
      content_hash: contentHash,
    };
    await db
      .insertInto('copy')
      .values({
        ...place,
        target_space_id: posted.channel.space.id,
        target_parent_id: posted.channel.parentId ?? null,
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
    await db
      .insertInto('copy_part')
      .values(posted.ids.map((message_id) => ({ ...place, message_id })))
      .execute();
  },

  /** Within a transaction: the target shows nothing of the source any more. */
  drop: async (db: Transaction<Schema>, key: RowKey, target: Channel): Promise<void> => {
    const place = { ...sourceOf(key), target_channel_id: target.id };
    for (const table of ['copy', 'copy_part'] as const)
      await db
        .deleteFrom(table)
        .where((eb) => eb.and(place))
        .execute();
  },
});
