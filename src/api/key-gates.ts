import { createLru } from '../async/lru.ts';
import type { Endpoint } from './caller.ts';
import { createGate, type Gate, type GateDeps } from './gate.ts';
import type { KeyIdentity } from './keys.ts';

/** Keys whose gates are kept; those that were used the longest ago are dropped first. */
const KEPT_KEYS = 500;

/** The gates of a service: one for each endpoint and key, so that no key slows another. */
export interface KeyGates {
  of(key: Pick<KeyIdentity, 'id'>, endpoint: Endpoint): Gate;
  /** Number of keys whose gates are kept. */
  readonly keys: number;
}

export const createKeyGates = (deps: GateDeps): KeyGates => {
  const kept = createLru<string, Map<Endpoint, Gate>>(KEPT_KEYS);
  return {
    of: ({ id }, endpoint) => {
      const gates = kept.get(id) ?? new Map<Endpoint, Gate>();
      kept.set(id, gates);
      const gate = gates.get(endpoint) ?? createGate(deps);
      gates.set(endpoint, gate);
      return gate;
    },
    get keys() {
      return [...kept].length;
    },
  };
};
