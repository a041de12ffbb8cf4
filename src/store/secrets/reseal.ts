import type { Log } from '../../telemetry/log.ts';
import { keyOf, type Space } from '../../model/place.ts';
import type { Cipher } from './encryption.ts';
import type { Store } from '../index.ts';
import { ownKeyContext } from './own-keys.ts';

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
    const rows = await store.selectFrom(table).select(['platform', 'space_id', 'secret']).execute();
    for (const { platform, space_id, secret: before } of rows) {
      if (cipher.isCurrent(before)) continue;
      const context = contextOf({ platform, id: space_id });
      let secret: string;
      try {
        secret = cipher.seal(cipher.open(before, context), context);
      } catch {
        unreadable += 1;
        continue;
      }
      await store.write((db) =>
        db
          .updateTable(table)
          .set({ secret })
          .where('platform', '=', platform)
          .where('space_id', '=', space_id)
          .where('secret', '=', before)
          .execute(),
      );
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
