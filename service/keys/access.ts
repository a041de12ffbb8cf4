import type { Ability } from '../config.ts';
import { ContractError } from '../errors.ts';
import { createHash, randomBytes } from 'node:crypto';
import { KEY_PREFIX } from '../../src/api/contract.ts';

/** Creates a key: the prefix and 192 random bits. */
export const makeKey = (): string => `${KEY_PREFIX}${randomBytes(24).toString('base64url')}`;

/**
 * SHA-256 of a key. Keys are random and long, so a hash that is slow to compute would protect them no
 * better.
 */
export const hashKey = (key: string): Buffer => createHash('sha256').update(key).digest();

/** Access that a request needs (contract section 5, item 6). */
export type AccessKind = Ability | 'realtime-recognition';

const TITLES: Readonly<Record<AccessKind, string>> = {
  speech: 'text-to-speech',
  recognition: 'batch speech recognition',
  'realtime-recognition': 'realtime speech recognition',
  translation: 'translation',
  chat: 'chat',
};

const SPEECH_OF = 'speech:';
const ALL = 'all';

/** The words of access, for errors and help. */
export const ACCESS_WORDS = `${ALL}, ${Object.keys(TITLES).join(', ')}, ${SPEECH_OF}ENGINE`;

/** Words for what a key may use: `all`, kinds of access, and engines of speech such as `speech:espeak-ng`. */
export type KeyAccess = ReadonlySet<string>;

export const ALL_ACCESS: KeyAccess = new Set([ALL]);

/**
 * Reads words, separated by commas. Returns the first that is no word in place of the access.
 *
 * @param engines names of the engines that there are
 */
export const parseAccess = (
  text: string,
  engines: readonly string[],
): { readonly access: KeyAccess } | { readonly unknown: string } => {
  const words = text.split(',').map((word) => word.trim());
  const known = new Set([
    ALL,
    ...Object.keys(TITLES),
    ...engines.map((name) => `${SPEECH_OF}${name}`),
  ]);
  const unknown = words.find((word) => !known.has(word));
  return unknown === undefined ? { access: new Set(words) } : { unknown };
};

/** Formats access as it is stored and listed. */
export const formatAccess = (access: KeyAccess): string => [...access].join(',');

export const storedAccess = (text: string): KeyAccess => new Set(text.split(','));

const denied = (what: string): ContractError =>
  new ContractError('ErrAccessDenied', `This key has no access to ${what}.`, {
    context: ['auth'],
  });

/** Throws the contract's 403 for a key without the access that is needed. */
export const checkAccess = (access: KeyAccess, needed: AccessKind): void => {
  if (access.has(ALL) || access.has(needed)) return;
  if (needed === 'speech' && [...access].some((word) => word.startsWith(SPEECH_OF))) return;
  throw denied(TITLES[needed]);
};

/** True when the voices of an engine may be used. */
export const allowsVoicesOf = (access: KeyAccess, engine: string): boolean =>
  access.has(ALL) || access.has('speech') || access.has(`${SPEECH_OF}${engine}`);

/** Throws the contract's 403 for a voice of an engine that the key may not use. */
export const checkVoicesOf = (access: KeyAccess, engine: string): void => {
  if (!allowsVoicesOf(access, engine)) throw denied(`the provider of this voice, ${engine}`);
};
