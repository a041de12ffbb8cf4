import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { keyOf, type Space } from '../../model/place.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Store } from '../index.ts';
import { changeRows, readRows } from '../rows.ts';

const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const ID_CHARS = 8;
const VERSION = 'v1';

const bytesOf = (written: string): Buffer =>
  /^[\da-f]{64}$/i.test(written) ? Buffer.from(written, 'hex') : Buffer.from(written, 'base64');

/** `ENCRYPTION_KEY`: keys of 32 bytes as base64 or hexadecimal, with commas between. */
export const encryptionKeys = z
  .string()
  .transform((written) => written.split(',').map((key) => bytesOf(key.trim())))
  .refine((keys) => keys.every(({ byteLength }) => byteLength === KEY_BYTES), {
    error: 'must be 32 bytes as base64, e.g. of "openssl rand -base64 32"',
  });

/** Encrypts what must not be read in a stolen database. */
export type Cipher = ReturnType<typeof createCipher>;

const idOf = (key: Uint8Array): string => hash('sha256', key).slice(0, ID_CHARS);

/** @param keys the first one encrypts, all of them decrypt: so a key can be replaced */
const createCipher = (keys: readonly [Uint8Array, ...Uint8Array[]]) => {
  const [first] = keys;
  const byId = new Map(keys.map((key) => [idOf(key), key]));
  const firstId = idOf(first);
  return {
    /** True for a text that was encrypted with the first key. */
    isCurrent: (sealed: string): boolean => sealed.startsWith(`${VERSION}.${firstId}.`),
    /**
     * Encrypts a text.
     *
     * @param context where it is stored: it can be decrypted only for the same place
     */
    seal: (text: string, context: string): string => {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(ALGORITHM, first, iv).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      const all = Buffer.concat([iv, cipher.getAuthTag(), body]);
      return `${VERSION}.${firstId}.${all.toString('base64url')}`;
    },
    /** Decrypts a text. Throws `config` where no key fits, or the text was changed. */
    open: (sealed: string, context: string): string => {
      const [version, id = '', written = ''] = sealed.split('.');
      const key = byId.get(id);
      if (version !== VERSION || !key)
        throw new AppError(
          'config',
          'a stored secret was encrypted with another ENCRYPTION_KEY: add that key behind a comma',
        );
      const all = Buffer.from(written, 'base64url');
      const iv = all.subarray(0, IV_BYTES);
      const tag = all.subarray(IV_BYTES, IV_BYTES + TAG_BYTES);
      try {
        const decipher = createDecipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES })
          .setAAD(Buffer.from(context))
          .setAuthTag(tag);
        const body = all.subarray(IV_BYTES + TAG_BYTES);
        return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
      } catch (cause) {
        throw new AppError('config', 'a stored secret cannot be decrypted', { cause });
      }
    },
  };
};

/** Creates the cipher of an `ENCRYPTION_KEY`; undefined where it is not set. */
export const cipherOf = ([first, ...more]: readonly Uint8Array[] = []): Cipher | undefined =>
  first && createCipher([first, ...more]);

/** The context of a sealed key: other than that of an installation, so that none fits in another's place. */
export const ownKeyContext = (space: Space): string => `service key of ${keyOf(space)}`;

/** The tables with encrypted secrets of spaces, each with the context of a secret. */
const TABLES = [
  ['installation', keyOf],
  ['space_key', ownKeyContext],
] as const satisfies readonly (readonly [string, (space: Space) => string])[];

/**
 * Encrypts with the first key what was encrypted with another, so that the other can be removed from
 * `ENCRYPTION_KEY`. Resolves with the number of secrets, and of those that no key decrypts; both are
 * logged.
 */
export const resealSecrets = async (
  store: Store,
  cipher: Cipher,
  log: Pick<Log, 'info' | 'warn'>,
): Promise<{ readonly resealed: number; readonly unreadable: number }> => {
  let resealed = 0;
  let unreadable = 0;
  for (const [table, contextOf] of TABLES) {
    for (const { platform, space_id, secret: before } of await readRows(store, table, {}, [
      'platform',
      'space_id',
      'secret',
    ])) {
      if (cipher.isCurrent(before)) continue;
      const context = contextOf({ platform, id: space_id });
      let secret: string;
      try {
        secret = cipher.seal(cipher.open(before, context), context);
      } catch {
        unreadable += 1;
        continue;
      }
      const columns = { platform, space_id, secret: before };
      await store.write((db) => changeRows(db, table, columns, { secret }));
      resealed += 1;
    }
  }
  if (resealed > 0) {
    await store.checkpoint();
    log.info({ count: resealed }, 'stored secrets were encrypted with the new key');
  }
  if (unreadable > 0)
    log.warn(
      { count: unreadable },
      'stored secrets were encrypted with another ENCRYPTION_KEY: add that key behind a comma',
    );
  return { resealed, unreadable };
};
