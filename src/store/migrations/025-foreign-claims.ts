import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Drops claims of another database, which earlier versions left in one that was restored or copied: their epochs are larger
 * than those of the leases here, so that nobody could claim the rows. Claims of processes that work meanwhile stay.
 */
export const foreignClaims: Migration = {
  async up(db) {
    await sql`UPDATE inbox SET epoch = 0 WHERE state = 'waiting' AND epoch > coalesce(
      (SELECT lease.epoch FROM lease WHERE lease.name = 'slot:' || inbox.slot), 0)`.execute(db);
    await sql`UPDATE open_room SET epoch = 0 WHERE epoch > coalesce(
      (SELECT lease.epoch FROM lease
        WHERE lease.name = 'room ' || open_room.platform || ' ' || open_room.space_id), 0)`.execute(
      db,
    );
  },
};
