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
  allowsVoicesOf(engine: string): boolean;
  /** Throws the contract's 403 for a voice of an engine that the key may not be used for. */
  checkVoicesOf(engine: string): void;
  /**
   * Keeps what the request can still cost from the key's other requests. Throws a 429 where others have reserved
   * all that is left; one request gets what there is, so that a credit ends below zero by its price at most.
   *
   * @param engines those that may do the work
   */
  reserve(use: Omit<Use, 'engine'>, engines: readonly string[]): void;
  /** Takes the price of a result from the credit, and from what is reserved. */
  charge(use: Use): void;
  /** Gives back what is still reserved. */
  release(): void;
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
  /** The part of it that requests under way have reserved. */
  readonly reservedNanoUsd: number;
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

/** Wait that clients are asked for while requests that run have what is left. */
const RESERVED_RETRY_MS = 1_000;

const checkUnreserved = ({ creditNanoUsd, reservedNanoUsd }: KeyState, ownNanoUsd = 0): void => {
  if (creditNanoUsd <= reservedNanoUsd - ownNanoUsd)
    throw tooManyRequests(
      RESERVED_RETRY_MS,
      'Requests under way may cost what is left of the credit.',
    );
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
  reserve: () => undefined,
  charge: () => undefined,
  release: () => undefined,
  checkOpen: () => undefined,
});

interface StoredAccountDeps {
  /** Looks the key up; throws the contract's 401 when it was revoked. */
  readonly currentState: () => KeyState;
  /** The price of a use in nano-USD. */
  readonly priceOf: (use: Use) => number;
  /** Takes nano-USD from the credit. */
  readonly spend: (nanoUsd: number) => void;
  /** Changes what the requests of the key have reserved. */
  readonly changeReserved: (nanoUsd: number) => void;
}

/** The account of a stored key, for one request, or a session in which one text or utterance is paid at a time. */
export const storedAccount = (
  name: string,
  { currentState, priceOf, spend, changeReserved }: StoredAccountDeps,
): KeyAccount => {
  let ownNanoUsd = 0;
  const hold = (nanoUsd: number): void => {
    changeReserved(nanoUsd - ownNanoUsd);
    ownNanoUsd = nanoUsd;
  };
  return {
    name,
    isMetered: true,
    admit: (needed) => {
      const state = currentState();
      if (needed) {
        checkMay(state, needed);
        checkUnreserved(state, ownNanoUsd);
      }
      takeOne(state.allowances, needed);
    },
    allowsVoicesOf: (engine) => allowsVoicesOf(currentState().access, engine),
    checkVoicesOf: (engine) => checkVoicesOf(currentState().access, engine),
    reserve: (use, engines) => {
      const state = currentState();
      checkCredit(state.creditNanoUsd);
      checkUnreserved(state, ownNanoUsd);
      const dearest = Math.max(0, ...engines.map((engine) => priceOf({ ...use, engine })));
      hold(Math.min(dearest, state.creditNanoUsd));
    },
    charge: (use) => {
      const nanoUsd = priceOf(use);
      hold(Math.max(0, ownNanoUsd - nanoUsd));
      spend(nanoUsd);
    },
    release: () => hold(0),
    checkOpen: (needed) => checkMay(currentState(), needed),
  };
};
