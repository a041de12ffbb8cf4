import { createLru } from '../async/lru.ts';
import type { Endpoint } from './caller.ts';
import { createGate, type Gate, type GateDeps } from './gate.ts';
import type { Account } from './keys.ts';

/** Accounts whose gates are kept; those that were used the longest ago are dropped first. */
const KEPT_ACCOUNTS = 500;

/** The gates of a service: one for each endpoint and account, so that no account slows another. */
export interface AccountGates {
  of(account: Pick<Account, 'id'>, endpoint: Endpoint): Gate;
  /** Number of accounts whose gates are kept. */
  readonly accounts: number;
}

export const createAccountGates = (deps: GateDeps): AccountGates => {
  const kept = createLru<string, Map<Endpoint, Gate>>(KEPT_ACCOUNTS);
  return {
    of: ({ id }, endpoint) => {
      const gates = kept.get(id) ?? new Map<Endpoint, Gate>();
      kept.set(id, gates);
      const gate = gates.get(endpoint) ?? createGate(deps);
      gates.set(endpoint, gate);
      return gate;
    },
    get accounts() {
      return [...kept].length;
    },
  };
};
