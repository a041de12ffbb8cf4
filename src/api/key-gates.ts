import { createLru } from '../async/lru.ts';
import type { Endpoint } from './caller.ts';
import { createGate, type Gate, type GateDeps } from './gate.ts';
import type { KeyIdentity } from './keys.ts';
import { declareGateMetrics } from './metrics/gate-metrics.ts';
import type { Metrics } from '../ops/metrics.ts';
import type { SharedPaces } from './shared-paces.ts';
import { createRetryBudget, type RetryBudget } from './retry-budget.ts';

/** Keys whose gates are kept; those that were used the longest ago are dropped first. */
const KEPT_KEYS = 500;

/** The gates of each key, one for each endpoint, and its retry budget: so no key slows another. */
export interface KeyGates {
  of(key: Pick<KeyIdentity, 'id'>, endpoint: Endpoint): Gate;
  budgetOf(key: Pick<KeyIdentity, 'id'>): RetryBudget;
  /** Number of keys whose gates are kept. */
  readonly keys: number;
}

export interface KeyGatesDeps extends Pick<GateDeps, 'clock' | 'random'> {
  readonly metrics: Metrics;
  /** The paces that processes keep together. Default: this process has its own. */
  readonly paces?: SharedPaces | undefined;
}

interface Kept {
  readonly gates: Map<Endpoint, Gate>;
  readonly budget: RetryBudget;
}

export const createKeyGates = ({ metrics, paces, ...deps }: KeyGatesDeps): KeyGates => {
  const kept = createLru<string, Kept>(KEPT_KEYS);
  const open = (): ReadonlyMap<Endpoint, number> => {
    const counts = new Map<Endpoint, number>();
    for (const [, { gates }] of kept)
      for (const [endpoint, gate] of gates)
        counts.set(endpoint, (counts.get(endpoint) ?? 0) + Number(gate.isOpen()));
    return counts;
  };
  const measured = declareGateMetrics(metrics, open);
  const keptOf = ({ id }: Pick<KeyIdentity, 'id'>): Kept => {
    const its = kept.get(id) ?? {
      gates: new Map<Endpoint, Gate>(),
      budget: createRetryBudget(deps.clock.nowMs),
    };
    kept.set(id, its);
    return its;
  };
  return {
    of: (key, endpoint) => {
      const { gates } = keptOf(key);
      const gate =
        gates.get(endpoint) ??
        createGate({
          ...deps,
          ...(paces ? { makePace: (changed) => paces.of(key, endpoint, changed) } : {}),
          refused: () => measured.refused(endpoint),
          opened: () => measured.opened(endpoint),
        });
      gates.set(endpoint, gate);
      return gate;
    },
    budgetOf: (key) => keptOf(key).budget,
    get keys() {
      return [...kept].length;
    },
  };
};
