import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { openStore, type Store } from '../../../src/store/index.ts';
import { describeDiskFault, fromDisk, isStorageFault } from '../../../src/sqlite/disk-fault.ts';
import { createMemberSettings } from '../../../src/store/settings.ts';

const MEMBER = { platform: 'test', id: 'ada' };
const newPath = (): string => join(mkdtempSync(join(tmpdir(), 'dragoman-')), 'x.db');
const systemError = (code: string): Error => Object.assign(new Error(code), { code });

/** Lets the database grow no further, as a full disk does. */
const fill = async (db: Store): Promise<void> => {
  const { rows } = await sql<{ page_count: number }>`PRAGMA page_count`.execute(db);
  await sql.raw(`PRAGMA max_page_count = ${rows[0]?.page_count ?? 1}`).execute(db);
};
const writeMuch = (db: Store): Promise<unknown> =>
  createMemberSettings(db).change(MEMBER, { voiceId: 'v'.repeat(100_000) });

describe('a disk that cannot be used', () => {
  it('that is full is told with its remedy, and forgotten once there is space', async () => {
    await using db = await openStore(`sqlite:${newPath()}`);
    expect(await db.findFault()).toBeUndefined();
    await fill(db);
    await expect(writeMuch(db)).rejects.toMatchObject({
      code: 'unavailable',
      retryable: true,
      message: expect.stringContaining('the disk is full: free space') as string,
      remedy: { key: 'remedies.disk-full' },
    });
    await sql.raw('PRAGMA max_page_count = 1000000').execute(db);
    expect(await db.findFault()).toBeUndefined();
    await writeMuch(db);
  });

  it('that is read-only is found by a write of its own, and stays until it is writable', async () => {
    await using db = await openStore(`sqlite:${newPath()}`);
    await sql.raw('PRAGMA query_only = ON').execute(db);
    expect(await db.findFault()).toBeUndefined();
    const fault = await db.findFault({ anew: true });
    expect(fault).toMatchObject({
      code: 'unavailable',
      remedy: { key: 'remedies.disk-read-only' },
    });
    expect(await db.findFault()).toMatchObject({ remedy: { key: 'remedies.disk-read-only' } });
    await sql.raw('PRAGMA query_only = OFF').execute(db);
    expect(await db.findFault()).toBeUndefined();
  });

  it('with something else in the file says so at the start', async () => {
    const path = newPath();
    writeFileSync(path, randomBytes(8_192));
    await expect(openStore(`sqlite:${path}`)).rejects.toMatchObject({
      code: 'config',
      message: expect.stringContaining('it is damaged or no database') as string,
    });
  });

  it('with damaged pages says so where they are read', async () => {
    const path = newPath();
    const db = await openStore(`sqlite:${path}`);
    await db.destroy();
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0xee, 4_096));
    const failure = await openStore(`sqlite:${path}`).then(
      async (open) => {
        await using damaged = open;
        return await createMemberSettings(damaged)
          .of(MEMBER)
          .catch((thrown: unknown) => thrown);
      },
      (thrown: unknown) => thrown,
    );
    expect(String(failure)).toContain('damaged');
  });

  it.each([
    ['ENOSPC', 'the disk is full'],
    ['EROFS', 'it is read-only'],
    ['EIO', 'does not read or write'],
  ])('is known by the system’s error %s', (code, reason) => {
    expect(describeDiskFault(systemError(code))).toContain(reason);
    expect(isStorageFault(fromDisk(systemError(code)))).toBe(true);
  });

  it('is no other error', () => {
    const other = systemError('ECONNRESET');
    expect(fromDisk(other)).toBe(other);
    expect(describeDiskFault('full')).toBeUndefined();
  });
});
