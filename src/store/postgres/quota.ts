import { type Kysely, sql, type RawBuilder } from 'kysely';
import type { Clock } from '../../async/clock.ts';
import type { Quota } from '../../ports/processes.ts';
import { createQuota, type QuotaRows } from '../quota.ts';
import type { Schema } from '../schema.ts';

const SECOND_US = 1_000_000;
const NOW_US = sql`(extract(epoch FROM statement_timestamp()) * 1000000)::bigint`;
/**
 * Furthest that a row's time lies ahead by a hold, and by statements that waited for each other. A time
 * further ahead was written before the database's clock was set back.
 */
const MOST_AHEAD_US = 15 * SECOND_US;

/** The time of a row, or another one where the database's clock has been set back since. */
const usedUntilOr = (other: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  CASE WHEN quota.used_until_us > ${NOW_US} + ${MOST_AHEAD_US}::bigint
    THEN ${other} ELSE quota.used_until_us END`;
// A use that a crash of the server forgets harms nobody, so that no commit waits for the disk.
const RELAXED = sql`set_config('synchronous_commit', 'off', true)`;

/** Creates the quota that all processes on one database share: a row for each rate. */
export const createPostgresQuota = (db: Kysely<Schema>, clock: Clock): Quota => {
  const rows: QuotaRows = {
    grant: async (name, { perSecond, burst }, wanted) => {
      const costUs = sql`${Math.round(SECOND_US / perSecond)}::bigint`;
      // Nobody knows how much of the burst is left then: half of it is given.
      const half = sql`${NOW_US} - ${Math.floor(burst / 2)}::bigint * ${costUs}`;
      const from = sql`GREATEST(${usedUntilOr(half)}, ${NOW_US} - ${burst} * ${costUs})`;
      const granted = sql`LEAST(${wanted}::bigint, GREATEST(0, (${NOW_US} - ${from}) / ${costUs}))`;
      const first = Math.min(wanted, burst);
      const { rows: given } = await sql<{ granted: number; wait_us: number }>`
        INSERT INTO quota (name, used_until_us, granted)
        VALUES (${name}, ${NOW_US} - (${burst}::bigint - ${first}) * ${costUs}, ${first})
        ON CONFLICT (name) DO UPDATE
          SET used_until_us = ${from} + ${granted} * ${costUs}, granted = ${granted}
        RETURNING granted, used_until_us + ${costUs} - ${NOW_US} AS wait_us, ${RELAXED}`.execute(
        db,
      );
      const row = given[0];
      return { granted: row?.granted ?? 0, waitMs: (row?.wait_us ?? 0) / 1_000 };
    },
    hold: async (name, ms) => {
      const until = sql`${NOW_US} + ${Math.ceil(ms * 1_000)}::bigint`;
      await sql`
        INSERT INTO quota (name, used_until_us, granted) VALUES (${name}, ${until}, 0)
        ON CONFLICT (name) DO UPDATE SET used_until_us = GREATEST(${usedUntilOr(until)}, ${until})
        RETURNING ${RELAXED}`.execute(db);
    },
  };
  return createQuota(rows, clock);
};
