import { expect } from 'vitest';
import type { Store } from '../../src/store/index.ts';

/** Deletes what is stored of the copies in a channel, once there is any, as when the bot is removed where they were written. */
export const forgetCopies = async (store: Store, channelId: string): Promise<void> => {
  const stored = async () =>
    store
      .selectFrom('mirror_message')
      .select('message_id')
      .where('target_channel_id', '=', channelId)
      .execute();
  await expect.poll(async () => (await stored()).length).toBeGreaterThan(0);
  for (const table of ['mirror', 'mirror_message'] as const)
    await store.write((db) =>
      db.deleteFrom(table).where('target_channel_id', '=', channelId).execute(),
    );
};
