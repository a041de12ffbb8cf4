import {
  createServiceKey,
  UnreadableKeyError,
  type FindOwnKey,
  serviceKey,
} from '../../api/keys.ts';
import { isKeyRefused, ServiceError } from '../../api/service-error.ts';
import { createCache, createLru } from '../../async/lru.ts';
import { AppError, toAppError, userError } from '../../errors.ts';
import type { Log } from '../../telemetry/log.ts';
import { type Member, keyOf, type Space } from '../../model/place.ts';
import type { KeyTrouble, OwnKeyState } from '../../model/service.ts';
import { cipherOf, ownKeyContext } from './encryption.ts';
import { currentActor } from '../actor.ts';
import { noteChange } from '../audit.ts';
import type { Store } from '../index.ts';
import type { KeyProbe } from '../../api/client.ts';
import { deleteRows, putRow, readRow, readRows, spaceColumns } from '../rows.ts';

/** Spaces whose key, or lack of one, is cached: each request to the service asks for it. */
const CACHED_SPACES = 5_000;
/** Spaces whose key the service refused that are remembered. */
const MOST_TROUBLES = 1_000;

/** The trouble that an error of the service tells of; undefined where it is not about the whole key. */
const troubleOf = (error: AppError): KeyTrouble | undefined => {
  if (error instanceof ServiceError && error.isOutOfCredit) return 'no-credit';
  return isKeyRefused(error) ? 'refused' : undefined;
};

export interface OwnKeyDeps {
  readonly store: Store;
  /** `ENCRYPTION_KEY`. Without it, nothing is stored, and what was stored cannot be used. */
  readonly encryption: readonly Uint8Array[] | undefined;
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly now?: () => number;
}

export type OwnKeys = ReturnType<typeof createOwnKeys>;

