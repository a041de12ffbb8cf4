import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createLog } from '../../../../src/telemetry/log.ts';
import { cipherOf, resealSecrets } from '../../../../src/store/secrets/encryption.ts';
import { createInstallationStore } from '../../../../src/store/secrets/installations.ts';
import { createOwnKeys } from '../../../../src/store/secrets/own-keys.ts';
import { makeDatabase, openTestStore } from '../../../fakes/database.ts';

const SPACE = { platform: 'slack', id: 'T1' };
const [OLD, NEW] = [1, 2].map((byte) => new Uint8Array(32).fill(byte)) as [Uint8Array, Uint8Array];

describe.each(['sqlite', 'postgres'])(
  'a secret that takes the place of another, in %s',
  (engine) => {
    const open = async () => {
      const url = engine === 'sqlite' ? 'sqlite::memory:' : await makeDatabase();
      const store = await openTestStore(url);
      const storeOf = (...keys: Uint8Array[]) => createInstallationStore(store, cipherOf(keys)!);
      /** Encrypts all anew, as a process with a newer key does when it starts. */
      const reseal = async (): Promise<void> => {
        const { resealed } = await resealSecrets(store, cipherOf([NEW, OLD])!, createLog('silent'));
        expect(resealed).toBe(1);
      };
      return { storeOf, reseal };
    };

    it('is stored where nothing has changed', async () => {
      const { storeOf } = await open();
      const installations = storeOf(OLD);
      await installations.put(SPACE, 'one');
      expect(await installations.replace(SPACE, 'one', 'two')).toBe(true);
      expect(await installations.of(SPACE)).toBe('two');
    });

    it('is not stored over a newer one', async () => {
      const { storeOf } = await open();
      const installations = storeOf(OLD);
      await installations.put(SPACE, 'one');
      await installations.put(SPACE, 'newer');
      expect(await installations.replace(SPACE, 'one', 'two')).toBe(false);
      expect(await installations.of(SPACE)).toBe('newer');
    });

    it('is not stored where the other one was removed', async () => {
      const { storeOf } = await open();
      const installations = storeOf(OLD);
      await installations.put(SPACE, 'one');
      await installations.remove(SPACE);
      expect(await installations.replace(SPACE, 'one', 'two')).toBe(false);
      expect(await installations.of(SPACE)).toBeUndefined();
    });

    it.each([
      ['that this process has', [OLD, NEW]],
      ['that this process does not have', [OLD]],
    ])('is stored where the other one was encrypted anew with a key %s', async (_, keys) => {
      const { storeOf, reseal } = await open();
      const installations = storeOf(...keys);
      await installations.put(SPACE, 'one');
      await reseal();
      expect(await installations.replace(SPACE, 'one', 'two')).toBe(true);
      expect(await storeOf(NEW, OLD).of(SPACE)).toBe('two');
    });
  },
);

describe('the token of a workspace', () => {
  it('is nowhere in the files of the database, nor is one that was removed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'installations-'));
    const store = await openTestStore(`sqlite:${join(folder, 'dragoman.db')}`);
    const installations = createInstallationStore(store, cipherOf([OLD])!);
    const token = 'xoxb-distinctive-token-of-a-workspace';
    const filesWith = (text: string | undefined): readonly string[] =>
      readdirSync(folder).filter((name) =>
        readFileSync(join(folder, name), 'latin1').includes(text ?? ''),
      );
    await installations.put(SPACE, token);
    const [row] = await store.selectFrom('installation').select('secret').execute();
    expect(filesWith(row?.secret)).not.toEqual([]);
    for (const text of ['distinctive', Buffer.from(token).toString('base64').slice(0, 20)])
      expect(filesWith(text)).toEqual([]);
    await installations.remove(SPACE);
    expect(filesWith(row?.secret)).toEqual([]);
  });

  it('cannot be read in the row of another workspace, nor in that of a key', async () => {
    const store = await openTestStore('sqlite::memory:');
    const installations = createInstallationStore(store, cipherOf([OLD])!);
    const other = { ...SPACE, id: 'T2' };
    await installations.put(SPACE, 'token');
    await installations.put(other, 'another');
    const { secret } = await store
      .selectFrom('installation')
      .select('secret')
      .where('space_id', '=', SPACE.id)
      .executeTakeFirstOrThrow();
    const set_ms = 0;
    await store.write(async (db) => {
      await db.updateTable('installation').set({ secret }).execute();
      const row = { platform: SPACE.platform, space_id: SPACE.id, secret, set_ms };
      await db.insertInto('space_key').values(row).execute();
    });
    expect(await installations.of(SPACE)).toBe('token');
    await expect(installations.of(other)).rejects.toMatchObject({ code: 'config' });
    const keys = createOwnKeys({ store, encryption: [OLD], log: createLog('silent') });
    await expect(keys.find(SPACE)).rejects.toMatchObject({ code: 'config' });
  });
});
