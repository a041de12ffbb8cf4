import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { KEY_PREFIX } from '../src/api/contract.ts';
import { ContractError } from './errors.ts';

/** Creates a key: the prefix and 192 random bits. */
export const makeKey = (): string => `${KEY_PREFIX}${randomBytes(24).toString('base64url')}`;

const digest = (key: string): Buffer => createHash('sha256').update(key).digest();

/** Characters of a key's digest that name it: enough to tell keys apart, useless to guess one. */
const NAME_CHARACTERS = 8;

/**
 * Checks an `Authorization` header (contract section 5) and returns a name of its key for logs. Keys
 * are compared by their digests, all of them and in constant time, so that the time of a refusal
 * reveals neither a key nor its length.
 */
export const createKeyCheck = (keys: readonly string[]): ((header: string | null) => string) => {
  const known = keys.map(digest);
  return (header) => {
    const given = digest(/^Bearer (\S+)$/i.exec(header ?? '')?.[1] ?? '');
    let found = false;
    for (const key of known) found = timingSafeEqual(key, given) || found;
    if (!found)
      throw new ContractError('ErrAuthenticationFailed', 'Authentication error: Invalid token', {
        context: ['auth'],
      });
    return given.toString('hex').slice(0, NAME_CHARACTERS);
  };
};
