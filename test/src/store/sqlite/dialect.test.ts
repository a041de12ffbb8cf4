import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { databaseUrl, openStore } from '../../../../src/store/index.ts';
import { createMemberSettings } from '../../../../src/store/settings.ts';

const MEMBER = { platform: 'test', id: 'ada' };

describe('the database', () => {
  it('is made with its folders, and keeps what it was given', async () => {
    const url = `sqlite:${join(mkdtempSync(join(tmpdir(), 'dragoman-')), 'a/b/x.db')}`;
    const first = await openStore(url);
    await createMemberSettings(first).change(MEMBER, { language: 'ja', voiceId: 'v' });
    await first.destroy();
    const second = await openStore(url);
    const settings = createMemberSettings(second);
    expect(await settings.of(MEMBER)).toEqual({ language: 'ja', voiceId: 'v' });
    await settings.change(MEMBER, { language: undefined });
    expect(await settings.of(MEMBER)).toEqual({ language: undefined, voiceId: 'v' });
    await second.destroy();
  });

  it('is empty where it is in memory, whatever others there hold', async () => {
    await using first = await openStore('sqlite::memory:');
    await createMemberSettings(first).change(MEMBER, { language: 'ja' });
    await using second = await openStore('sqlite::memory:');
    expect(await createMemberSettings(second).of(MEMBER)).toEqual({});
    expect(second.restoredMs()).toBeUndefined();
    await createMemberSettings(second).change(MEMBER, { language: 'de' });
    expect(await createMemberSettings(first).of(MEMBER)).toEqual({ language: 'ja' });
  });

  it.each(['sqlite:/proc/dragoman/x.db', 'sqlite:/dev/null/x.db'])(
    'that cannot be made says so: %s',
    async (url) => {
      await expect(openStore(url)).rejects.toMatchObject({ code: 'config' });
    },
  );

  it.each(['sqlite:', 'mysql://x', 'sqlite: '])('is not %j', (url) => {
    expect(databaseUrl.safeParse(url).success).toBe(false);
  });

  it('waits for the lock of another program, and lets everything else go on meanwhile', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'dragoman-')), 'x.db');
    const store = await openStore(`sqlite:${file}`);
    const other = new DatabaseSync(file);
    other.exec('BEGIN IMMEDIATE');
    const settings = createMemberSettings(store);
    const change = settings.change(MEMBER, { language: 'ja' });
    expect(await settings.of(MEMBER)).toEqual({ language: undefined, voiceId: undefined });
    for (let turn = 0; turn < 10; turn += 1) await setImmediate();
    other.exec('ROLLBACK');
    await change;
    expect(await settings.of(MEMBER)).toEqual({ language: 'ja', voiceId: undefined });
    other.close();
    await store.destroy();
  });

  it('makes its checkpoint between two transactions, however long these take', async () => {
    const url = `sqlite:${join(mkdtempSync(join(tmpdir(), 'dragoman-')), 'x.db')}`;
    const store = await openStore(url);
    const going = Promise.withResolvers<void>();
    const write = store.write(async (db) => {
      const member = { platform: 'test', member_id: 'ada', language: 'ja', voice_id: null };
      await db.insertInto('member_setting').values(member).execute();
      await going.promise;
    });
    const checkpointed = store.checkpoint();
    await setImmediate();
    going.resolve();
    await Promise.all([write, checkpointed]);
    await store.destroy();
  });
});
