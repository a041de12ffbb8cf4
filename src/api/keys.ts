import { hash } from 'node:crypto';
import { z } from 'zod';
import type { AppError } from '../errors.ts';
import { NO_SPACE } from '../model/lane.ts';
import { keyOf, type Space } from '../model/place.ts';

/** The longest key that is accepted. */
export const KEY_CHARS = 1_000;

/**
 * A whole API key: a prefix, a colon and the rest (contract section 5), of the characters that a header
 * takes.
 */
export const serviceKey = z
  .string()
  .regex(/^[!-9;-~]+:[!-~]+$/, 'must be the whole key, its prefix and colon included')
  .max(KEY_CHARS, 'is too long');

/** The account at the service that a key belongs to. */
export interface Account {
  /** Name in memory, the same for the same key. It is derived from the key, so it is never logged. */
  readonly id: string;
  /** True where a space brought the key; otherwise it is the operator's. */
  readonly isOwn: boolean;
}

/** A key as calls use it. */
export interface ServiceKey extends Account {
  readonly key: string;
  /** Replaces the key in words of the service, however it is written there. */
  readonly hide: (text: string) => string;
  /** Takes the end of each request that the service answered: the error, if it was one. */
  readonly answered: (error: AppError | undefined) => void;
}

/**
 * Finds the key that a space brought; undefined where it has none. Rejects with an `AppError` where it
 * has one that cannot be read: then the operator's key does not take its place.
 */
export type FindOwnKey = (space: Space) => Promise<ServiceKey | undefined>;

/** Parts of keys that are shorter may be words. */
const SHORTEST_PART_CHARS = 8;
const HIDDEN = '…';

/** The ways in which a key may be written, the longest first. */
const formsOf = (key: string): readonly string[] => {
  const rest = key.slice(key.indexOf(':') + 1);
  const written = [key, rest].flatMap((part) => {
    const base64 = Buffer.from(part).toString('base64').replace(/=+$/, '');
    const encoded = encodeURIComponent(part);
    return [
      part,
      encoded,
      encoded.replaceAll(/%[\dA-F]{2}/g, (code) => code.toLowerCase()),
      base64,
      base64.replaceAll('+', '-').replaceAll('/', '_'),
    ];
  });
  return [...new Set(written)]
    .filter(({ length }) => length >= SHORTEST_PART_CHARS)
    .toSorted((a, b) => b.length - a.length);
};

export const createServiceKey = (
  key: string,
  { isOwn = false, answered = () => {} }: Partial<Pick<ServiceKey, 'isOwn' | 'answered'>> = {},
): ServiceKey => {
  const forms = formsOf(key);
  return {
    id: hash('sha256', key),
    isOwn,
    key,
    hide: (text) => forms.reduce((hidden, form) => hidden.replaceAll(form, HIDDEN), text),
    answered,
  };
};

/** The keys of all calls: a space's own one where it has one, otherwise the operator's. */
export interface ServiceKeys {
  /** Rejects as `FindOwnKey` does. */
  readonly of: (space: Space) => Promise<ServiceKey>;
}

export const createServiceKeys = (
  operatorKey: string,
  findOwnKey: FindOwnKey = async () => undefined,
): ServiceKeys => {
  const operators = createServiceKey(operatorKey);
  return {
    of: async (space) =>
      keyOf(space) === keyOf(NO_SPACE) ? operators : ((await findOwnKey(space)) ?? operators),
  };
};