/** Creates the store of the keys that spaces brought. They are encrypted, and bound to their spaces. */
export const createOwnKeys = ({ store, encryption, log, now = Date.now }: OwnKeyDeps) => {
  const cipher = cipherOf(encryption);
  const troubles = createLru<string, { readonly keyId: string; readonly is: KeyTrouble }>(
    MOST_TROUBLES,
  );

  const note = (
    space: Space,
    keyId: string,
    error: AppError | undefined,
    isFree: boolean,
  ): void => {
    const place = keyOf(space);
    const known = troubles.get(place);
    if (!error) {
      const tells = !isFree || known?.is === 'refused';
      if (known?.keyId === keyId && tells) troubles.delete(place);
      return;
    }
    const is = troubleOf(error);
    if (!is || (known?.keyId === keyId && known.is === is)) return;
    troubles.set(place, { keyId, is });
    log.warn({ space, trouble: is }, 'the service refuses the key of a space');
  };

  const rowOf = (space: Space) =>
    readRow(store, 'space_key', spaceColumns(space), ['secret', 'set_by_name', 'set_ms']);

  const read: FindOwnKey = async (space) => {
    const row = await rowOf(space);
    if (!row) return undefined;
    try {
      if (!cipher) throw new AppError('config', 'a space has a key, but ENCRYPTION_KEY is not set');
      const key = createServiceKey(cipher.open(row.secret, ownKeyContext(space)), {
        isOwn: true,
        answered: (error, isFree) => note(space, key.id, error, isFree),
      });
      return key;
    } catch (thrown) {
      throw new UnreadableKeyError(thrown);
    }
  };
  const cache = createCache(read, {
    keyOf,
    most: CACHED_SPACES,
    isCurrent: () => store.signals.isCurrent('space-key', 'space-left'),
  });
  const forget = (space: Space | undefined): void => {
    cache.forget(space);
    if (space) troubles.delete(keyOf(space));
    else for (const [key] of troubles) troubles.delete(key);
  };
  store.signals.subscribe('space-key', forget);
  store.signals.subscribe('space-left', forget);

  return {
    /** True where keys can be stored. */
    canStore: cipher !== undefined,
    find: cache.of,
    /** Tells of a space's key, and never what it is; undefined where it has none. */
    state: async (space: Space): Promise<OwnKeyState | undefined> => {
      const row = await rowOf(space);
      if (!row) return undefined;
      const found = await cache.of(space).catch(() => undefined);
      const trouble = troubles.get(keyOf(space));
      const is = found ? trouble?.keyId === found.id && trouble.is : 'unreadable';
      return {
        setBy: row.set_by_name ?? undefined,
        setMs: row.set_ms,
        ...(is ? { trouble: is } : {}),
      };
    },
    put: async (space: Space, key: string, setBy: Pick<Member, 'id' | 'name'>): Promise<void> => {
      if (!cipher) throw new AppError('config', 'ENCRYPTION_KEY is not set');
      const values = {
        secret: cipher.seal(key, ownKeyContext(space)),
        set_by: setBy.id,
        set_by_name: setBy.name,
        set_ms: now(),
      };
      const by = currentActor();
      await store.write(async (db) => {
        await putRow(db, 'space_key', spaceColumns(space), values);
        await noteChange(db, space, by, { what: 'key-set' });
        await store.signals.publish(db, 'space-key', space);
      });
      // A replaced key must not stay readable in the file.
      await store.checkpoint();
      log.info({ space }, 'a space has a key of its own');
    },
    /** Counts the keys, and those that cannot be decrypted. */
    count: async () => {
      const rows = await readRows(store, 'space_key', {}, ['platform', 'space_id', 'secret']);
      const unread = rows.filter(({ platform, space_id: id, secret }) => {
        try {
          return cipher?.open(secret, ownKeyContext({ platform, id })) === undefined;
        } catch {
          return true;
        }
      });
      return { stored: rows.length, unreadable: unread.length };
    },
    remove: async (space: Space): Promise<void> => {
      const by = currentActor();
      await store.write(async (db) => {
        await deleteRows(db, 'space_key', spaceColumns(space));
        await noteChange(db, space, by, { what: 'key-removed' });
        await store.signals.publish(db, 'space-key', space);
      });
      await store.checkpoint();
      log.info({ space }, 'a space has no key of its own any more');
    },
  };
};

export type SpaceKeys = ReturnType<typeof createSpaceKeys>;

export interface SpaceKeysDeps {
  readonly ownKeys: OwnKeys;
  readonly checkKey: KeyProbe;
}

/** Says why a key is not stored, without the error itself, whose advice is about a stored one. */
const notStored = (thrown: unknown): Error => {
  const error = toAppError(thrown);
  if (error.code === 'cancelled') return error;
  if (error instanceof ServiceError && error.isOutOfCredit)
    return userError('forbidden', 'settings.key-no-credit');
  return isKeyRefused(error)
    ? userError('bad-input', 'settings.key-rejected')
    : userError('unavailable', 'settings.key-unchecked');
};

/** Creates the keys of the service that spaces bring, as their moderators see them: never the keys themselves. */
export const createSpaceKeys = ({ ownKeys, checkKey }: SpaceKeysDeps) => ({
  /** False where the operator has set no `ENCRYPTION_KEY`. */
  canStore: ownKeys.canStore,
  /** Resolves with undefined for a space without one. */
  state: ownKeys.state,
  /**
   * Stores a key that the service knows, in place of the space's former one. Rejects with a sentence
   * where it does not know it, or does not say.
   */
  set: async (space: Space, typed: string, by: Member, signal: AbortSignal): Promise<void> => {
    const key = serviceKey.safeParse(typed.trim()).data;
    if (key === undefined) throw userError('bad-input', 'settings.key-malformed');
    try {
      await checkKey(key, signal);
    } catch (thrown) {
      throw notStored(thrown);
    }
    await ownKeys.put(space, key, by);
  },
  remove: ownKeys.remove,
});
