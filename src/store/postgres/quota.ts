import { type Kysely, sql } from 'kysely';
import type { Clock } from '../../async/clock.ts';
import type { Quota } from '../../ports/quota.ts';
import { createQuota } from '../quota.ts';
import type { Schema } from '../schema.ts';

const SECOND_US = 1_000_000;
const NOW_US = sql`(extract(epoch FROM statement_timestamp()) * 1000000)::bigint`;

/** Creates the quota that all processes on one database share: a row for each rate. */
export const createPostgresQuota = (db: Kysely<Schema>, clock: Clock): Quota =>
  createQuota(async (name, { perSecond, burst }, wanted) => {
    const costUs = sql`${Math.round(SECOND_US / perSecond)}::bigint`;
    const from = sql`GREATEST(quota.used_until_us, ${NOW_US} - ${burst} * ${costUs})`;
    const granted = sql`LEAST(${wanted}::bigint, GREATEST(0, (${NOW_US} - ${from}) / ${costUs}))`;
    const first = Math.min(wanted, burst);
    // A use that a crash of the server forgets harms nobody, so that no commit waits for the disk.
    const { rows } = await sql<{ granted: number; wait_us: number }>`
      INSERT INTO quota (name, used_until_us, granted)
      VALUES (${name}, ${NOW_US} - (${burst}::bigint - ${first}) * ${costUs}, ${first})
      ON CONFLICT (name) DO UPDATE
        SET used_until_us = ${from} + ${granted} * ${costUs}, granted = ${granted}
      RETURNING granted, used_until_us + ${costUs} - ${NOW_US} AS wait_us,
        set_config('synchronous_commit', 'off', true)`.execute(db);
    const row = rows[0];
    return { granted: row?.granted ?? 0, waitMs: (row?.wait_us ?? 0) / 1_000 };
  }, clock);
