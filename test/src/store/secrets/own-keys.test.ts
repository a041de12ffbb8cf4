import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createServiceKey, type ServiceKey } from '../../../../src/api/keys.ts';
import { serviceError } from '../../../../src/api/service-error.ts';
import { createLog } from '../../../../src/telemetry/log.ts';
import { silentLog } from '../../../fakes/silent-log.ts';
import { cipherOf, resealSecrets } from '../../../../src/store/secrets/encryption.ts';
import { openStore } from '../../../../src/store/index.ts';
import { createInstallationStore } from '../../../../src/store/secrets/installations.ts';
import { createOwnKeys } from '../../../../src/store/secrets/own-keys.ts';
import { createPrivacy } from '../../../../src/store/privacy/person-data.ts';
import { fresh } from '../../../fakes/opened.ts';

const SPACE = { platform: 'p', id: 'space' };
const OTHER = { platform: 'p', id: 'other' };
const KEY = 'svck:distinctive-key-of-a-space';
const [OLD, NEW] = [randomBytes(32), randomBytes(32)];
const ANN = { id: 'ann', name: 'Ann' };

const store = fresh(() => openStore('sqlite::memory:'));

const keysWith = (...encryption: Uint8Array[]) =>
  createOwnKeys({ store, encryption, log: silentLog, now: () => 5_000 });

const found = async (keys: ReturnType<typeof keysWith>): Promise<ServiceKey> => {
  const key = await keys.find(SPACE);
  if (!key) throw new Error('there is none');
  return key;
};

describe('the key of a space', () => {
  it('is stored with who set it and when, replaced and removed', async () => {
    const keys = keysWith(OLD);
    expect(await keys.find(SPACE)).toBeUndefined();
    expect(await keys.state(SPACE)).toBeUndefined();
    await keys.put(SPACE, KEY, ANN);
    expect(await found(keys)).toMatchObject({ key: KEY, isOwn: true });
    expect(await keys.state(SPACE)).toEqual({ setBy: 'Ann', setMs: 5_000 });
    expect(await keys.find(OTHER)).toBeUndefined();
    await keys.put(SPACE, 'svck:another', { id: 'bob', name: 'Bob' });
    expect((await found(keys)).key).toBe('svck:another');
    await keys.remove(SPACE);
    expect(await keys.find(SPACE)).toBeUndefined();
  });

  it('changes for everybody at once', async () => {
    const [here, there] = [keysWith(OLD), keysWith(OLD)];
    expect(await there.find(SPACE)).toBeUndefined();
    await here.put(SPACE, KEY, ANN);
    expect((await found(there)).key).toBe(KEY);
    await here.remove(SPACE);
    expect(await there.find(SPACE)).toBeUndefined();
  });

  it('is nowhere in the files of the database, nor is the one before it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'keys-'));
    const file = await openStore(`sqlite:${join(folder, 'dragoman.db')}`);
    try {
      const keys = createOwnKeys({ store: file, encryption: [OLD], log: silentLog });
      await keys.put(SPACE, KEY, ANN);
      const [row] = await file.selectFrom('space_key').select('secret').execute();
      await keys.put(SPACE, 'svck:another-distinctive-key', ANN);
      const bytes = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));
      for (const written of bytes) {
        expect(written).not.toContain('distinctive');
        expect(written).not.toContain(Buffer.from(KEY).toString('base64').slice(0, 20));
        expect(written).not.toContain(row?.secret);
      }
    } finally {
      await file.destroy();
      rmSync(folder, { recursive: true });
    }
  });

  it('cannot be read in the place of another space, nor in that of a token', async () => {
    const keys = keysWith(OLD);
    await keys.put(SPACE, KEY, ANN);
    await keys.put(OTHER, 'svck:another', ANN);
    const { secret } = await store
      .selectFrom('space_key')
      .select('secret')
      .where('space_id', '=', 'space')
      .executeTakeFirstOrThrow();
    await store.write((db) => db.updateTable('space_key').set({ secret }).execute());
    await expect(keysWith(OLD).find(OTHER)).rejects.toMatchObject({ code: 'config' });
    expect(() => cipherOf([OLD])?.open(secret, 'p space')).toThrow('cannot be decrypted');
  });

  it.each([
    ['another ENCRYPTION_KEY', [NEW]],
    ['none', []],
  ])('stays unread with %s, and is told as such', async (_, encryption) => {
    await keysWith(OLD).put(SPACE, KEY, ANN);
    const keys = keysWith(...encryption);
    await expect(keys.find(SPACE)).rejects.toMatchObject({
      code: 'config',
      sentence: { key: 'service.unreadable-own-key' },
    });
    expect(await keys.state(SPACE)).toMatchObject({ trouble: 'unreadable' });
  });

  it('is not stored without ENCRYPTION_KEY', async () => {
    expect(keysWith().canStore).toBe(false);
    await expect(keysWith().put(SPACE, KEY, ANN)).rejects.toMatchObject({ code: 'config' });
  });

  it('is told to be refused or without credit until it works again', async () => {
    const keys = keysWith(OLD);
    await keys.put(SPACE, KEY, ANN);
    const { answered } = await found(keys);
    const own = createServiceKey(KEY, { isOwn: true });
    const troubleAfter = async (status?: number, isFree = false) => {
      answered(status === undefined ? undefined : serviceError(status, undefined, '', own), isFree);
      return (await keys.state(SPACE))?.trouble;
    };
    expect(await troubleAfter(403)).toBeUndefined();
    expect(await troubleAfter(401)).toBe('refused');
    expect(await troubleAfter(503)).toBe('refused');
    expect(await troubleAfter(402)).toBe('no-credit');
    // A list costs nothing, so an account without credit is given it too.
    expect(await troubleAfter(undefined, true)).toBe('no-credit');
    expect(await troubleAfter()).toBeUndefined();
    expect(await troubleAfter(401)).toBe('refused');
    expect(await troubleAfter(undefined, true)).toBeUndefined();
    await troubleAfter(401);
    await keys.put(SPACE, 'svck:another', ANN);
    expect(await keys.state(SPACE)).not.toHaveProperty('trouble');
    // What the former key still gets is not about this one.
    expect(await troubleAfter(401)).toBeUndefined();
  });

  it('forgets who set it when they want that', async () => {
    const keys = keysWith(OLD);
    await keys.put(SPACE, KEY, ANN);
    const privacy = createPrivacy(store);
    const ann = { platform: 'p', id: 'ann' };
    const kept = async () => Buffer.from(await privacy.export(ann)).toString();
    expect(JSON.parse(await kept())).toMatchObject({ setApiKeysIn: ['space'] });
    await privacy.forget(ann);
    expect(JSON.parse(await kept())).toMatchObject({ setApiKeysIn: [] });
    expect(await keys.state(SPACE)).toMatchObject({ setBy: undefined });
    expect((await found(keysWith(OLD))).key).toBe(KEY);
  });
});

