import type { Allowance } from '../allowance.ts';
import { ContractError, tooManyRequests } from '../errors.ts';
import {
  ALL_ACCESS,
  allowsVoicesOf,
  checkAccess,
  checkVoicesOf,
  type KeyAccess,
  type AccessKind,
} from './access.ts';
import type { Use } from './prices.ts';

/** The owner of a request's key, with what they may do. */
export interface KeyAccount {
  /** Name for logs and turns, which tells nothing of the key itself. */
  readonly name: string;
  /** True when what is used is counted. */
  readonly isMetered: boolean;
  /**
   * Lets a request begin, and counts it. Throws the contract's 403 where the key lacks the
   * access that is needed, 429 for too many requests and for a credit that is used up.
   *
   * @param needed undefined for lists, which are free
   */
  admit(needed?: AccessKind): void;
  /** True when voices of an engine may be used. */
  allowsVoicesOf(engine: string): boolean;
  /** Throws the contract's 403 for a voice of an engine that the key may not be used for. */
  checkVoicesOf(engine: string): void;
  /** Takes the price of a result from the credit. */
  charge(use: Use): void;
  /** Throws when an open session with this access has to end: the key was revoked, say. */
  checkOpen(needed: AccessKind): void;
}

/** The limits of a key: of all its requests, and of those for speech recognition. */
export interface KeyAllowances {
  readonly all: Allowance | undefined;
  readonly asr: Allowance | undefined;
}

/** A key's access, credit and limits at the moment. */
export interface KeyState {
  readonly access: KeyAccess;
  readonly creditNanoUsd: number;
  readonly allowances: KeyAllowances;
}

const takeOne = ({ all, asr }: KeyAllowances, needed: AccessKind | undefined): void => {
  const isAsr = needed === 'recognition' || needed === 'realtime-recognition';
  const allowances = [all, isAsr ? asr : undefined].filter((one) => one !== undefined);
  const waitMs = Math.max(0, ...allowances.map((one) => one.waitMs(1)));
  if (waitMs > 0) throw tooManyRequests(waitMs);
  for (const one of allowances) one.take(1);
};

const checkCredit = (creditNanoUsd: number): void => {
  if (creditNanoUsd <= 0)
    throw new ContractError('ErrCreditUsedUp', 'The credit of this key is used up.', {
      context: ['limit'],
    });
};

const checkMay = ({ access, creditNanoUsd }: KeyState, needed: AccessKind): void => {
  checkAccess(access, needed);
  checkCredit(creditNanoUsd);
};

/** A key that the operator set: it may do everything and is never charged. */
export const operatorAccount = (
  name: string,
  allowances: KeyAllowances = { all: undefined, asr: undefined },
): KeyAccount => ({
  name,
  isMetered: false,
  admit: (needed) => takeOne(allowances, needed),
  allowsVoicesOf: (engine) => allowsVoicesOf(ALL_ACCESS, engine),
  checkVoicesOf: (engine) => checkVoicesOf(ALL_ACCESS, engine),
  charge: () => undefined,
  checkOpen: () => undefined,
});

/**
 * The account of a stored key.
 *
 * @param currentState looks the key up; throws the contract's 401 when it was revoked
 * @param spend takes the price of a use from the credit
 */
export const storedAccount = (
  name: string,
  {
    currentState,
    spend,
  }: { readonly currentState: () => KeyState; readonly spend: (use: Use) => void },
): KeyAccount => ({
  name,
  isMetered: true,
  admit: (needed) => {
    const state = currentState();
    if (needed) checkMay(state, needed);
    takeOne(state.allowances, needed);
  },
  allowsVoicesOf: (engine) => allowsVoicesOf(currentState().access, engine),
  checkVoicesOf: (engine) => checkVoicesOf(currentState().access, engine),
  charge: spend,
  checkOpen: (needed) => checkMay(currentState(), needed),
});
