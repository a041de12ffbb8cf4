import { createHash, randomBytes } from 'node:crypto';
import { KEY_PREFIX } from '../../src/api/contract.ts';

/** Creates a key: the prefix and 192 random bits. */
export const makeKey = (): string => `${KEY_PREFIX}${randomBytes(24).toString('base64url')}`;

/**
 * SHA-256 of a key. Keys are random and long, so a hash that is slow to compute would protect them no
 * better.
 */
export const hashKey = (key: string): Buffer => createHash('sha256').update(key).digest();
