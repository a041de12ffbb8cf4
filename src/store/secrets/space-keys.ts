import type { KeyProbe } from '../../api/key-probe.ts';
import { serviceKey } from '../../api/keys.ts';
import { isKeyRefused, ServiceError } from '../../api/service-error.ts';
import { toAppError, userError } from '../../errors.ts';
import type { Member, Space } from '../../model/place.ts';
import type { OwnKeyState } from '../../model/service.ts';
import type { OwnKeys } from './own-keys.ts';

/** The keys of the service that spaces bring, as their moderators see them: never the keys themselves. */
export interface SpaceKeys {
  /** False where the operator has set no `ENCRYPTION_KEY`. */
  readonly canStore: boolean;
  /** Resolves with undefined where the space has none. */
  state(space: Space): Promise<OwnKeyState | undefined>;
  /**
   * Stores a key that the service knows, in place of the space's former one. Rejects with a sentence
   * where it does not know it, or does not say.
   */
  set(space: Space, typed: string, by: Member, signal: AbortSignal): Promise<void>;
  remove(space: Space): Promise<void>;
}

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

export const createSpaceKeys = ({ ownKeys, checkKey }: SpaceKeysDeps): SpaceKeys => ({
  canStore: ownKeys.canStore,
  state: ownKeys.state,
  set: async (space, typed, by, signal) => {
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
