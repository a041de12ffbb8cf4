import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { openStore } from '../../../../src/store/index.ts';
import { glossaryAndSettings } from '../../../../src/store/migrations/001-to-013.ts';
import { watching } from '../../../../src/store/migrations/002-watching.ts';
import { createUsage } from '../../../../src/store/usage.ts';
import { databaseAfter } from './support.ts';

const EARLIER = { '001-glossary-and-settings': glossaryAndSettings, '002-watching': watching };
const SPACE = { platform: 'test', id: 's' };
const now = (): number => Date.UTC(2026, 0, 2);

it('a database from before this migration keeps its usage, without chat tokens', async () => {
  const url = await databaseAfter(EARLIER, async (db) => {
    await sql`INSERT INTO usage_day (platform, space_id, day, member_id, characters, audio_ms, messages)
      VALUES ('test', 's', '2026-01-02', 'ada', 5, 6, 7)`.execute(db);
  });
  await using store = await openStore(url);
  const usage = createUsage(store, now);
  await usage.record(SPACE, 'ada', { chatTokens: 3 });
  expect(await usage.todayOf(SPACE, 'ada')).toEqual({
    characters: 5,
    audioMs: 6,
    chatTokens: 3,
    messages: 7,
  });
});
