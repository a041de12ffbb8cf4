import { timingSafeEqual } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLru } from '../../src/async/lru.ts';
import { realClock, type Clock } from '../../src/async/clock.ts';
import type { Log } from '../../src/telemetry/log.ts';
import { addTo } from '../count.ts';
import { createAllowance, type AllowanceRate, parseRate } from '../allowance.ts';
import { ContractError } from '../errors.ts';
import { storedAccess, hashKey } from './access.ts';
import { operatorAccount, storedAccount, type KeyAccount, type KeyAllowances } from './account.ts';
import { priceOf, type Prices } from './prices.ts';
import { createSpending } from './spending.ts';
import { openExistingKeyStore, type KeyStore, type StoredKey } from './store.ts';
import { createWriteThread } from './write-thread.ts';

/** Digits of an operator's key's hash that name it: enough to tell keys apart, useless to guess one. */
const NAME_DIGITS = 8;
/** Keys whose requests are remembered to count them. */
const MOST_COUNTED = 10_000;
/** Longest wait for another process that writes: everything else waits as well. */
const BUSY_MS = 5;

/** Rates of keys that have none of their own. */
export interface KeyRates {
  readonly all?: AllowanceRate | undefined;
  readonly asr?: AllowanceRate | undefined;
}

export interface AccountsOptions {
  /** Complete keys of the operator, prefix included. */
  readonly keys: readonly string[];
  /** Keys that the command line creates; undefined for none. */
  readonly stored?: StoredKeysOptions | undefined;
  readonly rates?: KeyRates | undefined;
  readonly log: Pick<Log, 'warn' | 'error'>;
  readonly clock?: Clock;
}

export interface StoredKeysOptions {
  /** File of the database; it is opened once it exists. */
  readonly database: string;
  readonly prices: Prices;
}

/** Finds the account of a request by its key. */
export type Accounts = ReturnType<typeof createAccounts>;

const unknownKey = (): ContractError =>
  new ContractError('ErrAuthenticationFailed', 'Authentication error: Invalid token', {
    context: ['auth'],
  });

/** Opens the stored keys once there are any. */
const createStoredKeys = ({
  database,
  prices,
  clock,
  log,
}: StoredKeysOptions & { readonly clock: Clock; readonly log: Pick<Log, 'warn' | 'error'> }) => {
  let store: KeyStore | undefined;
  const find = (hash: string): StoredKey | undefined => {
    store ??= openExistingKeyStore(database, BUSY_MS);
    return store?.find(hash);
  };
  const nameOf = (hash: string): string => {
    try {
      return find(hash)?.name ?? hash.slice(0, NAME_DIGITS);
    } catch {
      return hash.slice(0, NAME_DIGITS);
    }
  };
  /** Nano-USD by the hash of a key; in memory, so that a killed process holds none. */
  const reserved = new Map<string, number>();
  const thread = createWriteThread(database);
  const spending = createSpending({
    write: async (amounts) => thread.spend(amounts),
    pause: sleep,
    nameOf,
    clock,
    log,
  });
  return {
    find,
    accountOf: (
      { hash, name }: StoredKey,
      allowancesOf: (key: StoredKey) => KeyAllowances,
    ): KeyAccount =>
      storedAccount(name, {
        currentState: () => {
          const key = find(hash);
          if (!key) throw unknownKey();
          return {
            access: storedAccess(key.access),
            creditNanoUsd: key.creditNanoUsd - spending.unwritten(hash),
            reservedNanoUsd: reserved.get(hash) ?? 0,
            allowances: allowancesOf(key),
          };
        },
        priceOf: (use) => priceOf(prices, use),
        spend: (nanoUsd) => spending.add(hash, nanoUsd),
        changeReserved: (nanoUsd) => addTo(reserved, hash, nanoUsd),
      }),
    [Symbol.asyncDispose]: async () => {
      await spending[Symbol.asyncDispose]();
      await thread[Symbol.asyncDispose]();
      store?.[Symbol.dispose]();
    },
  };
};

/**
 * Creates the accounts of the operator's keys and of the stored ones. The operator's are compared by
 * their hashes, all of them and in constant time, so that the time of a refusal reveals neither a key
 * nor its length; stored ones are looked up by their hash, of which a guess says nothing.
 */
export const createAccounts = (options: AccountsOptions) => {
  const { keys, stored: storedOptions, rates = {}, log, clock = realClock } = options;
  const known = keys.map(hashKey);
  const stored = storedOptions && createStoredKeys({ ...storedOptions, clock, log });
  const counted = createLru<string, KeyAllowances & { readonly id: string }>(MOST_COUNTED);

  const allowanceOf = (rate: AllowanceRate | undefined) => rate && createAllowance(clock, rate);
  const allowancesOf = (hash: string, all?: string | null, asr?: string | null): KeyAllowances => {
    const id = `${all ?? ''} ${asr ?? ''}`;
    const before = counted.get(hash);
    const found =
      before?.id === id
        ? before
        : {
            id,
            all: allowanceOf(all ? parseRate(all) : rates.all),
            asr: allowanceOf(asr ? parseRate(asr) : rates.asr),
          };
    counted.set(hash, found);
    return found;
  };

  return {
    /**
     * Finds the account for an `Authorization` header; throws the contract's 401 for a key that is
     * missing or unknown (section 5).
     */
    find: (header: string | null): KeyAccount => {
      const given = hashKey(/^Bearer (\S+)$/i.exec(header ?? '')?.[1] ?? '');
      const hash = given.toString('hex');
      let isOperators = false;
      for (const key of known) isOperators = timingSafeEqual(key, given) || isOperators;
      if (isOperators) return operatorAccount(hash.slice(0, NAME_DIGITS), allowancesOf(hash));
      const key = stored?.find(hash);
      if (!stored || !key) throw unknownKey();
      return stored.accountOf(key, ({ rate, asrRate }) => allowancesOf(hash, rate, asrRate));
    },
    [Symbol.asyncDispose]: async () => stored?.[Symbol.asyncDispose](),
  };
};
