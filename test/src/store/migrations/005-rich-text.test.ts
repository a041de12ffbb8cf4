import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { createInboxStore } from '../../../../src/store/inbox/index.ts';
import { openStore } from '../../../../src/store/index.ts';
import { glossaryAndSettings, rooms } from '../../../../src/store/migrations/001-to-013.ts';
import { watching } from '../../../../src/store/migrations/002-watching.ts';
import { partitionsAndTargets } from '../../../../src/store/migrations/004-partitions-and-targets.ts';
import { arrivalOf, EARLIER, HERE, messageOf, PARTITION } from '../inbox/support.ts';
import { databaseAfter } from './support.ts';

/** A hash of a message whose text was a string. */
const HASH = 'vOxPzDZ7RsUa0SbBsN5MXRl3sRIXoFTH1ebmm3I2uXE';

/** A database with a message that waits, one that was posted, and one to be deleted. */
const earlierDatabase = (): Promise<string> => {
  const earlier = {
    '001-glossary-and-settings': glossaryAndSettings,
    '002-watching': watching,
    '003-rooms': rooms,
    '004-partitions-and-targets': partitionsAndTargets,
  };
  return databaseAfter(earlier, async (db) => {
    const row = async (id: string, state: string, message: object | null, hash: string) => {
      const stored = message && JSON.stringify(message);
      await sql`
        INSERT INTO inbox (platform, channel_id, message_id, purpose, space_id, author_id,
          partition_key, written_ms, position, message, content_hash, revision, state, attempts,
          begun, due_ms, epoch, changed_ms)
        VALUES ('test', ${HERE.id}, ${id}, 'watch', 's', 'ada', ${PARTITION}, 1, ${id}, ${stored},
          ${hash}, 3, ${state}, 2, 1, 0, 0, 5)
      `.execute(db);
    };
    const { ref: _, ...message } = messageOf(1);
    await row('1', 'waiting', { ...message, text: '**hello**' }, HASH);
    await row('2', 'posted', null, HASH);
    await row('3', 'waiting', null, '');
  });
};

describe('a database from before messages were trees', () => {
  it('keeps its rows, and what waits is read from its platform again', async () => {
    await using store = await openStore(await earlierDatabase());
    const inbox = createInboxStore({ store, now: () => 5 });
    const kept = { revision: 3, attempts: 3, mayExist: true };
    expect((await inbox.claim(PARTITION, 10, EARLIER)).rows).toMatchObject([
      { ref: { id: '1' }, message: 'unread', contentHash: HASH, ...kept },
      { ref: { id: '3' }, message: 'deleted', ...kept },
    ]);
  });

  it('takes a message for what it was until it is edited, or not to be translated', async () => {
    await using store = await openStore(await earlierDatabase());
    const inbox = createInboxStore({ store, now: () => 5 });
    const was = async (...given: Parameters<typeof arrivalOf>) =>
      (await inbox.accept(arrivalOf(...given))).was;
    for (const id of [1, 2]) expect(await was(messageOf(id, 'hello'))).toBe('same');
    expect(await was(messageOf(2, 'hello'), { skip: 'opted-out' })).toBe('changed');
    const edited = { ...messageOf(1, 'hello'), edited: true };
    expect(await was(edited)).toBe('changed');
    expect(await was(edited)).toBe('same');
  });
});
