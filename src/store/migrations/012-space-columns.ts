import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Adds the space to the rows that did not name it, so that they can be deleted with it. */
export const spaceColumns: Migration = {
  async up(db) {
    await db.schema.alterTable('member_setting').addColumn('space_id', 'text').execute();
    await db.schema
      .alterTable('standing_thread')
      .addColumn('space_id', 'text', (column) => column.notNull().defaultTo(''))
      .execute();
    await sql`
      UPDATE standing_thread SET space_id = coalesce((
        SELECT space_id FROM channel_watch
        WHERE channel_watch.platform = standing_thread.platform
          AND channel_watch.channel_id = standing_thread.channel_id
      ), '')`.execute(db);
    // Threads of channels without a watch; they are found again by their name.
    await sql`DELETE FROM standing_thread WHERE space_id = ''`.execute(db);
  },
};