describe('a new ENCRYPTION_KEY in front of the old one', () => {
  it('logs how much it encrypted, and what no key decrypts', async () => {
    await keysWith(OLD).put(SPACE, KEY, ANN);
    await keysWith(randomBytes(32)).put(OTHER, KEY, ANN);
    const lines: string[] = [];
    const told = createLog('info', { write: (line: string) => void lines.push(line) });
    await resealSecrets(store, cipherOf([NEW, OLD])!, told);
    expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
      { count: 1, msg: 'stored secrets were encrypted with the new key' },
      { count: 1, msg: expect.stringContaining('another ENCRYPTION_KEY') as string },
    ]);
  });

  it('encrypts all secrets, after which the old one is of no more use', async () => {
    await keysWith(OLD).put(SPACE, KEY, ANN);
    await createInstallationStore(store, cipherOf([OLD])!).put(SPACE, 'token');
    const both = cipherOf([NEW, OLD])!;
    expect(await resealSecrets(store, both, silentLog)).toEqual({ resealed: 2, unreadable: 0 });
    expect(await resealSecrets(store, both, silentLog)).toEqual({ resealed: 0, unreadable: 0 });
    expect((await found(keysWith(NEW))).key).toBe(KEY);
    expect(await createInstallationStore(store, cipherOf([NEW])!).of(SPACE)).toBe('token');
  });

  it('leaves what no key decrypts as it is', async () => {
    await keysWith(OLD).put(SPACE, KEY, ANN);
    expect(await resealSecrets(store, cipherOf([NEW])!, silentLog)).toEqual({
      resealed: 0,
      unreadable: 1,
    });
    expect(await keysWith(NEW).count()).toEqual({ stored: 1, unreadable: 1 });
    expect(await keysWith().count()).toEqual({ stored: 1, unreadable: 1 });
    expect(await keysWith(OLD).count()).toEqual({ stored: 1, unreadable: 0 });
    expect((await found(keysWith(OLD))).key).toBe(KEY);
  });
});
