import { hash } from 'node:crypto';
import { z } from 'zod';
import { AppError, toAppError } from '../errors.ts';
import { createKeyHider } from '../http/secrets.ts';
import { NO_SPACE } from '../model/service.ts';
import { keyOf, type Space } from '../model/place.ts';

export const KEY_CHARS = 1_000;

/**
 * A whole API key: a prefix, a colon and the rest (contract section 5), of the characters that a header
 * takes.
 */
export const serviceKey = z
  .string()
  .regex(/^[!-9;-~]+:[!-~]+$/, 'must be the whole key, its prefix and colon included')
  .max(KEY_CHARS, 'is too long');

/** Identity of a key, without the key. */
export interface KeyIdentity {
  /** Name in memory, the same for the same key. It is derived from the key, so it is never logged. */
  readonly id: string;
  /** True where a space brought the key; otherwise it is the operator's. */
  readonly isOwn: boolean;
}

/** A key as calls use it. */
export interface ServiceKey extends KeyIdentity {
  readonly key: string;
  /** Replaces the key in words of the service, however it is written there. */
  readonly hide: (text: string) => string;
  /**
   * Takes the end of each request that the service answered: the error, if it was one. `isFree` is true
   * for a request that costs nothing, which an account without credit may be granted.
   */
  readonly answered: (error: AppError | undefined, isFree: boolean) => void;
}

/** A space has a key that cannot be decrypted: its calls fail until a person acts. */
export class UnreadableKeyError extends AppError {
  override readonly name = 'UnreadableKeyError';

  constructor(cause: unknown) {
    super('config', toAppError(cause).message, {
      sentence: { key: 'service.unreadable-own-key' },
      remedy: { key: 'remedies.check', params: { name: 'ENCRYPTION_KEY' } },
      cause,
    });
  }
}

/**
 * Finds the key that a space brought; undefined where it has none. Rejects with an
 * `UnreadableKeyError` where it has one that cannot be read: then the operator's key does not take its place.
 */
export type FindOwnKey = (space: Space) => Promise<ServiceKey | undefined>;

export const createServiceKey = (
  key: string,
  { isOwn = false, answered = () => {} }: Partial<Pick<ServiceKey, 'isOwn' | 'answered'>> = {},
): ServiceKey => ({
  id: hash('sha256', key),
  isOwn,
  key,
  hide: createKeyHider(key),
  answered,
});

/** The keys of all calls: a space's own one where it has one, otherwise the operator's. */
export type ServiceKeys = ReturnType<typeof createServiceKeys>;

export const createServiceKeys = (
  operatorKey: string,
  findOwnKey: FindOwnKey = async () => undefined,
) => {
  const operators = createServiceKey(operatorKey);
  return {
    /** Rejects as `FindOwnKey` does. */
    of: async (space: Space): Promise<ServiceKey> =>
      keyOf(space) === keyOf(NO_SPACE) ? operators : ((await findOwnKey(space)) ?? operators),
  };
};
